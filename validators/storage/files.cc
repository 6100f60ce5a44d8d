#include "storage/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include "base/format.h"
#include "harness/fault.h"
#include "harness/inputs.h"
#include "harness/loop.h"
#include "harness/outcome.h"
#include "storage/place.h"

namespace clusterc::storage {
using namespace harness;
namespace {

constexpr std::size_t kPiece =
    16u << 20;  // bytes of one write: what checkpoint libraries hand to the kernel at once is larger
constexpr std::size_t kWords = kPiece / 8, kStamp = 512;  // a stamp in each 4 KiB
constexpr std::size_t kAlign = 4096;                      // of buffers for direct transfers

// The first failure of any thread of a team, whose work may not throw.
class Failure {
 public:
  bool seen() const { return seen_.load(); }
  void at(const char* what, const std::string& path, int error) {
    const std::lock_guard lock(mutex_);
    if (seen_.exchange(true)) return;
    error_ = error;
    text_ = format("{} '{}': {}", what, path, std::strerror(error));
  }
  void raise() const {
    check_interrupted();
    if (!seen_) return;
    throw CouldNotRun(error_ == ENOSPC || error_ == EDQUOT ? Cause::no_space
                      : error_ == EROFS                    ? Cause::read_only
                                                           : Cause::system,
                      text_);
  }

