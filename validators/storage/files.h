// What fio does not do: the rate of metadata operations, and a checkpoint written and read as a training job does it.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/pulse.h"
#include "harness/team.h"

namespace clusterc::storage {

// Makes, looks at and removes empty files, each thread in a folder of its own. Every name is checked: there after it
// was made, gone after it was removed.
class Metadata {
 public:
  Metadata(std::string folder, harness::Team&, unsigned files_each, harness::Pulse&);
  ~Metadata();
  struct Times {
    double create = 0, stat = 0, unlink = 0;
  };             // seconds of the slowest thread
  Times once();  // throws CouldNotRun
  std::uint64_t files() const { return std::uint64_t{each_} * team_.size(); }
  std::uint64_t checked() const { return checked_; }
  std::uint64_t wrong() const { return wrong_; }

 private:
  std::string folder_of(unsigned rank) const;
  std::string folder_;
  harness::Team& team_;
  unsigned each_;
  harness::Pulse& pulse_;
  std::uint64_t checked_ = 0, wrong_ = 0;
};

// One shard a thread, written in large pieces through the page cache, flushed (fsync), then renamed over the one before
// it, as checkpoint libraries do; read back in order. The content comes from a counter, so that whoever reads makes it
// again.
class Checkpoint {
 public:
  Checkpoint(std::string folder, harness::Team&, std::uint64_t shard_bytes, bool direct, std::uint64_t seed,
             harness::Pulse&);
  double write();                            // seconds from the first open to the last rename
  double read();                             // seconds; the page cache is asked to forget the shards first
  double cached() const { return cached_; }  // largest share of a shard that the page cache held before a read
  std::uint64_t bytes() const { return shard_ * team_.size(); }
  // Reads all shards past the page cache where that can be done, and compares every byte; the number of wrong 8-byte
  // words, the first place in `where`.
  std::uint64_t count_wrong(std::string& where);

 private:
  std::string shard_of(unsigned rank, bool temporary) const;
  void forget();
  std::string folder_;
  harness::Team& team_;
  std::uint64_t shard_;
  bool direct_;
  std::uint64_t seed_;
  harness::Pulse& pulse_;
  double cached_ = 0;
  std::vector<std::vector<std::uint64_t>>
      pattern_;  // of each thread: one piece; each piece written is this with its number in every 512th word
  unsigned generation_ = 0;
};

}  // namespace clusterc::storage
