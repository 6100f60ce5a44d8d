// The journal of validation runs: append-only JSON lines. A line is written whole and is on the disk before the next
// test begins, so that a killed run loses at most the test that it was in, and the next run goes on behind it.
//
//   {"record":"journal","format":"clusterc-journal","version":1}
//   {"record":"run","cluster":…,"spec_sha256":…,"launcher":…,"started":…}
//   {"record":"test","id":…,"how":…,"error":…,"tasks":[{"node":…,"lines":[…],"complaints":[…]}]}   complaints: where it
//   ended badly
//   {"record":"end","status":"complete"}
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "launch/launcher.h"

namespace clusterc {

struct JournalTest {
  std::string id;
  std::string how;  // arguments and nodes: a test that would run otherwise now is no longer the same
  std::string error;
  std::vector<TaskOutput> tasks;
};

class Journal {
 public:
  // Opens for appending. A last run of the same spec and launcher that did not end is taken up (its tests are in
  // done()) unless `fresh`. nullopt with `error`: not writable, or a file of another format or a newer version. A cut
  // last line is dropped.
  static std::optional<Journal> open(const std::string& path, const std::string& cluster,
                                     const std::string& spec_digest, const std::string& launcher,
                                     const std::string& started, bool fresh, std::string& error);
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;
  ~Journal();
  const std::vector<JournalTest>& done() const { return done_; }
  bool write(const JournalTest&);  // false: the disk refused
  bool complete();

 private:
  Journal() = default;
  bool append(const std::string& line);
  int file_ = -1;
  std::vector<JournalTest> done_;
};

}  // namespace clusterc
