#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "base/file_pieces.h"

namespace clusterc {
namespace {

using Kind = FileError::Kind;

struct FileTest : testing::Test {
  std::string folder = testing::TempDir() + "clusterc-file-" + std::to_string(::getpid());
  FileTest() { std::filesystem::create_directories(folder); }
  ~FileTest() override { std::filesystem::remove_all(folder); }
  std::string path(const char* name) const { return folder + "/" + name; }
  FileError error;
};

TEST_F(FileTest, WritesAndReads) {
  const std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(write_file(path("a"), bytes, error)) << error.message;
  EXPECT_EQ(read_file(path("a"), 4, error), bytes);
  EXPECT_FALSE(read_file(path("a"), 3, error));
  EXPECT_EQ(error.kind, Kind::too_large);
  EXPECT_EQ(error.message, "'" + path("a") + "' is 4 B, the limit is 3 B");
  ASSERT_TRUE(write_file(path("a"), "", error));
  EXPECT_EQ(read_file(path("a"), 0, error), "");
}

TEST_F(FileTest, KindsOfErrors) {
  EXPECT_FALSE(read_file(path("none"), 1, error));
  EXPECT_EQ(error.kind, Kind::missing);
  EXPECT_EQ(error.message, "'" + path("none") + "' does not exist");
  EXPECT_FALSE(read_file(folder, 1, error));
  EXPECT_EQ(error.kind, Kind::directory);
  EXPECT_FALSE(write_file(path("no/such"), "x", error));
  EXPECT_EQ(error.kind, Kind::missing);
  if (::geteuid() != 0) {
    ASSERT_TRUE(write_file(path("shut"), "x", error));
    ::chmod(path("shut").c_str(), 0);
    EXPECT_FALSE(read_file(path("shut"), 1, error));
    EXPECT_EQ(error.kind, Kind::unreadable);
  }
}

TEST_F(FileTest, LargeFilesAreRefusedBySize) {
  ASSERT_TRUE(write_file(path("sparse"), "", error));
  ASSERT_EQ(::truncate(path("sparse").c_str(), off_t{1} << 40), 0);  // a TiB that is not there
  EXPECT_FALSE(read_file(path("sparse"), 64 << 20, error));
  EXPECT_EQ(error.kind, Kind::too_large);
  EXPECT_EQ(error.message, "'" + path("sparse") + "' is 1 TiB, the limit is 64 MiB");
}

TEST_F(FileTest, EndlessOnesAreRefusedWhileReading) {
  EXPECT_FALSE(read_file("/dev/zero", 1 << 20, error));
  EXPECT_EQ(error.kind, Kind::too_large);
  EXPECT_TRUE(read_file("/proc/self/status", 1 << 20, error));  // its size reads as 0
}

TEST_F(FileTest, NothingIsWrittenThroughALink) {
  ASSERT_TRUE(write_file(path("real"), "old", error));
  std::filesystem::create_symlink("real", path("link"));
  std::filesystem::create_symlink("nowhere", path("dangling"));
  for (const char* name : {"link", "dangling"}) {
    EXPECT_FALSE(write_file(path(name), "new", error));
    EXPECT_NE(error.message.find("symbolic link"), std::string::npos) << error.message;
    EXPECT_FALSE(can_write_file(path(name), error));
    EXPECT_TRUE(std::filesystem::is_symlink(path(name)));
  }
  EXPECT_EQ(read_file(path("real"), 10, error), "old");
  EXPECT_FALSE(std::filesystem::exists(path("nowhere")));
}

TEST_F(FileTest, LinksOnTheWayAreOurs) {
  std::filesystem::create_directories(path("a/b"));
  std::filesystem::create_symlink("a", path("relative"));
  std::filesystem::create_symlink(path("a/b"), path("a/absolute"));
  ASSERT_TRUE(write_file(path("relative/b/../absolute/x"), "1", error)) << error.message;
  EXPECT_EQ(read_file(path("a/b/x"), 10, error), "1");
  std::filesystem::create_symlink("circle", path("circle"));
  EXPECT_FALSE(write_file(path("circle/x"), "1", error));
  // In a folder where others put links, none is followed: another user's could have been put there.
  ASSERT_EQ(::chmod(path("a").c_str(), 0777), 0);
  EXPECT_FALSE(write_file(path("a/absolute/y"), "1", error));
  EXPECT_NE(error.message.find("symbolic link 'absolute'"), std::string::npos) << error.message;
}

TEST_F(FileTest, AnotherUsersLinkOnTheWayIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "gives a link to another user: runs as root";
  std::filesystem::create_directories(path("a"));
  std::filesystem::create_symlink("a", path("link"));
  ASSERT_EQ(::lchown(path("link").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(write_file(path("link/x"), "1", error));
  EXPECT_NE(error.message.find("belongs to user 65534"), std::string::npos) << error.message;
  EXPECT_FALSE(std::filesystem::exists(path("a/x")));
}

TEST_F(FileTest, AnotherUsersFolderIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "gives a folder to another user: runs as root";
  std::filesystem::create_directories(path("theirs"));
  ASSERT_EQ(::chown(path("theirs").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(write_file(path("theirs/x"), "1", error));
  EXPECT_NE(error.message.find("belongs to user 65534"), std::string::npos) << error.message;
  EXPECT_FALSE(open_to_append(path("theirs/x"), error));
  EXPECT_FALSE(std::filesystem::exists(path("theirs/x")));
}

// The name of what is made first was the report's with the process's number: a link of that name was written through.
TEST_F(FileTest, TheNameBesideIsNotGuessed) {
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  std::filesystem::create_symlink("victim", path(("x.part-" + std::to_string(::getpid())).c_str()));
  ASSERT_TRUE(write_file(path("victim"), "precious", error));
  ASSERT_TRUE(write_file(path("x"), "report", error)) << error.message;
  EXPECT_EQ(read_file(path("victim"), 10, error), "precious");
  EXPECT_FALSE(std::filesystem::is_symlink(path("x")));
  EXPECT_EQ(read_file(path("x"), 10, error), "report");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()), 3);
}

TEST_F(FileTest, DevicesAndPipesAreWrittenInto) {
  ASSERT_TRUE(write_file("/dev/null", "gone", error)) << error.message;
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(write_file(path("pipe"), "x", error));  // at once
  EXPECT_NE(error.message.find("nobody reads"), std::string::npos) << error.message;
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_TRUE(write_file(path("pipe"), "told", error)) << error.message;
  char buffer[8] = {};
  EXPECT_EQ(::read(reader, buffer, sizeof buffer), 4);
  EXPECT_STREQ(buffer, "told");
  ::close(reader);
  EXPECT_FALSE(write_file(folder, "x", error));
}

TEST_F(FileTest, DescriptorsThatWereGivenAreWrittenInto) {
  ASSERT_TRUE(write_file(path("given"), "first ", error));
  const int fd = ::open(path("given").c_str(), O_WRONLY | O_APPEND);  // as a shell gives it: open in what it starts
  ASSERT_TRUE(write_file("/dev/fd/" + std::to_string(fd), "second", error)) << error.message;
  ::close(fd);
  EXPECT_EQ(read_file(path("given"), 100, error), "first second");
  const int own = ::open(path("given").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  EXPECT_FALSE(write_file("/dev/fd/" + std::to_string(own), "x", error));
  ::close(own);
}

TEST_F(FileTest, OnlyRegularFilesOfOursAreAppendedTo) {
  const auto refuses = [&](const std::string& name, const std::string& why) {
    EXPECT_FALSE(open_to_append(name, error)) << name;
    EXPECT_NE(error.message.find(why), std::string::npos) << error.message;
  };
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  refuses(path("pipe"), "is a pipe (FIFO), no regular file");
  refuses(folder, "is a folder, no regular file");
  refuses("/dev/null", "is a character device, no regular file");
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(socket);
  refuses(path("socket"), "is a socket, no regular file");
  ASSERT_TRUE(write_file(path("real"), "old", error));
  std::filesystem::create_symlink("real", path("link"));
  refuses(path("link"), "is a symbolic link, no regular file");
  std::filesystem::create_symlink("new", path("dangling"));
  refuses(path("dangling"), "is a symbolic link, no regular file");
  EXPECT_FALSE(std::filesystem::exists(path("new")));
  EXPECT_TRUE(open_to_append(path("real"), error)) << error.message;
  ASSERT_EQ(::chmod(path("real").c_str(), 0666), 0);
  refuses(path("real"), "can be changed by other users");
  ASSERT_EQ(::chmod(path("real").c_str(), 0644), 0);
  std::filesystem::create_hard_link(path("real"), path("second"));
  refuses(path("real"), "has further names");
  if (::geteuid() == 0) {
    ASSERT_TRUE(write_file(path("theirs"), "", error));
    ASSERT_EQ(::chown(path("theirs").c_str(), 65534, 65534), 0);
    refuses(path("theirs"), "belongs to another user");
  }
  const auto fresh = open_to_append(path("fresh"), error);
  ASSERT_TRUE(fresh) << error.message;
  EXPECT_TRUE(write_all(fresh->get(), "1") && write_all(fresh->get(), "2"));
  EXPECT_EQ(read_file(path("fresh"), 10, error), "12");
}

TEST_F(FileTest, WhatComesInPiecesIsOneFileOrNone) {
  const Pieces pieces = [](const std::function<void(std::string_view)>& write) {
    for (const char* piece : {"a", "", "bc\n"}) write(piece);
  };
  ASSERT_TRUE(write_file_in_pieces(path("report"), pieces, error)) << error.message;
  EXPECT_EQ(read_file(path("report"), 10, error), "abc\n");
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_FALSE(write_file_in_pieces("/dev/full", pieces, error));
    EXPECT_NE(error.message.find("No space left on device"), std::string::npos) << error.message;
  }
}

}  // namespace
}  // namespace clusterc
