// The host back end: one thread a core, each with a slice of its own that it touched first; pages locked where we may.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/format.h"
#include "harness/fault.h"
#include "harness/loop.h"
#include "harness/machine.h"
#include "harness/team.h"
#include "memtest/backend.h"

namespace clusterc::memtest {
namespace fs = std::filesystem;
using namespace harness;

void Wrong::add(const Wrong& other) {
  words += other.words;
  again += other.again;
  bits |= other.bits;
  if (other.first && (!first || other.first->offset < first->offset)) first = other.first;
}

namespace {

constexpr std::size_t kPiece = 4096;  // words between two looks at the signals

class HostMemory final : public Memory {
 public:
  HostMemory(std::uint64_t bytes, std::vector<int> cpus, Pulse& pulse)
      : bytes_(bytes), pulse_(pulse), team_(std::move(cpus)), wrong_(team_.size()) {
    void* const at =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
      throw CouldNotRun(Cause::no_memory, format("{} were refused", bytes_text(static_cast<double>(bytes_))));
    words_ = static_cast<std::uint64_t*>(at);
    ::madvise(at, bytes_, MADV_DONTFORK);
    // As pages are touched, so that each lies near the thread that tests it. Without the right to lock, the kernel may
    // swap pages, and what is read back is then the swap device's.
    locked_ = ::mlock2(at, bytes_, MLOCK_ONFAULT) == 0;
  }
  ~HostMemory() override { ::munmap(words_, bytes_); }

  Device device() const override { return {.backend = Backend::host, .label = "host", .name = cpu_model()}; }
  std::uint64_t words() const override { return bytes_ / 8; }
  std::uint64_t memory_bytes() const override {
    return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  }

  double fill(const Step& step) override {
    return sweep(false, [&](unsigned, std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) words_[i] = word_of(step, i);
    });
  }
  double compare(const Step& step, Wrong& wrong) override {
    const double seconds = sweep(false, [&](unsigned rank, std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) check(rank, i, word_of(step, i));
    });
    collect(wrong);
    return seconds;
  }
  double replace(const Step& from, const Step& to, bool downwards, Wrong& wrong) override {
    const double seconds = sweep(downwards, [&](unsigned rank, std::uint64_t begin, std::uint64_t end) {
      const auto one = [&](std::uint64_t i) {
        check(rank, i, word_of(from, i));
        words_[i] = word_of(to, i);
      };
      if (downwards)
        for (std::uint64_t i = end; i-- > begin;) one(i);
      else
        for (std::uint64_t i = begin; i < end; ++i) one(i);
    });
    collect(wrong);
    return seconds;
  }
  void damage(std::uint64_t word) override { fault_flip_bit(words_, word * 8); }

  // The virtual address, and the physical one where the kernel tells it (root): proc_pid_pagemap(5), bits 0 to 54 of an
  // entry of 8 bytes a page.
  std::string address_of(std::uint64_t offset) const override {
    const auto address = reinterpret_cast<std::uintptr_t>(words_) + offset;
    std::string out = format("virtual 0x{:x}", address);
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const int file = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    std::uint64_t entry = 0;
    if (file >= 0 && ::pread(file, &entry, sizeof entry, static_cast<off_t>(address / page * 8)) == sizeof entry &&
        entry >> 63 != 0 && (entry & ((1ull << 55) - 1)) != 0) {
      out += format(", physical 0x{:x}", (entry & ((1ull << 55) - 1)) * page + address % page);
    }
    if (file >= 0) ::close(file);
    return out;
  }
  std::vector<std::pair<std::string, Parameter>> parameters() const override {
    return {{"threads", std::uint64_t{team_.size()}}, {"threads_bound", team_.bound()}, {"locked", locked_}};
  }

 private:
  struct alignas(64) Mine {
    Wrong wrong;
  };

  template <class Work>
  double sweep(bool downwards, const Work& work) {
    const double seconds = team_.run([&](unsigned rank) {
      const auto [begin, end] = slice_of(words(), rank, team_.size(), kPiece);
      for (std::uint64_t done = 0; begin + done < end; done += kPiece) {
        if (interrupted()) return;
        const std::uint64_t from = downwards ? end - std::min<std::uint64_t>(done + kPiece, end - begin) : begin + done;
        work(rank, from, std::min<std::uint64_t>(from + kPiece, downwards ? end - done : end));
      }
    });
    check_interrupted();
    pulse_.beat();
    return seconds;
  }
  void check(unsigned rank, std::uint64_t i, std::uint64_t want) {
    const std::uint64_t got = words_[i];
    if (got == want) [[likely]]
      return;
    const std::uint64_t again = *static_cast<volatile const std::uint64_t*>(words_ + i);
    wrong_[rank].wrong.add(
        {.words = 1, .again = again != want, .bits = again ^ want, .first = WrongWord{i * 8, want, got, again}});
  }
  void collect(Wrong& wrong) {
    for (Mine& mine : wrong_) {
      wrong.add(mine.wrong);
      mine.wrong = {};
    }
  }

  std::uint64_t bytes_;
  Pulse& pulse_;
  std::uint64_t* words_ = nullptr;
  bool locked_ = false;
  Team team_;
  std::vector<Mine> wrong_;
};

}  // namespace

std::uint64_t free_memory(const fs::path& root) {
  std::uint64_t least = available_memory(root);
  // "0::/system.slice/job.scope": the only line of a machine with the unified tree; with others beside it the limits
  // lie elsewhere and are not known.
  std::string group = read_text(root / "proc/self/cgroup").value_or("");
  if (!group.starts_with("0::/") || group.find('\n') != group.npos) return least;
  for (fs::path folder = root / "sys/fs/cgroup" / group.substr(4);; folder = folder.parent_path()) {
    const auto most = read_number(folder / "memory.max"),
               used = read_number(folder / "memory.current");  // "max" is no number
    if (most && used) least = std::min(least, static_cast<std::uint64_t>(std::max<std::int64_t>(*most - *used, 0)));
    if (folder == root / "sys/fs/cgroup" || folder == folder.parent_path()) return least;
  }
}

std::unique_ptr<Memory> open_host(std::uint64_t bytes, unsigned threads, Pulse& pulse) {
  std::vector<int> cpus;
  for (const NumaNode& node : numa_nodes(allowed_cpus())) cpus.insert(cpus.end(), node.cpus.begin(), node.cpus.end());
  if (cpus.empty()) throw CouldNotRun(Cause::system, "the kernel names no processor that this process may use");
  if (threads > 0) {
    const std::vector<int> all = cpus;
    cpus.resize(threads);
    for (unsigned i = 0; i < threads; ++i) cpus[i] = all[i % all.size()];
  }
  if (available_memory() == 0)
    throw CouldNotRun(Cause::system,
                      "the kernel does not say how much memory is available: /proc/meminfo cannot be read");
  const std::uint64_t free = free_memory();
  if (bytes > free)
    throw CouldNotRun(Cause::no_memory,
                      format("{} are to be tested, {} are available", bytes_text(static_cast<double>(bytes)),
                             bytes_text(static_cast<double>(free))));
  return std::make_unique<HostMemory>(std::max<std::uint64_t>(bytes / 4096, 1) * 4096, std::move(cpus), pulse);
}

}  // namespace clusterc::memtest
