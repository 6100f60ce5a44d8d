// Runs the suite through a launcher, judges it, and keeps a journal from which a killed run goes on.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "launch/launcher.h"
#include "validate/bundle_check.h"
#include "validate/inventory.h"
#include "validate/judge.h"
#include "validate/pair_search.h"
#include "validate/suite.h"

namespace clusterc {

struct ValidateOptions {
  const std::vector<SuiteTest>* whole_suite = nullptr;  // where only a part of it runs; null: all of it does
  const struct EarlierReport* earlier = nullptr;        // what failed in it is repeated (validate/repeat.h); null: none
  std::string bundle;                                   // folder of the validators, the same path on every node
  BundleFiles bundle_files;  // of the validators here, which each node has to have; empty: not compared
  std::string copy_from;  // folder here whose validators are copied into `bundle` of each node; empty: they are there
  std::string journal;    // path; empty: none
  bool tell_journal = false;  // say where results are kept, once nothing refuses the run
  std::string spec_digest;
  std::string program_version;          // of clusterc
  std::string bundle_digest;            // of the validators' files
  std::function<std::int64_t()> clock;  // seconds since 1970; absent: it is always 1970
  std::function<double()> stopwatch;    // seconds since some moment; absent: no duration is measured
  std::string options;                  // as JournalOwner has them
  std::string selection;                // options that chose a part, or change what a verdict is worth: "--stage node"
  const Plan* plan = nullptr;           // with it the pair stage searches for culprits
  std::string spec = "SPEC";            // as a shell takes it: for commands that repeat a measurement
  double time_budget = 0;               // seconds; 0: none. Rounds of confirmation that have no room are left out
  bool keep_going = false;              // nodes that failed a stage stay in use
  bool fresh = false;                   // begin anew even if the journal's last run was cut off
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(const std::string&)> progress;   // one line when a test begins or ends
  std::function<bool(const struct Report&)> deliver;  // before the journal says that the run has ended; false: it does
                                                      // not, and the next run takes all from it
};

// What the processes of a test were doing when its time was over, line by line.
struct TestStacks {
  std::string test, node;
  std::vector<std::string> lines;
};

struct NodeProbe {
  std::string node, json;
};

// A figure that `targets` of the spec names, and what became of it.
struct Demand {
  std::string metric, group, scope;      // as expected; no group: the whole cluster
  std::size_t measured = 0, passed = 0;  // verdicts on it, and those that pass
  bool met = false;                      // at least one verdict, and all of them pass
  std::string why;                       // not met: the first reason
};

struct Report {
  std::string error;  // could not run at all; everything else is empty then
  std::string cluster, launcher;
  std::string journal;               // path, as given
  std::string journal_refused;       // why an unfinished run in it does not count; empty: none was found, or it counts
  std::int64_t journal_started = 0;  // of the run that goes on, seconds since 1970
  std::int64_t started = 0;          // of this run
  std::int64_t ended = 0;            // when the last test of this run had ended
  double took = 0;                   // seconds of this run up to there; 0: not measured
  std::string program_version, bundle_digest;
  std::string selection;                 // as given; empty: the whole suite, as it is
  std::vector<std::string> left_out;     // tests that the time budget has no room for: the run is not passed
  std::vector<std::string> derivations;  // texts that many verdicts share: Judged::derivation is a place in it
  std::int32_t place_of(std::string_view derivation);
  std::string_view derivation_of(const Judged& j) const {
    return j.derivation < 0 ? std::string_view() : derivations[static_cast<std::size_t>(j.derivation)];
  }
  std::vector<Judged> verdicts;  // in suite order, then node, then metric
  std::vector<NodeProbe> probes;
  std::vector<NodeFacts> earlier_nodes;  // of nodes that were not probed again
  std::int64_t repeats = 0;            // --failed: when the run began whose failures are repeated; 0: a run of its own
  std::vector<SearchReport> searches;  // for culprits, in the pairs of each group
  std::vector<TestStacks> stacks;      // of tests whose time was over
  std::map<std::string, double, std::less<>> seconds;  // that a test took, with its start; not there: not measured
  std::vector<Demand> demands;                         // each figure that the spec demands
  bool interrupted = false;
  bool whole = false;                // every test of the cluster ran, each on all of its nodes
  std::vector<std::string> not_run;  // tests of the cluster that did not, or not on all nodes: "gpu/hpl (2 of 8 nodes)"
  std::size_t resumed = 0;           // tests taken from the journal
  std::size_t count(Verdict) const;
  bool ran_something() const;  // false: no test was chosen, or all of them were skipped. The verdict: run_verdict.h
};

Launch launch_of(const SuiteTest&, const std::string& bundle, std::vector<std::string> nodes);

Report run_suite(const Cluster&, const ExpectedFigures&, const std::vector<SuiteTest>&, const Launcher&,
                 const ValidateOptions&);

}  // namespace clusterc
