// bare_tree TREE COPY: writes the files of TREE again under COPY, and reads them, with nothing but the system calls
// that this takes, and prints the CPU time of both as JSON, in microseconds: what any program pays the kernel for such
// a tree. The bytes are in memory before.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

long long cpu_us() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto us = [](const timeval& t) { return t.tv_sec * 1'000'000LL + t.tv_usec; };
  return us(used.ru_utime) + us(used.ru_stime);
}

struct Entry {
  std::string path, bytes;  // of a link: where it points to
  bool folder = false, link = false;
};

[[noreturn]] void fail(const std::string& path) {
  std::perror(path.c_str());
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: bare_tree TREE COPY\n", stderr);
    return 2;
  }
  std::vector<Entry> entries;
  std::size_t largest = 0;
  for (const auto& found : std::filesystem::recursive_directory_iterator(argv[1])) {
    Entry& e = entries.emplace_back(Entry{found.path().lexically_relative(argv[1]).string(),
                                          {},
                                          !found.is_symlink() && found.is_directory(),
                                          found.is_symlink()});
    if (e.folder) continue;
    if (e.link) {
      e.bytes = std::filesystem::read_symlink(found.path()).string();
      largest = std::max(largest, e.bytes.size());
      continue;
    }
    std::ifstream file(found.path(), std::ios::binary);
    e.bytes.assign(std::istreambuf_iterator<char>(file), {});
    largest = std::max(largest, e.bytes.size());
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });

  if (::mkdir(argv[2], 0777) != 0) fail(argv[2]);
  const int root = ::open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) fail(argv[2]);
  const long long begin = cpu_us();
  for (const Entry& e : entries) {
    if (e.folder) {
      if (::mkdirat(root, e.path.c_str(), 0777) != 0) fail(e.path);
      continue;
    }
    if (e.link) {
      if (::symlinkat(e.bytes.c_str(), root, e.path.c_str()) != 0) fail(e.path);
      continue;
    }
    const int file = ::openat(root, e.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0 || ::write(file, e.bytes.data(), e.bytes.size()) != static_cast<ssize_t>(e.bytes.size()) ||
        ::close(file) != 0)
      fail(e.path);
  }
  const long long written = cpu_us();
  std::string buffer(largest + 1, '\0');
  for (const Entry& e : entries) {
    if (e.folder) continue;
    if (e.link) {
      if (::readlinkat(root, e.path.c_str(), buffer.data(), buffer.size()) != static_cast<ssize_t>(e.bytes.size()))
        fail(e.path);
      continue;
    }
    const int file = ::openat(root, e.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 || ::read(file, buffer.data(), buffer.size()) != static_cast<ssize_t>(e.bytes.size()) ||
        ::close(file) != 0)
      fail(e.path);
  }
  const long long read = cpu_us();
  std::printf("{ \"write_us\": %lld, \"read_us\": %lld, \"entries\": %zu }\n", written - begin, read - written,
              entries.size());
  return 0;
}
