#include "lsp/framing.h"

#include <gtest/gtest.h>

namespace clusterc::lsp {
namespace {

TEST(Framing, TakesMessagesInAnyPieces) {
  const std::string bytes =
      "Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: application/vscode-jsonrpc; "
      "charset=utf-8\r\n\r\n[1]";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    FrameReader reader(100);
    std::vector<std::string> found;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.feed(std::string_view(bytes).substr(at, piece));
      while (auto frame = reader.next()) {
        EXPECT_EQ(frame->kind, Frame::Kind::body);
        found.push_back(frame->text);
      }
    }
    EXPECT_EQ(found, (std::vector<std::string>{"{}", "[1]"})) << piece;
  }
}

TEST(Framing, PassesOverWhatIsTooLarge) {
  FrameReader reader(10);
  reader.feed("Content-Length: 11\r\n\r\nabcdefghijkContent-Length: 10\r\n\r\n0123456789");
  auto frame = reader.next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->kind, Frame::Kind::too_large);
  frame = reader.next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->kind, Frame::Kind::body);
  EXPECT_EQ(frame->text, "0123456789");
  EXPECT_FALSE(reader.next());
}

TEST(Framing, KeepsNothingOfWhatIsTooLarge) {
  FrameReader reader(1000);
  reader.feed("Content-Length: 9000000000000000\r\n\r\n");  // 9 PB announced
  ASSERT_TRUE(reader.next());
  const std::string chunk(1 << 20, 'x');
  for (int i = 0; i < 64; ++i) {
    reader.feed(chunk);
    EXPECT_FALSE(reader.next());
  }
}

TEST(Framing, GivesUpWhereNoLengthCanBeMadeOut) {
  for (const std::string_view header :
       {"Content-Length: 18446744073709551616\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: 1e3\r\n\r\n",
        "Content-Length:\r\n\r\n", "\r\n\r\n", "Content-Type: x\r\n\r\n", "{\"jsonrpc\"}\n",
        "Content-Length: 9007199254740993\r\n\r\n"}) {
    FrameReader reader(100);
    reader.feed(header);
    const auto frame = reader.next();
    ASSERT_TRUE(frame) << header;
    EXPECT_EQ(frame->kind, Frame::Kind::lost) << header;
    reader.feed("Content-Length: 2\r\n\r\n{}");
    EXPECT_FALSE(reader.next()) << header;
  }
}

TEST(Framing, BoundsAHeaderThatDoesNotEnd) {
  FrameReader reader(100);
  std::optional<Frame> frame;
  std::size_t fed = 0;
  for (; !frame && fed < 100000; fed += 100) {
    reader.feed("X: " + std::string(96, 'y') + "\n");
    frame = reader.next();
  }
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->kind, Frame::Kind::lost);
  EXPECT_LE(fed, 9000u);
}

}  // namespace
}  // namespace clusterc::lsp
