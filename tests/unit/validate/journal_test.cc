// What the journal does with a run: it goes on where it stopped, and takes over nothing that it should not.
#include "validate/journal.h"

#include <sys/stat.h>

#include "base/text.h"
#include "base/utc.h"
#include "unit/validate/suite_fixture.h"
#include "validate/run_verdict.h"

namespace clusterc {
namespace {

using test::put;
using test::Suite;

// A run that was stopped, with a result in its journal that somebody changed.
TEST_F(Suite, WhatTheJournalBringsBackIsHeldAgainstItselfToo) {
  std::atomic<bool> interrupted{false};
  launcher.interrupt_in_memory = &interrupted;
  ValidateOptions options = journalled();
  options.interrupted = &interrupted;
  run(options);
  std::ifstream in(folder / "j");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  ASSERT_NE(text.find(R"(\"validator\":\"probe\",\"host\":\"n1\")"), std::string::npos) << text;
  put(text, R"(\"validator\":\"probe\",\"host\":\"n1\")", R"(\"validator\":\"probe\",\"host\":\"n4\")");
  std::ofstream(folder / "j") << text;
  launcher.interrupt_in_memory = nullptr;
  const Report r = run(journalled());
  EXPECT_EQ(r.resumed, 1u);
  EXPECT_FALSE(is_good(run_verdict(r)));
  ASSERT_FALSE(of(r, "n1").empty());
  EXPECT_EQ(of(r, "n1").front()->reason, "contradictory: the result of this node names 'n4' as its host");
}

// What was ended because it printed without end is measured again by the run that goes on.
TEST_F(Suite, WhatPrintedTooMuchRunsAgain) {
  launcher.broken = {{"n4", "it printed too much"}};
  const std::string text = stopped_journal();
  EXPECT_NE(text.find(R"("broken":"it printed too much")"), std::string::npos) << text;
  launcher.broken.clear();
  const Report r = run(journalled());
  EXPECT_EQ(r.resumed, 0u);
  EXPECT_TRUE(is_good(run_verdict(r)));
}

// Every verdict that rests on an earlier run says when its figure was measured.
TEST_F(Suite, WhatWasTakenOverCarriesItsDate) {
  stopped_journal();
  now += 3 * 86400 + 5;
  const Report r = run(journalled());
  EXPECT_EQ(r.resumed, 1u);
  EXPECT_EQ(r.journal_started, 1'000'000'000);
  EXPECT_EQ(r.started, now);
  for (const Judged& j : r.verdicts)
    EXPECT_EQ(j.from_journal, j.metric == "probe" ? std::optional<std::int64_t>(1'000'000'000) : std::nullopt)
        << j.metric;
}

// Each line: what is changed in the journal of a run that was stopped, and what is said of it.
TEST_F(Suite, AJournalCountsOnlyAsItWasWrittenAndForTheSameThings) {
  const std::string good = stopped_journal();
  struct Case {
    const char *was, *is, *why;
  };
  const Case cases[] = {
      {R"("spec_sha256":"d")", R"("spec_sha256":"e")", "for another spec (e, now d)"},
      {R"("launcher":"fake")", R"("launcher":"slurm")",
       "for another launcher (slurm, now fake): name that launcher with --launcher"},
      {R"("cluster":"quartet")", R"("cluster":"other")", "for another cluster (other"},
      {R"("program_version":"0.1.0")", R"("program_version":"0.0.9")",
       "for another version of clusterc (0.0.9, now 0.1.0)"},
      {R"("bundle_sha256":"b")", R"("bundle_sha256":"c")",
       "for another bundle of validators (c, now b): name the folder of that bundle with --bundle"},
      {R"("bundle_sha256":"b",)", "", "line 2 was not written by clusterc: 'bundle_sha256' is missing or not a text"},
      {R"("program_version":"0.1.0",)", "", "'program_version' is missing or not a text"},
      {R"("started":"2001)", R"("started":"2101)",
       "'started' is in the future: 2101-09-09T01:46:40Z, now it is 2001-09-09T01:46:40Z"},
      {R"("started":"2001-09-09)", R"("started":"2001-02-30)", "'started' is not a time: '2001-02-30T01:46:40Z'"},
      {R"("started":"2001-09-09T01:46:40Z")", R"("started":1000000000)", "'started' is missing or not a text"},
      {R"("ended":"2001)", R"("ended":"2031)", "line 3 was not written by clusterc: 'ended' is in the future"},
      {R"("ended":"2001)", R"("ended":"1999)",
       "a test ended at 1999-09-09T01:46:40Z, before its run began (2001-09-09T01:46:40Z)"},
      {R"("ended":"2001-09-09T01:46:40Z",)", "", "'ended' is missing or not a text"},
      {R"("error":"")", R"("error":false)", "'error' is missing or not a text"},
      {R"("tasks":[)", R"("tasks":7,"x":[)", "'tasks' is missing or not a list"},
      {R"("lines":[)", R"("lines":[1,)", "'lines' has an entry that is not a text"},
      {R"("node":"n1")", R"("node":["n1"])", "'node' is missing or not a text"},
      {R"({"record":"test")", R"({"record":"tset")", "there is no record 'tset'"},
      {R"({"record":"test")", R"("record":"test")", "line 3 was not written by clusterc: it is not a JSON object"},
  };
  for (const Case& c : cases) {
    std::string text = good;
    ASSERT_NE(text.find(c.was), std::string::npos) << c.was << "\n" << text;
    put(text, c.was, c.is);
    std::ofstream(folder / "j") << text;
    launcher.started.clear();
    std::string told;
    ValidateOptions options = journalled();
    options.progress = [&](const std::string& line) { told += line + "\n"; };
    const Report r = run(options);
    EXPECT_EQ(r.resumed, 0u) << c.is;
    EXPECT_EQ(launcher.started.size(), 6u) << c.is;
    EXPECT_NE(r.journal_refused.find(c.why), std::string::npos) << c.is << ": " << r.journal_refused;
    EXPECT_NE(told.find(c.why), std::string::npos) << told;
  }
  // As it was written, it counts; and a second result of a test that had ended is nobody's.
  std::ofstream(folder / "j") << good;
  EXPECT_EQ(run(journalled()).resumed, 1u);
  const std::string line = good.substr(good.find(R"({"record":"test")"));
  std::ofstream(folder / "j") << good << line;
  const Report r = run(journalled());
  EXPECT_EQ(r.resumed, 0u);
  EXPECT_NE(r.journal_refused.find("a second result of 'inventory/cpu/probe', which had finished"), std::string::npos)
      << r.journal_refused;
}

TEST_F(Suite, InterruptedRunGoesOnWhereItStopped) {
  std::atomic<bool> interrupted{false};
  launcher.interrupt_in_memory = &interrupted;
  ValidateOptions options = journalled();
  options.interrupted = &interrupted;
  const Report first = run(options);
  EXPECT_TRUE(first.interrupted);
  EXPECT_FALSE(is_good(run_verdict(first)));
  launcher.interrupt_in_memory = nullptr;
  launcher.started.clear();
  const Report second = run(journalled());
  EXPECT_EQ(second.resumed, 1u);
  EXPECT_EQ(launcher.started, (std::vector<std::string>{"memory", "gemm", "hpl", "mpi", "storage"}));
  EXPECT_TRUE(is_good(run_verdict(second)));
  launcher.started.clear();
  EXPECT_EQ(run(journalled()).resumed, 0u);  // a run that ended is not taken up
  EXPECT_EQ(launcher.started.size(), 6u);
}

// A report that could not be written is made from the journal by the same command, without measuring again.
TEST_F(Suite, ARunEndsWhenItsReportIsDelivered) {
  ValidateOptions options = journalled();
  options.deliver = [](const Report&) { return false; };
  EXPECT_TRUE(is_good(run_verdict(run(options))));
  launcher.started.clear();
  bool delivered = false;
  options.deliver = [&](const Report& r) { return delivered = is_good(run_verdict(r)); };
  EXPECT_EQ(run(options).resumed, 6u);
  EXPECT_TRUE(delivered);
  EXPECT_TRUE(launcher.started.empty());
  EXPECT_EQ(run(options).resumed, 0u);  // that one had ended
}

TEST_F(Suite, WhatRanOtherwiseOrInErrorRunsAgain) {
  std::atomic<bool> interrupted{false};
  launcher.interrupt_in_memory = &interrupted;
  launcher.down["n4"] = "down";
  ValidateOptions options = journalled();
  options.interrupted = &interrupted;
  run(options);
  launcher.interrupt_in_memory = nullptr;
  launcher.down.clear();  // n4 is back: the probe on three nodes is not the probe on four
  EXPECT_EQ(run(journalled()).resumed, 0u);
}

TEST_F(Suite, JournalRefusesWhatIsNotItsOwn) {
  std::string error;
  const std::string path = folder / "j";
  const JournalOwner owner{"c", "d", "fake", "0.1.0", "b"};
  const auto open = [&](bool fresh = false) { return Journal::open(path, owner, now, fresh, error); };
  std::ofstream(path) << "a letter\n";
  EXPECT_FALSE(open());
  EXPECT_NE(error.find("not a journal of clusterc"), std::string::npos) << error;
  std::ofstream(path) << R"({"record":"journal","format":"clusterc-journal","version":2})"
                      << "\n";
  EXPECT_FALSE(open());
  EXPECT_NE(error.find("version 2"), std::string::npos) << error;
  std::filesystem::remove(path);
  auto journal = open();
  ASSERT_TRUE(journal) << error;
  EXPECT_FALSE(open());  // two runs at once
  EXPECT_NE(error.find("in use by another run"), std::string::npos) << error;
  ASSERT_TRUE(journal->write({"a", "how", "", {{"n1", {"{}"}, {"srun: error"}, "", "", {"process 1"}}}, now}));
  journal.reset();
  std::ofstream(path, std::ios::app) << R"({"record":"test","id":"b)";  // cut by a kill
  journal = open();
  ASSERT_TRUE(journal) << error;
  ASSERT_EQ(journal->done().size(), 1u);
  EXPECT_EQ(journal->done()[0].how, "how");
  EXPECT_EQ(journal->done()[0].tasks[0].lines, std::vector<std::string>{"{}"});
  EXPECT_EQ(journal->done()[0].tasks[0].complaints, std::vector<std::string>{"srun: error"});
  EXPECT_EQ(journal->done()[0].tasks[0].stacks, std::vector<std::string>{"process 1"});
  ASSERT_TRUE(journal->write({"b", "", "", {}, now}));
  journal.reset();
  EXPECT_EQ(open()->done().size(), 2u);     // the cut line is gone, the next stands on its own
  EXPECT_TRUE(open(true)->done().empty());  // begun anew
}

TEST_F(Suite, JournalKeepsARunThatBeganWithOtherOptions) {
  std::string error;
  const std::string path = folder / "j";
  const auto open = [&](const std::string& options, bool fresh = false) {
    return Journal::open(path, {"c", "d", "fake", "0.1.0", "b", "", options}, now, fresh, error);
  };
  open("--stage soak");
  auto journal = open("--only probe");  // nothing is lost: nothing had ended
  ASSERT_TRUE(journal) << error;
  ASSERT_TRUE(journal->write({"a", "how", "", {{"n1", {"{}"}, {}, "", "", {}}}, now}));
  journal.reset();
  EXPECT_FALSE(open(""));
  EXPECT_EQ(error, "the journal '" + path +
                       "' has an unfinished run with 1 result that began with other options: '--only probe', now no "
                       "such option. Write those options to continue it, --fresh to give it up, or name another file "
                       "with --journal");
  journal = open("--only probe");
  ASSERT_TRUE(journal) << error;
  EXPECT_EQ(journal->done().size(), 1u);
  journal.reset();
  journal = open("", true);
  ASSERT_TRUE(journal) << error;
  EXPECT_TRUE(journal->done().empty());
  ASSERT_TRUE(journal->write({"a", "how", "", {{"n1", {"{}"}, {}, "", "", {}}}, now}));
  journal.reset();
  // A run of a version that kept no options continues with any.
  std::ifstream in(path);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t at = 0; (at = text.find(R"("options":"",)")) != text.npos;) text.erase(at, 13);
  std::ofstream(path) << text;
  journal = open("--only probe");
  ASSERT_TRUE(journal) << error;
  EXPECT_EQ(journal->done().size(), 1u);
}

}  // namespace
}  // namespace clusterc
