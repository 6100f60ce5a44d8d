// The verdict of a run: what passes, and what only found nothing wrong.
#include "validate/run_verdict.h"

#include "unit/validate/suite_fixture.h"
#include "validate/report_text.h"

namespace clusterc {
namespace {

using test::Suite;

Judged judged(Verdict v) {
  Judged j;
  j.test = "t", j.metric = "m", j.node = "n", j.verdict = v;
  return j;
}

Report clean() {
  Report r;
  r.whole = true;
  r.verdicts = {judged(Verdict::pass), judged(Verdict::pass)};
  return r;
}

TEST(RunVerdict, EverythingPassed) {
  EXPECT_EQ(run_verdict(clean()), RunVerdict::passed);
  EXPECT_EQ(why_run_verdict(clean()), "");
}

// Of a spec without targets nothing is demanded: whatever was not judged, or did not run, is open.
TEST(RunVerdict, NothingWrongIsNoPass) {
  for (const Verdict v : {Verdict::unjudged, Verdict::skipped}) {
    Report r = clean();
    r.verdicts.push_back(judged(v));
    EXPECT_EQ(run_verdict(r), RunVerdict::nothing_wrong);
    EXPECT_EQ(why_run_verdict(r), "the spec demands no figure, and 1 of 3 verdicts are unjudged or skipped");
  }
  Report part = clean();
  part.whole = false;
  EXPECT_EQ(run_verdict(part), RunVerdict::nothing_wrong);
  // What the spec demands is what an acceptance is of.
  part.verdicts.push_back(judged(Verdict::unjudged));
  part.demands = {{.metric = "m", .measured = 2, .passed = 2, .met = true}};
  EXPECT_EQ(run_verdict(part), RunVerdict::passed);
}

TEST(RunVerdict, OneOfEachFails) {
  for (const Verdict v : {Verdict::fail, Verdict::error, Verdict::degraded}) {
    Report r = clean();
    r.verdicts.push_back(judged(v));
    EXPECT_EQ(run_verdict(r), RunVerdict::failed);
    EXPECT_EQ(why_run_verdict(r), "1 " + std::string(verdict_name(v)));
  }
  Report left_out = clean(), culprit = clean(), unmet = clean();
  left_out.left_out = {"whole/mpi"};
  culprit.searches = {{.group = "g", .culprits = {{.kind = "node", .what = "n1"}}}};
  unmet.demands = {{.metric = "m", .met = true}, {.metric = "m"}};
  for (const Report* r : {&left_out, &culprit, &unmet}) EXPECT_EQ(run_verdict(*r), RunVerdict::failed);
  EXPECT_EQ(why_run_verdict(unmet), "1 of 2 figures that the spec demands not met");
  EXPECT_EQ(why_run_verdict(culprit), "1 culprit");
}

TEST(RunVerdict, WithoutAPassNothingWasJudged) {
  Report r;
  r.whole = true;
  EXPECT_EQ(run_verdict(r), RunVerdict::nothing_judged);
  EXPECT_EQ(why_run_verdict(r), "nothing was run");
  r.verdicts = {judged(Verdict::unjudged), judged(Verdict::skipped)};
  EXPECT_EQ(run_verdict(r), RunVerdict::nothing_judged);
  r.interrupted = true;
  EXPECT_EQ(run_verdict(r), RunVerdict::interrupted);
  r.error = "no launcher";
  EXPECT_EQ(run_verdict(r), RunVerdict::could_not_run);
  EXPECT_FALSE(is_good(run_verdict(r)));
}

// Whether everything ran is seen by the tests and their nodes.
TEST_F(Suite, APartOfTheSuiteIsNotTheWhole) {
  EXPECT_TRUE(run().whole);
  ValidateOptions options;
  const std::vector<SuiteTest> whole = suite;
  options.whole_suite = &whole;
  suite.resize(1);  // --only probe
  Report r = run(options);
  EXPECT_EQ(r.count(Verdict::pass), r.verdicts.size());
  EXPECT_FALSE(r.whole);
  EXPECT_EQ(run_verdict(r), RunVerdict::nothing_wrong);
  suite = whole;
  for (SuiteTest& t : suite) t.nodes = {t.nodes.front()};  // --nodes
  EXPECT_FALSE(run(options).whole);
}

// What a test took is in the report, in the journal, and in the report of the run that goes on.
TEST_F(Suite, DurationsAreKept) {
  double seconds = 100;
  ValidateOptions options = journalled();
  options.stopwatch = [&] { return seconds += 0.25; };
  suite.resize(2);
  const Report first = run(options);
  EXPECT_EQ(first.seconds.size(), 2u);
  for (const auto& [test, took] : first.seconds) EXPECT_DOUBLE_EQ(took, 0.25) << test;
  EXPECT_DOUBLE_EQ(first.took, 1.25);  // the stopwatch was looked at five times after the first
  std::ifstream in(folder / "j");
  std::string lines{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(lines.find(R"("seconds":0.25)"), std::string::npos) << lines;
  lines.resize(lines.find(R"({"record":"end")"));  // as if the run had not ended
  std::ofstream(folder / "j") << lines;
  options.stopwatch = nullptr;
  const Report second = run(options);
  EXPECT_EQ(second.resumed, 2u);
  EXPECT_EQ(second.seconds, first.seconds);
}

// Where results are kept is said when nothing refuses the run any more.
TEST_F(Suite, WhatIsRefusedKeepsNoResults) {
  std::string said;
  ValidateOptions options = journalled();
  options.tell_journal = true;
  options.progress = [&](const std::string& line) { said += line + "\n"; };
  EarlierReport other;
  other.report.cluster = "another";
  options.earlier = &other;
  EXPECT_EQ(run_verdict(run(options)), RunVerdict::could_not_run);
  EXPECT_EQ(said, "");
  options.earlier = nullptr;
  suite.resize(1);
  run(options);
  EXPECT_TRUE(said.starts_with("results are kept in '" + (folder / "j").string() + "'\n")) << said;
}

}  // namespace
}  // namespace clusterc
