// Memory under test, of the host or of one GPU: written and compared by steps.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/pulse.h"
#include "harness/report.h"
#include "memtest/pattern.h"

namespace clusterc::memtest {

struct WrongWord {
  std::uint64_t offset = 0;  // bytes from the beginning of the memory under test
  std::uint64_t expected = 0, got = 0;
  std::uint64_t again = 0;  // read a second time, before anything was written
};

struct Wrong {
  std::uint64_t words = 0;         // that differed
  std::uint64_t again = 0;         // of them, that differed when they were read again: the memory holds them wrong
  std::uint64_t bits = 0;          // every bit that differed in any of them, when it was read again
  std::optional<WrongWord> first;  // of the lowest offset that was kept
  void add(const Wrong&);
};

class Memory {
 public:
  virtual ~Memory() = default;
  virtual harness::Device device() const = 0;
  virtual std::uint64_t words() const = 0;
  virtual std::uint64_t memory_bytes() const = 0;  // of the machine or the GPU, tested or not; 0: nobody says
  // Seconds. A sweep that did not reach every word throws CouldNotRun(device_error). What is compared stays as it is;
  // `replace` compares with `from` and writes `to` in the same sweep, word by word, upwards or downwards.
  virtual double fill(const Step&) = 0;
  virtual double compare(const Step&, Wrong&) = 0;
  virtual double replace(const Step& from, const Step& to, bool downwards, Wrong&) = 0;
  virtual void damage(std::uint64_t word) = 0;  // the fault build's: flips the lowest bit of a word
  virtual std::string address_of(
      std::uint64_t offset) const = 0;  // where that lies, as far as it can be known; empty: nobody says
  virtual std::string pci_address() const { return {}; }  // of a GPU: "0000:17:00.0"
  virtual std::vector<std::pair<std::string, harness::Parameter>> parameters() const = 0;
};

// `bytes` in whole pages. Throws CouldNotRun(not enough memory).
std::unique_ptr<Memory> open_host(std::uint64_t bytes, unsigned threads, harness::Pulse&);
std::unique_ptr<Memory> open_cuda(int gpu, std::optional<std::uint64_t> bytes,
                                  unsigned percent);  // builds with CUDA only

// What may be taken without pushing others out: MemAvailable, or what the control group leaves where that is less.
// proc(5), cgroup v2 memory.max and memory.current.
std::uint64_t free_memory(const std::filesystem::path& root = "/");

}  // namespace clusterc::memtest
