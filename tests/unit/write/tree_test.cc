#include "write/tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <thread>

#include "base/digest.h"
#include "base/file.h"
#include "write/manifest.h"

namespace clusterc {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

// Every test twice: files that are all there, and files that come one at a time, in no order.
struct TreeTest : testing::TestWithParam<bool> {
  std::string folder = fs::canonical(testing::TempDir()).string() + "/clusterc-tree-" + std::to_string(::getpid());
  std::string out = folder + "/out";
  WriteOptions options{.spec_digest = "d1", .tool_version = "0.1.0"};
  TreeTest() { fs::create_directories(folder); }
  ~TreeTest() override { fs::remove_all(folder); }

  static Bundle bundle(const std::map<std::string, std::string>& files) {
    Bundle b;
    for (const auto& [path, bytes] : files) {
      if (path.ends_with(".link"))
        b.link(path, "output test", bytes);
      else
        b.add(path, "output test", bytes, path.ends_with(".sh") ? 0755 : 0644);
    }
    return b;
  }
  WriteResult write(const std::map<std::string, std::string>& files) {
    const Bundle b = bundle(files);
    WriteResult result;
    if (!GetParam()) {
      result = write_tree(b, out, options);
    } else {
      try {
        Tree tree(out, options);
        Bundle some([&](const Bundle::File& file, std::string_view bytes) {
          tree.put(file.path, file.origin, bytes, file.mode);
        });
        for (auto file = b.files().rbegin(); file != b.files().rend(); ++file) {
          if (file->mode == kLink)
            some.link(file->path, file->origin, b.bytes(*file));
          else
            some.add(file->path, file->origin, b.bytes(*file), file->mode);
        }
        some.flush();
        EXPECT_TRUE(some.files().empty());
        result = tree.finish();
      } catch (const WriteError& failed) {
        result.error = failed.what();
      }
    }
    EXPECT_TRUE(result.ok || !result.error.empty());
    return result;
  }
  WriteResult written(const std::map<std::string, std::string>& files) {
    const WriteResult result = write(files);
    EXPECT_TRUE(result.ok) << result.error;
    return result;
  }
  std::string read(const std::string& path) const {
    FileError error;
    return read_file(out + "/" + path, 1 << 20, error).value_or("(" + error.message + ")");
  }
  void edit(const std::string& path, const std::string& bytes) const {
    fs::create_directories(fs::path(out + "/" + path).parent_path());
    FileError error;
    ASSERT_TRUE(write_file(out + "/" + path, bytes, error)) << error.message;
  }
  // Every path with its inode and times: equal means that nothing was touched.
  std::map<std::string, std::vector<long>> footprint() const {
    std::map<std::string, std::vector<long>> all;
    const auto add = [&](const std::string& path) {
      struct stat s {};
      ASSERT_EQ(::lstat(path.c_str(), &s), 0);
      all[path] = {static_cast<long>(s.st_ino), s.st_mtim.tv_sec, s.st_mtim.tv_nsec, s.st_ctim.tv_sec,
                   s.st_ctim.tv_nsec};
    };
    add(folder);
    for (const auto& entry : fs::recursive_directory_iterator(folder)) add(entry.path());
    return all;
  }
  std::size_t names_beside() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
};

TEST_P(TreeTest, WritesAndThenNothing) {
  const WriteResult first = written({{"slurm/slurm.conf", "a\n"}, {"slurm/prolog.sh", "b\n"}, {"hosts", ""}});
  EXPECT_EQ(first.written, 3u);
  EXPECT_EQ(read("slurm/slurm.conf"), "a\n");
  EXPECT_EQ(read("hosts"), "");
  EXPECT_EQ(fs::status(out + "/slurm/prolog.sh").permissions(), fs::perms(0755));
  EXPECT_EQ(read("manifest.json"),
            "{\n \"format\": \"clusterc-manifest\",\n \"version\": 1,\n \"spec\": \"d1\",\n \"tool\": \"0.1.0\",\n "
            "\"files\": [\n"
            "  {\"path\": \"hosts\", \"mode\": \"0644\", \"sha256\": \"" +
                sha256_hex("") +
                "\", \"origin\": \"output test\"},\n"
                "  {\"path\": \"slurm/prolog.sh\", \"mode\": \"0755\", \"sha256\": \"" +
                sha256_hex("b\n") +
                "\", \"origin\": \"output test\"},\n"
                "  {\"path\": \"slurm/slurm.conf\", \"mode\": \"0644\", \"sha256\": \"" +
                sha256_hex("a\n") + "\", \"origin\": \"output test\"}\n ]\n}\n");
  EXPECT_EQ(names_beside(), 1u);
  const auto before = footprint();
  const WriteResult second = written({{"slurm/slurm.conf", "a\n"}, {"slurm/prolog.sh", "b\n"}, {"hosts", ""}});
  EXPECT_EQ(second.written, 0u);
  EXPECT_EQ(second.unchanged, 3u);
  EXPECT_EQ(footprint(), before);
}

TEST_P(TreeTest, OnlyWhatChangedIsWritten) {
  written({{"a", "1"}, {"b/c", "2"}, {"b/d", "3"}});
  const auto before = footprint();
  const WriteResult result = written({{"a", "1"}, {"b/c", "new"}, {"e/f", "4"}});
  EXPECT_EQ(result.written, 2u);
  EXPECT_EQ(result.unchanged, 1u);
  EXPECT_EQ(result.removed, 1u);
  EXPECT_EQ(read("b/c"), "new");
  EXPECT_EQ(read("e/f"), "4");
  EXPECT_FALSE(fs::exists(out + "/b/d"));
  EXPECT_EQ(footprint()[out + "/a"][0], before.at(out + "/a")[0]);  // the same file, carried over
  EXPECT_EQ(footprint()[out + "/a"][1], before.at(out + "/a")[1]);
  EXPECT_EQ(names_beside(), 1u);
  written({});
  EXPECT_FALSE(fs::exists(out + "/b"));  // folders that are empty now go, too
}

TEST_P(TreeTest, EditedFilesAreKeptAndToldEveryTime) {
  written({{"a", "1"}, {"b", "1"}});
  edit("a", "mine");
  for (int i = 0; i < 2; ++i) {
    const WriteResult result = written({{"a", "2"}, {"b", "2"}});
    EXPECT_EQ(result.hand_edited, Paths{"a"});
    EXPECT_EQ(result.written, i == 0 ? 1u : 0u);
    EXPECT_EQ(read("a"), "mine");
    EXPECT_EQ(read("b"), "2");
  }
  const WriteResult gone = written({{"b", "2"}});  // not generated any more: still the user's
  EXPECT_EQ(gone.hand_edited, Paths{"a"});
  EXPECT_EQ(read("a"), "mine");
  EXPECT_EQ(written({{"b", "2"}}).foreign, Paths{"a"});
  options.force = true;
  const WriteResult forced = written({{"a", "3"}, {"b", "2"}});
  EXPECT_EQ(forced.hand_edited, Paths{"a"});
  EXPECT_EQ(read("a"), "3");
  options.force = false;
  EXPECT_EQ(written({{"a", "3"}, {"b", "2"}}).hand_edited, Paths{});
}

TEST_P(TreeTest, AnEditThatAgreesIsNoEdit) {
  written({{"a", "1"}});
  edit("a", "2");
  EXPECT_EQ(written({{"a", "2"}}).hand_edited, Paths{});
  EXPECT_EQ(written({{"a", "3"}}).hand_edited, Paths{});  // the manifest learnt of it
  EXPECT_EQ(read("a"), "3");
}

TEST_P(TreeTest, ForeignFilesStay) {
  written({{"a", "1"}, {"b/c", "1"}});
  edit("notes.txt", "n");
  edit("b/more", "m");
  edit("own/deep/x", "x");
  fs::create_directories(out + "/hollow");
  fs::create_symlink("nowhere", out + "/link");
  for (const char* b : {"b/more", "b/"}) {  // the second time, nothing in b/ is generated any more
    const WriteResult result = written({{"a", "2"}});
    EXPECT_EQ(result.foreign, (Paths{b, "hollow/", "link", "notes.txt", "own/"}));
    EXPECT_EQ(read("notes.txt") + read("b/more") + read("own/deep/x"), "nmx");
    EXPECT_TRUE(fs::is_directory(out + "/hollow"));
    EXPECT_EQ(fs::read_symlink(out + "/link"), "nowhere");
    EXPECT_FALSE(fs::exists(out + "/b/c"));
  }
}

TEST_P(TreeTest, FilesThatWereThereFirstAreNotOverwritten) {
  edit("a", "not generated");
  const WriteResult result = written({{"a", "1"}, {"b", "1"}});
  EXPECT_EQ(result.hand_edited, Paths{"a"});
  EXPECT_EQ(read("a"), "not generated");
  EXPECT_EQ(read("b"), "1");
}

TEST_P(TreeTest, LinksAreNotFollowed) {
  written({{"a", "1"}});
  fs::remove(out + "/a");
  edit("../elsewhere", "precious");
  fs::create_symlink("../elsewhere", out + "/a");
  EXPECT_EQ(written({{"a", "2"}}).hand_edited, Paths{"a"});
  options.force = true;
  written({{"a", "2"}});
  EXPECT_FALSE(fs::is_symlink(out + "/a"));
  FileError error;
  EXPECT_EQ(read_file(folder + "/elsewhere", 100, error), "precious");
}

TEST_P(TreeTest, ALinkToTheTreeIsNotWrittenThrough) {
  written({{"a", "1"}});
  fs::rename(out, folder + "/real");
  fs::create_symlink("real", out);
  const WriteResult refused = write({{"a", "2"}});
  EXPECT_FALSE(refused.ok);
  EXPECT_NE(refused.error.find("is a symbolic link"), std::string::npos) << refused.error;
  EXPECT_TRUE(fs::is_symlink(out));
  EXPECT_EQ(read("a"), "1");
  options.check = true;  // reads alone
  EXPECT_EQ(write({{"a", "2"}}).differing, (Paths{"a", "manifest.json"}));
}

TEST_P(TreeTest, FoldersThatOthersCanChangeAreRefused) {
  const auto refused = [&](const std::string& where, mode_t mode) {
    EXPECT_EQ(::chmod(where.c_str(), mode), 0);
    const WriteResult result = write({{"d/a", "2"}});
    EXPECT_EQ(::chmod(where.c_str(), 0755), 0);
    EXPECT_FALSE(result.ok) << where;
    EXPECT_NE(result.error.find("can be changed by other users"), std::string::npos) << result.error;
  };
  refused(folder, 0777);
  EXPECT_FALSE(fs::exists(out));
  ASSERT_EQ(::chmod(folder.c_str(), 01777), 0);  // as /tmp: nobody renames what is ours
  written({{"d/a", "1"}});
  refused(out, 0777);
  refused(out, 01777);
  refused(out + "/d", 0777);
  const std::string left = folder + "/.out.clusterc-old";
  fs::create_directory(left);
  refused(left, 0777);
  EXPECT_EQ(read("d/a"), "1");
  EXPECT_EQ(written({{"d/a", "2"}}).written, 1u);
  EXPECT_FALSE(fs::exists(left));
}

TEST_P(TreeTest, WhatBelongsToAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "gives folders to another user: runs as root";
  const auto refused = [&](const std::string& where) {
    EXPECT_EQ(::chown(where.c_str(), 65534, 65534), 0);
    const WriteResult result = write({{"d/a", "2"}});
    EXPECT_FALSE(result.ok) << where;
    EXPECT_NE(result.error.find("belongs to"), std::string::npos) << result.error;
    EXPECT_EQ(::chown(where.c_str(), 0, 0), 0);
  };
  refused(folder);
  // What another user calls as a killed run leaves it is not put in place.
  for (const char* name : {"/.out.clusterc-old", "/.out.clusterc-new"}) {
    fs::create_directory(folder + name);
    refused(folder + name);
    EXPECT_FALSE(fs::exists(out));
    fs::remove(folder + name);
  }
  written({{"d/a", "1"}});
  refused(out);
  refused(out + "/d");
  EXPECT_EQ(read("d/a"), "1");
  // A file of the right bytes that another user can change is written anew.
  ASSERT_EQ(::chown((out + "/d/a").c_str(), 65534, 65534), 0);
  EXPECT_EQ(written({{"d/a", "1"}}).written, 1u);
  struct stat status {};
  ASSERT_EQ(::stat((out + "/d/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 0u);
}

TEST_P(TreeTest, ALockIsNotWaitedForWithoutEnd) {
  written({{"a", "1"}});
  const int other = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  Paths told;
  options.progress = [&](const std::string& line) { told.push_back(line); };
  const WriteResult result = write({{"a", "2"}});
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.error,
            "'" + folder + "' is locked by another program, which did not end within 5 s: '" + out + "' is as it was");
  EXPECT_EQ(told, Paths{"waiting for the lock on '" + folder + "', which another program holds"});
  // A signal ends the waiting.
  std::atomic<bool> interrupted{true};
  options.interrupted = &interrupted;
  EXPECT_NE(write({{"a", "2"}}).error.find("interrupted"), std::string::npos);
  ::close(other);
  options.interrupted = nullptr;
  EXPECT_EQ(written({{"a", "2"}}).written, 1u);
}

TEST_P(TreeTest, DeletedFilesAndModesComeBack) {
  written({{"a", "1"}, {"b.sh", "1"}});
  fs::remove(out + "/a");
  fs::permissions(out + "/b.sh", fs::perms(0600));
  EXPECT_EQ(written({{"a", "1"}, {"b.sh", "1"}}).written, 2u);
  EXPECT_EQ(read("a"), "1");
  EXPECT_EQ(fs::status(out + "/b.sh").permissions(), fs::perms(0755));
}

TEST_P(TreeTest, ModesAreThoseOfTheBundleWhateverTheUmask) {
  const mode_t before = ::umask(0077);
  written({{"a", "1"}, {"b.sh", "1"}});
  ::umask(before);
  EXPECT_EQ(fs::status(out + "/a").permissions(), fs::perms(0644));
  EXPECT_EQ(fs::status(out + "/b.sh").permissions(), fs::perms(0755));
}

TEST_P(TreeTest, CheckWritesNothing) {
  written({{"a", "1"}, {"b", "1"}});
  options.check = true;
  const auto before = footprint();
  EXPECT_EQ(written({{"a", "1"}, {"b", "1"}}).differing, Paths{});
  EXPECT_EQ(written({{"a", "2"}, {"c", "1"}}).differing, (Paths{"a", "b", "c", "manifest.json"}));
  EXPECT_EQ(footprint(), before);
  out = folder + "/none";
  EXPECT_EQ(written({{"a", "1"}}).differing, (Paths{"a", "manifest.json"}));
  EXPECT_FALSE(fs::exists(out));
}

TEST_P(TreeTest, WhatCannotBeChangesNothing) {
  written({{"a", "1"}});
  fs::create_directories(out + "/b");
  auto before = footprint(), after = before;
  EXPECT_EQ(write({{"b", "1"}}).error, "'b' is a folder where a file is to be written; move it away");
  after = footprint();
  before.erase(folder), after.erase(folder);  // the next tree stood there for a moment
  EXPECT_EQ(after, before);
  edit("c", "1");
  EXPECT_EQ(write({{"c/d", "1"}}).error, "'c' is a file where a folder is to be written; move it away");
  edit("manifest.json", "{}");
  EXPECT_FALSE(write({{"a", "2"}}).ok);
  EXPECT_EQ(read("a"), "1");
  edit("manifest.json", R"({"format": "clusterc-manifest", "version": 2, "files": []})");
  EXPECT_NE(write({{"a", "2"}}).error.find("has format version 2, this clusterc reads version 1"), std::string::npos);
  out = folder + "/no/such/place";
  EXPECT_NE(write({{"a", "1"}}).error.find("No such file or directory"), std::string::npos);
  EXPECT_EQ(names_beside(), 1u);
}

TEST_P(TreeTest, FilesBecomeFoldersAndBack) {
  written({{"a", "1"}, {"b/c", "1"}});
  written({{"a/x", "1"}, {"b", "1"}});
  EXPECT_EQ(read("a/x") + read("b"), "11");
  edit("a/mine", "m");
  EXPECT_EQ(write({{"a", "1"}}).error, "'a' is a folder where a file is to be written; move it away");
  edit("b", "edited");
  EXPECT_EQ(write({{"b/c", "1"}}).error, "'b' is a file where a folder is to be written; move it away");
}

TEST_P(TreeTest, NotUnderTheFeetOfTheShell) {
  written({{"a", "1"}});
  const std::string here = fs::current_path();
  fs::current_path(out);
  const std::string error = write({{"a", "2"}}).error;
  EXPECT_TRUE(write({{"a", "1"}}).ok);  // nothing to do is fine
  fs::current_path(here);
  EXPECT_NE(error.find("holds the folder that you are in"), std::string::npos);
}

TEST_P(TreeTest, LeftoversOfKilledRunsGo) {
  fs::create_directories(folder + "/.out.clusterc-new/half/way");
  written({{"a", "1"}});
  EXPECT_EQ(names_beside(), 1u);
  fs::rename(out, folder + "/.out.clusterc-old");  // killed between the two renames of a file system without exchange
  EXPECT_EQ(written({{"a", "1"}}).unchanged, 1u);
  EXPECT_EQ(names_beside(), 1u);
}

TEST_P(TreeTest, AManifestThatWasCutIsNotBelieved) {
  written({{"a", "1"}, {"b", "2"}});
  const std::string whole = read("manifest.json");
  std::string error;
  ASSERT_TRUE(read_manifest(whole, error));
  for (std::size_t size = 0; size + 3 < whole.size(); ++size)
    EXPECT_FALSE(read_manifest(whole.substr(0, size), error)) << size;
}

TEST_P(TreeTest, LinksAreFilesThatNameAnother) {
  const std::map<std::string, std::string> files{
      {"g.data", "1"}, {"n/a/x.link", "../../g.data"}, {"n/b/x.link", "../../g.data"}, {"n/b/y", "2"}};
  EXPECT_EQ(written(files).written, 4u);
  EXPECT_EQ(read("n/a/x.link"), "1");
  EXPECT_EQ(fs::read_symlink(out + "/n/a/x.link"), "../../g.data");
  EXPECT_NE(
      read("manifest.json")
          .find("{\"path\": \"n/a/x.link\", \"mode\": \"120000\", \"sha256\": \"" + sha256_hex("../../g.data") + "\""),
      std::string::npos);
  const auto before = footprint();
  EXPECT_EQ(written(files).unchanged, 4u);
  EXPECT_EQ(footprint(), before);
  // Another file changes: the links are carried over as they are. One that is gone goes.
  const WriteResult result = written({{"g.data", "1"}, {"n/a/x.link", "../../g.data"}, {"n/b/y", "3"}});
  EXPECT_EQ(result.unchanged, 2u);
  EXPECT_EQ(result.removed, 1u);
  EXPECT_EQ(footprint()[out + "/n/a/x.link"][0], before.at(out + "/n/a/x.link")[0]);
  EXPECT_FALSE(fs::exists(fs::symlink_status(out + "/n/b/x.link")));
}

TEST_P(TreeTest, ALinkWhereAFileWasAndBack) {
  const auto swap =
      [&](const std::map<std::string, std::string>& links) {  // the names that the bundle takes for links, as files
        Bundle b;
        for (const auto& [path, bytes] : links) b.add(path, "output test", bytes);
        return write_tree(b, out, options);
      };
  ASSERT_TRUE(swap({{"g", "1"}, {"x.link", "was a file"}}).ok);
  EXPECT_EQ(written({{"g", "1"}, {"x.link", "g"}}).written, 1u);
  EXPECT_EQ(fs::read_symlink(out + "/x.link"), "g");
  const WriteResult back = swap({{"g", "1"}, {"x.link", "a file again"}});
  EXPECT_EQ(back.written, 1u);
  EXPECT_EQ(back.hand_edited, Paths{});
  EXPECT_FALSE(fs::is_symlink(out + "/x.link"));
  EXPECT_EQ(read("x.link"), "a file again");
  EXPECT_EQ(read("g"), "1");
  EXPECT_EQ(written({{"g", "1"}, {"x.link", "g"}}).written, 1u);
  EXPECT_EQ(written({{"x.link", "g2"}, {"g2", "1"}}).written, 2u);  // points elsewhere now
  EXPECT_EQ(fs::read_symlink(out + "/x.link"), "g2");
}

TEST_P(TreeTest, LinksThatSomebodyChangedAreKept) {
  const std::map<std::string, std::string> files{{"g", "1"}, {"a.link", "g"}, {"b.link", "g"}, {"c.link", "g"}};
  written(files);
  fs::remove(out + "/a.link");
  edit("a.link", "mine");
  fs::remove(out + "/b.link");
  fs::create_symlink("/etc/passwd", out + "/b.link");
  fs::remove(out + "/c.link");
  const WriteResult kept = written(files);
  EXPECT_EQ(kept.hand_edited, (Paths{"a.link", "b.link"}));
  EXPECT_EQ(kept.written, 1u);  // what is gone is made again
  EXPECT_EQ(read("a.link"), "mine");
  EXPECT_EQ(fs::read_symlink(out + "/b.link"), "/etc/passwd");
  const WriteResult without = written({{"g", "1"}});  // generated no more, and not ours: still kept
  EXPECT_EQ(without.hand_edited, (Paths{"a.link", "b.link"}));
  EXPECT_EQ(without.removed, 1u);
  options.force = true;
  EXPECT_EQ(written(files).written, 3u);
  for (const char* name : {"a.link", "b.link", "c.link"}) EXPECT_EQ(fs::read_symlink(out + "/" + name), "g");
  EXPECT_EQ(read("g"), "1");
}

// cp -L, scp -r and many an archive put the target's bytes where a link was: nobody edited them, and the next run makes
// links again.
TEST_P(TreeTest, ACopyThatFollowedLinksIsNoEdit) {
  const std::map<std::string, std::string> files{
      {"g.data", "1"}, {"n/a/x.link", "../../g.data"}, {"n/b/x.link", "../../g.data"}};
  written(files);
  for (const char* path : {"n/a/x.link", "n/b/x.link"}) {
    fs::remove(out + "/" + path);
    edit(path, path[2] == 'a' ? "1" : "2");  // b was edited indeed
  }
  const WriteResult result = written(files);
  EXPECT_EQ(result.written, 1u);
  EXPECT_EQ(result.hand_edited, (Paths{"n/b/x.link"}));
  EXPECT_EQ(fs::read_symlink(out + "/n/a/x.link"), "../../g.data");
  fs::remove(out + "/n/a/x.link");
  edit("n/a/x.link", "1");
  EXPECT_EQ(written({{"g.data", "3"}, {"n/a/x.link", "../../g.data"}, {"n/b/x.link", "../../g.data"}}).hand_edited,
            (Paths{"n/b/x.link"}));  // the target changes as well
  EXPECT_EQ(read("n/a/x.link"), "3");
}

TEST_P(TreeTest, FoldersOfOthersKeepTheirRights) {
  written({{"a/b", "1"}});
  fs::create_directories(out + "/notes/deep");
  edit("notes/deep/mine", "x");
  const auto owner = ::geteuid() == 0 ? 65534u : ::geteuid();
  for (const auto& [path, mode] : {std::pair{"/notes", 01777}, {"/notes/deep", 0700}, {"", 02750}}) {
    if (*path) ASSERT_EQ(::chown((out + path).c_str(), owner, ::getegid()), 0);
    ASSERT_EQ(::chmod((out + path).c_str(), static_cast<mode_t>(mode)), 0);
  }
  written({{"a/b", "2"}});
  for (const auto& [path, mode] : {std::pair{"/notes", 01777u}, {"/notes/deep", 0700u}, {"", 02750u}}) {
    struct stat is {};
    ASSERT_EQ(::stat((out + path).c_str(), &is), 0);
    EXPECT_EQ(is.st_mode & 07777u, mode) << path;
    EXPECT_EQ(is.st_uid, *path ? owner : ::geteuid()) << path;
  }
  EXPECT_EQ(read("notes/deep/mine"), "x");
}

TEST_P(TreeTest, IsAbandonedFromAnotherThread) {
  if (GetParam()) GTEST_SKIP() << "files come one at a time here in either case";
  written({{"a", "1"}});
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        Tree tree(out, options);
        tree.put("a", "test", "2");
        std::thread([&] {
          const bool gone = tree.abandon();
          ::_exit(gone && !fs::exists(folder + "/.out.clusterc-new") ? 3 : 4);
        }).detach();
        for (int i = 0;; ++i) tree.put("b" + std::to_string(i), "test", "2");
      },
      testing::ExitedWithCode(3), "");
  EXPECT_EQ(read("a"), "1");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  Tree tree(out, options);
  tree.put("a", "test", "2");
  tree.finish();
  EXPECT_FALSE(tree.abandon());  // too late
  EXPECT_EQ(read("a"), "2");
}

INSTANTIATE_TEST_SUITE_P(Files, TreeTest, testing::Values(false, true),
                         [](const auto& info) { return info.param ? "as_they_come" : "all_at_once"; });

TEST(Bundle, LinksStayInside) {
  Bundle b;
  b.link("a/b/c", "test", "../../d");
  b.link("a/b/d", "test", "e/f");
  for (const char* target : {"../../../d", "/etc/passwd", "", "..//d", "e/../f", "./e"})
    EXPECT_THROW(b.link("a/b/x", "test", target), std::logic_error) << target;
  EXPECT_EQ(b.files().size(), 2u);
}

TEST(Tree, LeftUnfinishedChangesNothing) {
  const std::string folder =
      fs::canonical(testing::TempDir()).string() + "/clusterc-tree-left-" + std::to_string(::getpid());
  fs::create_directories(folder);
  Bundle first;
  first.add("a/b", "o", "1");
  ASSERT_TRUE(write_tree(first, folder + "/out", {}).ok);
  {
    Tree tree(folder + "/out", {});
    tree.put("a/b", "o", "2");
    tree.put("c", "o", "3");
    EXPECT_TRUE(fs::exists(folder + "/.out.clusterc-new/c"));
  }
  EXPECT_FALSE(fs::exists(folder + "/.out.clusterc-new"));
  FileError error;
  EXPECT_EQ(read_file(folder + "/out/a/b", 100, error).value_or(""), "1");
  EXPECT_FALSE(fs::exists(folder + "/out/c"));
  fs::remove_all(folder);
}

// Files of a megabyte and more are told apart by their digest.
TEST(Tree, LargeFilesAreComparedToo) {
  const std::string folder =
      fs::canonical(testing::TempDir()).string() + "/clusterc-tree-large-" + std::to_string(::getpid());
  fs::create_directories(folder);
  const auto put = [&](char last) {
    Tree tree(folder + "/out", {});
    tree.put("large", "o", std::string(3 << 20, 'x') + last);
    return tree.finish();
  };
  EXPECT_EQ(put('a').written, 1u);
  EXPECT_EQ(put('a').unchanged, 1u);
  EXPECT_EQ(put('b').written, 1u);
  FileError error;
  std::string text = *read_file(folder + "/out/large", 1 << 23, error);
  EXPECT_EQ(text.back(), 'b');
  text[5] = 'y';
  ASSERT_TRUE(write_file(folder + "/out/large", text, error));
  EXPECT_EQ(put('c').hand_edited, Paths{"large"});
  fs::remove_all(folder);
}

TEST(Bundle, GivesItsFilesAway) {
  std::map<std::string, std::string> got;
  Bundle b(
      [&](const Bundle::File& file, std::string_view bytes) { EXPECT_TRUE(got.emplace(file.path, bytes).second); });
  for (int i = 0; i < 100; ++i)
    b.add("f" + std::to_string(i), "o", std::string(10000, static_cast<char>('a' + i % 26)));
  EXPECT_GT(got.size(), 20u);  // some on the way
  EXPECT_LT(b.files().size(), 80u);
  b.flush();
  ASSERT_EQ(got.size(), 100u);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(got["f" + std::to_string(i)], std::string(10000, static_cast<char>('a' + i % 26)));
}

TEST(Bundle, RefusesPathsThatLeaveTheTree) {
  for (const char* path : {"", "/etc/passwd", "../a", "a/../../b", "a//b", "a/", "./a"}) {
    Bundle b;
    EXPECT_THROW(b.add(path, "o", "x"), std::logic_error) << path;
  }
  Bundle twice;
  twice.add("a", "o", "1");
  twice.add("a", "o", "2");
  EXPECT_THROW(write_tree(twice, testing::TempDir() + "never-written", {}), std::logic_error);
}

}  // namespace
}  // namespace clusterc
