#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

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

TEST_F(FileTest, LinksAreFollowedDevicesWrittenInto) {
  ASSERT_TRUE(write_file(path("real"), "old", error));
  std::filesystem::create_symlink("real", path("link"));
  ASSERT_TRUE(write_file(path("link"), "new", error));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("real"), 10, error), "new");
  ASSERT_TRUE(write_file("/dev/null", "gone", error));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace clusterc
