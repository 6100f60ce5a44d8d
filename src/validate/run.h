// Runs the suite through a launcher, judges it, and keeps a journal from which a killed run goes on.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "launch/launcher.h"
#include "validate/bundle_check.h"
#include "validate/judge.h"
#include "validate/suite.h"

namespace clusterc {

struct ValidateOptions {
  std::string bundle;        // folder of the validators, the same path on every node
  BundleFiles bundle_files;  // of the validators here, which each node has to have; empty: not compared
  std::string copy_from;  // folder here whose validators are copied into `bundle` of each node; empty: they are there
  std::string journal;    // path; empty: none
  std::string spec_digest;
  std::string program_version;          // of clusterc
  std::string bundle_digest;            // of the validators' files
  std::function<std::int64_t()> clock;  // seconds since 1970; absent: it is always 1970
  std::string selection;                // what was asked for in place of the whole suite: "--stage node --nodes n[1-2]"
  bool keep_going = false;              // nodes that failed a stage stay in use
  bool fresh = false;                   // begin anew even if the journal's last run was cut off
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(const std::string&)> progress;   // one line when a test begins or ends
  std::function<bool(const struct Report&)> deliver;  // before the journal says that the run has ended; false: it does
                                                      // not, and the next run takes all from it
};

struct NodeProbe {
  std::string node, json;
};

struct Report {
  std::string error;  // could not run at all; everything else is empty then
  std::string cluster, launcher;
  std::string journal;               // path, as given
  std::string journal_refused;       // why an unfinished run in it does not count; empty: none was found, or it counts
  std::int64_t journal_started = 0;  // of the run that goes on, seconds since 1970
  std::int64_t started = 0;          // of this run
  std::string program_version, bundle_digest;
  std::string selection;              // as given; empty: the whole suite
  std::vector<std::string> left_out;  // tests that the time budget has no room for: the run is not passed
  std::vector<Judged> verdicts;       // in suite order, then node, then metric
  std::vector<NodeProbe> probes;
  bool interrupted = false;
  std::size_t resumed = 0;  // tests taken from the journal
  std::size_t count(Verdict) const;
  // Passed: nothing was found (no fail, error or degraded), and everything that the spec's targets name passed.
  // Unjudged and skipped are no passes: they are told apart, counted, and do not fail a run whose spec did not demand
  // them.
  bool passed() const;
};

Launch launch_of(const SuiteTest&, const std::string& bundle, std::vector<std::string> nodes);

Report run_suite(const Cluster&, const ExpectedFigures&, const std::vector<SuiteTest>&, const Launcher&,
                 const ValidateOptions&);

}  // namespace clusterc
