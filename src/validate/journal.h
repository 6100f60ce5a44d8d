// The journal of validation runs: append-only JSON lines. A line is written whole and is on the disk before the next
// test begins, so that a killed run loses at most the test that it was in, and the next run goes on behind it.
//
//   {"record":"journal","format":"clusterc-journal","version":1}
//   {"record":"run","cluster":…,"spec_sha256":…,"launcher":…,"program_version":…,"bundle_sha256":…,"options":…,
//   "started":…}   and, for --failed, "repeats":…
//   {"record":"test","id":…,"how":…,"error":…,"ended":…,"seconds":…,"tasks":[{"node":…,"claims":…,"broken":…,"lines":[…],
//   "complaints":[…],"stacks":[…]}]}   claims, broken, complaints, stacks: where there is something to say (TaskOutput)
//   {"record":"end","status":"complete"}
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "validate/journal_text.h"

namespace clusterc {

class Journal {
 public:
  // Opens for appending. A last run of the same owner that did not end is taken up (its tests are in done()) unless
  // `fresh`. nullopt with `error`: not writable, a file of another format or a newer version, or (unless `fresh`) a run
  // with results that was begun with other options and did not end. A cut last line is dropped. `now`: seconds since
  // 1970.
  static std::optional<Journal> open(const std::string& path, const JournalOwner&, std::int64_t now, bool fresh,
                                     std::string& error);
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;
  ~Journal();
  const std::vector<JournalTest>& done() const { return done_; }
  const std::string& refused() const { return refused_; }  // why a run that did not end is not taken up; empty: it is
  std::int64_t started() const { return started_; }        // of the run that goes on; seconds since 1970
  bool write(const JournalTest&);                          // false: the disk refused
  bool complete();

 private:
  Journal() = default;
  bool append(const std::string& line);
  int file_ = -1;
  std::vector<JournalTest> done_;
  std::string refused_;
  std::int64_t started_ = 0;
};

}  // namespace clusterc
