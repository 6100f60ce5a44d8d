#include "write/replace.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace clusterc {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "clusterc-replace-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};
std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(ReplaceFile, KeepsTheMode) {
  const Folder folder;
  const std::string path = folder.file("x", "old");
  fs::permissions(path, fs::perms(0640));
  FileError error;
  ASSERT_TRUE(replace_file(path, "old", "newer", error)) << error.message;
  EXPECT_EQ(text_of(path), "newer");
  EXPECT_EQ(static_cast<int>(fs::status(path).permissions()), 0640);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(ReplaceFile, ALinkStaysALink) {
  const Folder folder;
  const std::string path = folder.file("x", "old"), link = (folder.path / "link").string();
  fs::create_symlink("x", link);
  FileError error;
  ASSERT_TRUE(replace_file(link, "old", "new", error)) << error.message;
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(text_of(path), "new");
}

TEST(ReplaceFile, AnotherUsersLinkOrFolderIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "gives a link and a folder to another user: runs as root";
  const Folder folder;
  const std::string path = folder.file("x", "old"), link = (folder.path / "link").string();
  fs::create_symlink("x", link);
  ASSERT_EQ(::lchown(link.c_str(), 65534, 65534), 0);
  FileError error;
  EXPECT_FALSE(replace_file(link, "old", "new", error));
  EXPECT_NE(error.message.find("belongs to user 65534"), std::string::npos) << error.message;
  fs::create_directory(folder.path / "theirs");
  const std::string inside = folder.file("theirs/x", "old");
  ASSERT_EQ(::chown((folder.path / "theirs").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(replace_file(inside, "old", "new", error));
  EXPECT_NE(error.message.find("belongs to user 65534"), std::string::npos) << error.message;
  EXPECT_EQ(text_of(path), "old");
  EXPECT_EQ(text_of(inside), "old");
}

TEST(ReplaceFile, RefusesWhatWouldLoseSomething) {
  const Folder folder;
  FileError error;
  const auto refuses = [&](const std::string& path, const std::string& why) {
    EXPECT_FALSE(replace_file(path, "old", "new", error));
    EXPECT_NE(error.message.find(why), std::string::npos) << error.message;
  };
  const std::string changed = folder.file("changed", "other"), longer = folder.file("longer", "old and more");
  refuses(changed, "was changed meanwhile");
  refuses(longer, "was changed meanwhile");
  EXPECT_EQ(text_of(changed), "other");

  const std::string read_only = folder.file("read-only", "old");
  fs::permissions(read_only, fs::perms(0444));
  refuses(read_only, "is read-only");

  const std::string twice = folder.file("twice", "old");
  fs::create_hard_link(twice, folder.path / "second");
  refuses(twice, "further names");

  refuses((folder.path / "absent").string(), "cannot be written");
  refuses(folder.path.string(), "is no regular file");
  EXPECT_EQ(text_of(read_only), "old");
  EXPECT_EQ(folder.count(), 5u);  // nothing was left beside
}

TEST(ReplaceFile, AFolderThatCannotBeWrittenLeavesTheFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  const Folder folder;
  const std::string path = folder.file("x", "old");
  fs::permissions(folder.path, fs::perms(0555));
  FileError error;
  EXPECT_FALSE(replace_file(path, "old", "new", error));
  fs::permissions(folder.path, fs::perms(0755));
  EXPECT_EQ(text_of(path), "old");
}

}  // namespace
}  // namespace clusterc