 private:
  std::atomic<bool> seen_{false};
  std::mutex mutex_;
  int error_ = 0;
  std::string text_;
};

class File {
 public:
  File(const std::string& path, int flags) : at_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (at_ >= 0) ::close(at_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int at() const { return at_; }

 private:
  int at_;
};

struct Aligned {
  explicit Aligned(std::size_t bytes) : at(static_cast<std::uint64_t*>(std::aligned_alloc(kAlign, bytes))) {
    if (!at) throw std::bad_alloc();
  }
  ~Aligned() { std::free(at); }
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;
  std::uint64_t* const at;
};

std::uint64_t stamp_of(std::uint64_t generation, std::uint64_t piece, std::size_t word) {
  return generation << 48 ^ piece << 20 ^ word;
}

void stamp(std::uint64_t* words, std::uint64_t generation, std::uint64_t piece) {
  for (std::size_t word = 0; word < kWords; word += kStamp) words[word] = stamp_of(generation, piece, word);
}

void sync_folder(const std::string& folder, Failure& failure) {
  const File file(folder, O_RDONLY | O_DIRECTORY);
  if (file.at() < 0 || (::fsync(file.at()) != 0 && errno != EINVAL))
    failure.at("flushing", folder, errno);  // some file systems have nothing to flush
}

}  // namespace

Metadata::Metadata(std::string folder, Team& team, unsigned files_each, Pulse& pulse)
    : folder_(std::move(folder)), team_(team), each_(files_each), pulse_(pulse) {
  for (unsigned rank = 0; rank < team_.size(); ++rank)
    if (::mkdir(folder_of(rank).c_str(), 0700) != 0)
      throw CouldNotRun(errno == ENOSPC || errno == EDQUOT ? Cause::no_space : Cause::system,
                        format("'{}': {}", folder_of(rank), std::strerror(errno)));
}

Metadata::~Metadata() {
  for (unsigned rank = 0; rank < team_.size(); ++rank) ::rmdir(folder_of(rank).c_str());
}

std::string Metadata::folder_of(unsigned rank) const { return format("{}/metadata-{}", folder_, rank); }

Metadata::Times Metadata::once() {
  Times times;
  Failure failure;
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::vector<std::string>> names(team_.size());
  for (unsigned rank = 0; rank < team_.size(); ++rank)
    for (unsigned i = 0; i < each_; ++i) names[rank].push_back(format("{}/f{}", folder_of(rank), i));
  const auto each = [&](const char* what, const auto& operation) {
    const double seconds = team_.run([&](unsigned rank) {
      for (const std::string& name : names[rank]) {
        if (failure.seen() || interrupted()) return;
        if (!operation(name)) failure.at(what, name, errno);
        pulse_.beat();
      }
    });
    failure.raise();
    return seconds;
  };
  times.create =
      each("making", [](const std::string& name) { return File(name, O_WRONLY | O_CREAT | O_EXCL).at() >= 0; });
  // What readdir lists is what was made, no more and no less.
  for (unsigned rank = 0; rank < team_.size(); ++rank) {
    std::set<std::string> listed;
    DIR* const folder = ::opendir(folder_of(rank).c_str());
    if (!folder) throw CouldNotRun(Cause::system, format("'{}': {}", folder_of(rank), std::strerror(errno)));
    while (const dirent* entry = ::readdir(folder))
      if (entry->d_name[0] != '.') listed.insert(entry->d_name);
    ::closedir(folder);
    if (kFaultBuild && rank == 0 && wrong_ == 0 && checked_ == 0) listed.erase("f0"), listed.insert("f1");
    for (unsigned i = 0; i < each_; ++i) wrong += !listed.contains(format("f{}", i));
    wrong += listed.size() > each_ ? listed.size() - each_ : 0;
  }
  times.stat = each("looking at", [&](const std::string& name) {
    struct stat status {};
    if (::stat(name.c_str(), &status) != 0) return false;
    wrong += !S_ISREG(status.st_mode) || status.st_size != 0;
    return true;
  });
  times.unlink = each("removing", [](const std::string& name) { return ::unlink(name.c_str()) == 0; });
  team_.run([&](unsigned rank) {
    for (const std::string& name : names[rank]) wrong += ::access(name.c_str(), F_OK) == 0;
  });
  checked_ += 3 * files();
  wrong_ += wrong;
  return times;
}

Checkpoint::Checkpoint(std::string folder, Team& team, std::uint64_t shard_bytes, bool direct, std::uint64_t seed,
                       Pulse& pulse)
    : folder_(std::move(folder)),
      team_(team),
      shard_(std::max<std::uint64_t>(shard_bytes / kPiece, 1) * kPiece),
      direct_(direct),
      seed_(seed),
      pulse_(pulse),
      pattern_(team.size()) {
  team_.run([&](unsigned rank) {
    pattern_[rank].resize(kWords);
    for (std::size_t i = 0; i < kWords; ++i) pattern_[rank][i] = random_bits(stream_seed(seed_, rank), i);
  });
}

std::string Checkpoint::shard_of(unsigned rank, bool temporary) const {
  return format("{}/shard-{}{}", folder_, rank, temporary ? ".tmp" : "");
}

double Checkpoint::write() {
  ++generation_;
  Failure failure;
  const double seconds = team_.run([&](unsigned rank) {
    const std::string path = shard_of(rank, true);
    const File file(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (file.at() < 0) return failure.at("making", path, errno);
    for (std::uint64_t piece = 0; piece < shard_ / kPiece; ++piece) {
      stamp(pattern_[rank].data(), generation_, piece);
      const char* at = reinterpret_cast<const char*>(pattern_[rank].data());
      for (std::size_t left = kPiece; left > 0;) {
        if (failure.seen() || interrupted()) return;
        const ssize_t wrote = ::write(file.at(), at, left);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return failure.at("writing", path, wrote == 0 ? EIO : errno);
        at += wrote;
        left -= static_cast<std::size_t>(wrote);
        pulse_.beat();
      }
    }
    if (::fsync(file.at()) != 0) return failure.at("flushing", path, errno);
    if (::rename(path.c_str(), shard_of(rank, false).c_str()) != 0) failure.at("renaming", path, errno);
    sync_folder(folder_, failure);
    pulse_.beat();
  });
  failure.raise();
  return seconds;
}

void Checkpoint::forget() {
  cached_ = 0;
  for (unsigned rank = 0; rank < team_.size(); ++rank) {
    const std::string path = shard_of(rank, false);
    const File file(path, O_RDONLY);
    if (file.at() >= 0) ::posix_fadvise(file.at(), 0, 0, POSIX_FADV_DONTNEED);
    cached_ = std::max(cached_, cached_share(path).value_or(0));
  }
}

double Checkpoint::read() {
  forget();
  Failure failure;
  std::vector<std::unique_ptr<Aligned>> buffers;
  for (unsigned rank = 0; rank < team_.size(); ++rank) buffers.push_back(std::make_unique<Aligned>(kPiece));
  const double seconds = team_.run([&](unsigned rank) {
    const std::string path = shard_of(rank, false);
    const File file(path, O_RDONLY);
    if (file.at() < 0) return failure.at("opening", path, errno);
    ::posix_fadvise(file.at(), 0, 0, POSIX_FADV_SEQUENTIAL);
    for (std::uint64_t left = shard_; left > 0;) {
      if (failure.seen() || interrupted()) return;
      const ssize_t got = ::read(file.at(), buffers[rank]->at, kPiece);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return failure.at("reading", path, got == 0 ? ENODATA : errno);
      left -= static_cast<std::uint64_t>(got);
      pulse_.beat();
    }
  });
  failure.raise();
  return seconds;
}

std::uint64_t Checkpoint::count_wrong(std::string& where) {
  forget();
  Failure failure;
  std::vector<std::unique_ptr<Aligned>> buffers;
  for (unsigned rank = 0; rank < team_.size(); ++rank) buffers.push_back(std::make_unique<Aligned>(kPiece));
  std::vector<std::uint64_t> wrong(team_.size());
  std::vector<std::string> first(team_.size());
  team_.run([&](unsigned rank) {
    const std::string path = shard_of(rank, false);
    const File file(path, O_RDONLY | (direct_ ? O_DIRECT : 0));
    if (file.at() < 0) return failure.at("opening", path, errno);
    std::uint64_t* const words = buffers[rank]->at;
    for (std::uint64_t piece = 0; piece < shard_ / kPiece; ++piece) {
      for (std::size_t have = 0; have < kPiece;) {
        if (failure.seen() || interrupted()) return;
        const ssize_t got = ::pread(file.at(), reinterpret_cast<char*>(words) + have, kPiece - have,
                                    static_cast<off_t>(piece * kPiece + have));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return failure.at("reading", path, got == 0 ? ENODATA : errno);
        have += static_cast<std::size_t>(got);
        pulse_.beat();
      }
      if (rank == 0 && piece == 0) fault_flip_bit(words, kPiece / 2);
      stamp(pattern_[rank].data(), generation_, piece);
      for (std::size_t i = 0; i < kWords; ++i) {
        if (words[i] == pattern_[rank][i]) continue;
        if (wrong[rank]++ == 0) first[rank] = format("shard-{} at {}", rank, piece * kPiece + i * 8);
      }
    }
  });
  failure.raise();
  std::uint64_t sum = 0;
  for (unsigned rank = 0; rank < team_.size(); ++rank) {
    sum += wrong[rank];
    if (where.empty()) where = first[rank];
  }
  return sum;
}

}  // namespace clusterc::storage
