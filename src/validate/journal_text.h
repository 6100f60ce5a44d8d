// What a journal means: which of its results may stand for results of a run that begins now. Pure; the file is
// Journal's business.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launcher.h"

namespace clusterc {

// Of what results are: where one of these differs, an earlier result says nothing of today's.
struct JournalOwner {
  std::string cluster, spec_digest, launcher;
  std::string program_version;  // of clusterc, with which its validators come
  std::string bundle_digest;    // of the validators' files
  std::string repeats;          // when the run began whose failures this one repeats; empty: it repeats none
  std::string options;          // that choose what runs, and how: "--stage soak --soak 8h"
};

struct JournalTest {
  std::string id;
  std::string how;  // arguments and nodes: a test that would run otherwise now is no longer the same
  std::string error;
  std::vector<TaskOutput> tasks;
  std::int64_t ended = 0;  // seconds since 1970
  double seconds = 0;      // that it took; 0: not measured
};

struct JournalText {
  bool ours = false;      // it is a journal (or empty)
  std::string newer;      // its version, where it is newer than ours
  bool open_run = false;  // its last run did not end and counts: `done` has its tests
  std::string refused;    // why its last run does not count, though it did not end: "it was of another spec (…)"
  // Its last run did not end, counts, has results, and was begun with other options: these. It is neither gone on with
  // nor given up unless somebody says so.
  std::optional<std::string> other_options;
  std::int64_t started = 0;  // of that run, seconds since 1970
  std::vector<JournalTest> done;
};

// `lines`: whole lines only. A run whose lines are not all as Journal writes them does not count, nor does one of dates
// that are yet to come (`now`) or that contradict each other.
JournalText read_journal(std::string_view lines, const JournalOwner&, std::int64_t now);

std::string journal_run_line(const JournalOwner&, std::int64_t started);
std::string journal_test_line(const JournalTest&);

}  // namespace clusterc
