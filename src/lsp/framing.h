// The base protocol: `Content-Length: N`, an empty line, N bytes of JSON, again and again. Bytes in, whole messages
// out. Memory is bounded by the largest message that is taken; of a larger one nothing is kept while its bytes go by.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clusterc::lsp {

struct Frame {
  enum class Kind {
    body,       // a message
    too_large,  // one was announced that is over the limit: its bytes are passed over
    lost,  // no Content-Length can be made out: where the next message begins is unknown, and nothing more will come
  };
  Kind kind = Kind::body;
  std::string text;  // the message, or what is wrong
};

class FrameReader {
 public:
  explicit FrameReader(std::size_t most_bytes) : most_(most_bytes) {}
  void feed(std::string_view bytes);
  std::optional<Frame> next();

 private:
  std::optional<Frame> header();
  std::optional<Frame> lose(std::string why);

  std::size_t most_;
  std::string buffer_;
  std::size_t at_ = 0;        // read so far in buffer_
  std::uint64_t wanted_ = 0;  // bytes of the body that is awaited
  std::uint64_t skip_ = 0;    // bytes of a body that is not taken
  bool in_body_ = false, lost_ = false;
};

}  // namespace clusterc::lsp
