// The suite of four virtual machines, run through the launcher of these tests, with a folder for its journal.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "unit/model/examples.h"
#include "unit/validate/fake_launcher.h"

namespace clusterc::test {

class Suite : public ::testing::Test {
 protected:
  void SetUp() override {
    resolved.example("four-virtual");
    ASSERT_TRUE(resolved.cluster);
    expected = expect_figures(*resolved.cluster, plan_cluster(*resolved.cluster));
    suite = plan_suite(*resolved.cluster, expected, {.seconds = 0.5});
    std::erase_if(suite, [](const SuiteTest& t) { return t.stage == SuiteStage::pair; });  // stages_test.cc has them
    folder = std::filesystem::temp_directory_path() / ("clusterc-run-test-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Report run(const ValidateOptions& options = {}) {
    return run_suite(*resolved.cluster, expected, suite, launcher, options);
  }
  // Without gates: what failed stays in use.
  static ValidateOptions ungated() {
    ValidateOptions options;
    options.keep_going = true;
    return options;
  }
  ValidateOptions journalled() {
    return {
        .journal = folder / "j", .spec_digest = "d", .program_version = "0.1.0", .bundle_digest = "b", .clock = [this] {
          return now;
        }};
  }
  // A run that ended behind the probe: its journal, as it lies there.
  std::string stopped_journal() {
    std::atomic<bool> interrupted{false};
    launcher.interrupt_in_memory = &interrupted;
    ValidateOptions options = journalled();
    options.interrupted = &interrupted;
    EXPECT_TRUE(run(options).interrupted);
    launcher.interrupt_in_memory = nullptr;
    launcher.started.clear();
    std::ifstream in(folder / "j");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::vector<const Judged*> of(const Report& r, std::string_view node) {
    std::vector<const Judged*> out;
    for (const Judged& j : r.verdicts)
      if (j.node == node) out.push_back(&j);
    return out;
  }

  Resolved resolved;
  ExpectedFigures expected;
  std::vector<SuiteTest> suite;
  FakeLauncher launcher;
  std::filesystem::path folder;
  std::int64_t now = 1'000'000'000;  // 2001-09-09T01:46:40Z
};

}  // namespace clusterc::test
