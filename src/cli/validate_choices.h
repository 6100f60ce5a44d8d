// What the options of `clusterc validate` choose: launcher, tests, folders.
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "launch/launcher.h"
#include "pipeline.h"
#include "validate/suite.h"

namespace clusterc::cli {

// UsageError for a name that is none, and for options of another launcher.
// `journal`: its path.
std::unique_ptr<Launcher> chosen_launcher(const po::variables_map&, const Run&, const std::string& journal,
                                          const std::atomic<bool>* interrupted);

struct ChosenSuite {
  std::vector<SuiteTest> suite;
  std::vector<SuiteTest> whole;  // with every node, stage and validator: what the spec demands is looked for in it
  std::string selection;         // the options that chose a part of it, or that change what a verdict is worth
  double budget = 0;             // seconds; 0: none
  double measurement = 0;        // seconds of each that the time budget chose; 0: as without a budget
};
ChosenSuite chosen_suite(const po::variables_map&, const Cluster&, const Plan&, const ExpectedFigures&);

// UsageError if the program of --hpl is not on this machine.
void require_hpl_here(const po::variables_map&);

// An option that names a folder of the nodes, of characters that no program reads as anything else; empty: not given.
std::string plain_folder(const po::variables_map&, const char* option);
// --copy-bundle; empty: not given.
std::string copy_folder(const po::variables_map&);

// Options that choose what runs and how, in one order however they were given: a run continues with the same ones only.
std::string options_of_run(const po::variables_map&);
// $XDG_STATE_HOME/clusterc/NAME-DIGEST.journal; its folder is made.
std::string default_journal(const std::string& cluster, const std::string& spec_digest);

}  // namespace clusterc::cli
