#include "report/validation_report.h"

#include <gtest/gtest.h>

#include "report/certificate.h"
#include "report/plan_report.h"

namespace clusterc {
namespace {

Judged judged(std::string metric, bool verified) {
  Judged j;
  j.test = "t", j.metric = std::move(metric), j.node = "n1", j.verdict = verified ? Verdict::pass : Verdict::fail,
  j.value = 1e9, j.data_verified = verified;
  return j;
}

std::string line_of(const std::string& text, std::string_view metric) {
  const std::size_t at = text.find(metric);
  if (at == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

// A validator that compared its data says so; perftest compares none, and nobody shall read that it did.
TEST(ValidationReport, TheDataColumnSaysWhatWasLookedAt) {
  Report report;
  report.cluster = "c", report.launcher = "local";
  report.verdicts = {judged("memory.copy", true), judged("rdma.write", true), judged("mpi.bandwidth", false),
                     judged("rdma.write_latency", false)};
  const std::string text = render_validation_text(report, false);
  EXPECT_NE(line_of(text, "memory.copy").find(" verified"), std::string::npos) << text;
  EXPECT_NE(line_of(text, "rdma.write ").find(" acknowledged"), std::string::npos) << text;
  EXPECT_EQ(line_of(text, "rdma.write ").find("verified"), std::string::npos) << text;
  EXPECT_NE(line_of(text, "mpi.bandwidth").find(" WRONG"), std::string::npos) << text;
  EXPECT_NE(line_of(text, "rdma.write_latency").find(" WRONG"), std::string::npos) << text;
}

// Each figure of an earlier run says when it was measured, in the text and as data; figures of this run say nothing.
TEST(ValidationReport, FiguresOfAnEarlierRunSayHowOldTheyAre) {
  Report report;
  report.cluster = "c", report.launcher = "local";
  report.verdicts = {judged("memory.copy", true), judged("memory.add", true)};
  report.started = 1'000'000'000;
  EXPECT_EQ(render_validation_text(report).find("when"), std::string::npos);
  EXPECT_EQ(render_validation_json(report, "d").find("from_journal"), std::string::npos);
  report.resumed = 1;
  report.journal_started = report.started - 10 * 86400;
  report.verdicts[0].from_journal = report.started - 9 * 86400;
  const std::string text = render_validation_text(report), json = render_validation_json(report, "d");
  EXPECT_NE(line_of(text, "memory.copy").find("9 days ago (2001-08-31T01:46:40Z), from the journal"), std::string::npos)
      << text;
  EXPECT_NE(line_of(text, "memory.add").find("  now"), std::string::npos) << text;
  EXPECT_NE(text.find("1 test taken from the journal: of a run that began at 2001-08-30T01:46:40Z, 10 days ago"),
            std::string::npos)
      << text;
  EXPECT_NE(json.find(R"("from_journal": {"ended": "2001-08-31T01:46:40Z", "age_s": 777600})"), std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("run_started": "2001-08-30T01:46:40Z", "run_age_s": 864000)"), std::string::npos) << json;
}

std::size_t times(const std::string& text, std::string_view part) {
  std::size_t out = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++out;
  return out;
}

// Prometheus refuses a scrape with the same series twice; results that contradict each other make such verdicts.
TEST(ValidationReport, ASeriesStandsOnceInTheMetrics) {
  Report report;
  report.cluster = "c";
  report.verdicts = {judged("memory.copy", true), judged("memory.copy", false), judged("memory.copy", false)};
  report.verdicts[2].value = 2e9;
  const std::string metrics = render_validation_prometheus(report);
  const std::string series = R"(clusterc_validation_figure{cluster="c",test="t",metric="memory.copy",node="n1",)";
  EXPECT_EQ(times(metrics, series), 1u) << metrics;
  EXPECT_NE(metrics.find(series + R"(device="",unit="B/s"} 1000000000)"), std::string::npos)
      << metrics;                                                                     // the first one
  EXPECT_EQ(times(metrics, "\nclusterc_validation_figure_verdict{"), 2u) << metrics;  // pass, and fail
}

// A run that has not passed because tests had no room is no green page in JUnit either.
TEST(ValidationReport, JUnitSaysWhatWasLeftOutAndWhereAFigureIsFrom) {
  Report report;
  report.cluster = "c";
  report.selection = "--time-budget '1 s'";
  report.verdicts = {judged("memory.copy", true), judged("memory.add", true)};
  report.verdicts[0].from_journal = 1'000'000'000, report.verdicts[0].from_report = true;
  report.verdicts[1].from_journal = 1'000'000'000;
  EXPECT_EQ(render_validation_junit(report).find("<error"), std::string::npos);
  report.left_out = {"whole/mpi"};
  const std::string xml = render_validation_junit(report);
  EXPECT_NE(xml.find(R"(message="not passed: left out for want of time: whole/mpi")"), std::string::npos) << xml;
  EXPECT_NE(xml.find("options of the run: --time-budget '1 s'"), std::string::npos) << xml;
  EXPECT_EQ(times(xml, "from the earlier report, measured at 2001-09-09T01:46:40Z"), 1u) << xml;
  EXPECT_EQ(times(xml, "from the journal, measured at 2001-09-09T01:46:40Z"), 1u) << xml;
}

// One verdict, whoever writes it: what found nothing wrong without being asked for anything is nowhere a pass.
TEST(ValidationReport, EveryFormHasTheSameVerdict) {
  Report report;
  report.cluster = "c", report.launcher = "local", report.whole = true;
  report.verdicts = {judged("memory.copy", true), judged("memory.add", true)};
  const auto forms = [&] {
    return std::vector<std::string>{render_validation_text(report), render_validation_json(report, "d"),
                                    render_validation_junit(report), render_certificate(report, {}),
                                    render_validation_prometheus(report)};
  };
  const auto says = [&](std::size_t form, std::string_view what) {
    const std::string text = forms()[form];
    EXPECT_NE(text.find(what), std::string::npos) << what << "\n" << text;
  };
  const auto silent = [&](std::size_t form, std::string_view what) {
    const std::string text = forms()[form];
    EXPECT_EQ(text.find(what), std::string::npos) << what << "\n" << text;
  };
  says(0, "\npassed: 2 pass\n");
  says(1, R"("verdict": "passed")");
  says(1, R"("passed": true)");
  says(2, R"(tests="1" failures="0" errors="0" skipped="0")");
  says(3, "Certificate of acceptance: c");
  says(3, "Accepted by");
  says(4, R"(clusterc_validation_passed{cluster="c"} 1)");
  says(4, R"(clusterc_validation_verdict{cluster="c",verdict="passed"} 1)");

  report.demands = {{.metric = "memory.copy", .measured = 2, .passed = 2, .met = true}};
  report.whole = false, report.not_run = {"gpu/hpl", "gpu/gemm (1 of 2 nodes)"};
  says(0, "a part of the suite did not run: gpu/hpl, gpu/gemm (1 of 2 nodes)\n");
  says(1, R"x("not_run": ["gpu/hpl", "gpu/gemm (1 of 2 nodes)"])x");
  says(1, R"("passed": true)");
  says(3, "PASSED, AND A PART OF THE SUITE DID NOT RUN: 2 pass");
  says(3, "These tests of the suite did not run: gpu/hpl, gpu/gemm (1 of 2 nodes).");
  report.demands.clear(), report.not_run.clear();

  report.whole = false;  // --only
  says(0, "\nnothing wrong was found: 2 pass\n");
  says(0, "this is no acceptance: the spec demands no figure, and a part of the suite did not run");
  says(1, R"("verdict": "nothing wrong was found")");
  says(1, R"("passed": false)");
  says(2,
       "<skipped>nothing wrong was found: the spec demands no figure, and a part of the suite did not run</skipped>");
  says(3, "No acceptance: nothing wrong was found: c");
  says(3, "NOTHING WRONG WAS FOUND: 2 pass");
  says(3, "Seen by (not an acceptance)");
  silent(3, "PASSED");
  silent(3, "Certificate of acceptance");
  says(4, R"(clusterc_validation_passed{cluster="c"} 0)");
  says(4, R"(clusterc_validation_verdict{cluster="c",verdict="nothing wrong was found"} 1)");

  report.whole = true;
  for (Judged& j : report.verdicts) j.verdict = Verdict::unjudged;
  says(0, "\nnothing was judged: 2 unjudged\n");
  says(1, R"("verdict": "nothing was judged")");
  says(2, R"(message="nothing was judged: no figure can be judged)");
  says(3, "NOTHING WAS JUDGED: 2 unjudged");
  silent(3, "PASSED");
  says(4, R"(clusterc_validation_passed{cluster="c"} 0)");

  report.verdicts[0].verdict = Verdict::fail;
  says(0, "\nnot passed: 1 fail, 1 unjudged\n");
  says(2, R"(<failure type="run" message="not passed: 1 fail">)");
  says(3, "NOT PASSED: 1 fail, 1 unjudged");
}

// A plan says of a floor of the spec whose it is, not that there is none.
TEST(ValidationReport, APlanSaysWhoseAFloorIs) {
  ExpectedFigure f{.test = "memory.triad", .group = "g", .scope = "node", .missing = "set targets.memory.floor"};
  EXPECT_NE(render_expected_text({{f}}).find("unjudged: set targets.memory.floor"), std::string::npos);
  f.floor = {1e9, "set in the spec", "the spec", true}, f.floor_by_user = true;
  const std::string text = render_expected_text({{f}});
  EXPECT_NE(text.find("1 GB/s  floor of the spec"), std::string::npos) << text;
  EXPECT_EQ(text.find("unjudged"), std::string::npos) << text;
}

// Who signs knows that the machines did other work, however the run ended.
TEST(ValidationReport, TheCertificateNamesWhatWasMeasuredBesideOtherWork) {
  Report report;
  report.cluster = "c", report.whole = true;
  report.verdicts = {judged("memory.copy", true), judged("memory.add", true)};
  EXPECT_EQ(render_certificate(report, {}).find("busy"), std::string::npos);
  report.verdicts[0].busy = true;
  const std::string page = render_certificate(report, {});
  EXPECT_NE(page.find("PASSED"), std::string::npos);
  EXPECT_NE(
      page.find("The machines were busy with other work: 1 of 2 figures were measured beside it (1 of them pass)"),
      std::string::npos)
      << page;
}

// The suite of a test has the time that the test took; what nobody measured has none, in place of 0.
TEST(ValidationReport, JUnitHasTheTimesThatWereMeasured) {
  Report report;
  report.cluster = "c";
  report.verdicts = {judged("memory.copy", true), judged("memory.add", true)};
  report.verdicts[1].test = "u";
  report.took = 5;
  report.seconds["t"] = 2.5;
  const std::string xml = render_validation_junit(report);
  EXPECT_NE(line_of(xml, R"(testsuite name="run")").find(R"(time="5.000")"), std::string::npos) << xml;
  EXPECT_NE(line_of(xml, R"(testsuite name="t")").find(R"(time="2.500")"), std::string::npos) << xml;
  EXPECT_EQ(line_of(xml, R"(testsuite name="u")").find("time=\""), std::string::npos) << xml;
  EXPECT_EQ(xml.find("time=\"0"), std::string::npos) << xml;
  EXPECT_NE(render_validation_json(report, "d").find(R"({"test": "t", "seconds": 2.5})"), std::string::npos);
}

// The text and the certificate give one median: of an even number the mean of the two in the middle.
TEST(ValidationReport, TheMedianOfTwoIsBetweenThem) {
  Report report;
  report.cluster = "c";
  report.verdicts = {judged("memory.copy", true), judged("memory.copy", true)};
  report.verdicts[1].node = "n2", report.verdicts[1].value = 2e9;
  EXPECT_NE(line_of(render_validation_text(report), "memory.copy").find("1.5 GB/s"), std::string::npos);
  EXPECT_NE(render_certificate(report, {}).find("<td class=\"n\">1.5 GB/s</td>"), std::string::npos);
}

// Who signs reads of which part the page is, what was left out, and that a sum over nodes is no figure of a node.
TEST(ValidationReport, TheCertificateSaysWhatItIsNotOf) {
  Report report;
  report.cluster = "c";
  report.verdicts = {judged("storage.read", true), judged("storage.read", true)};
  report.verdicts[1].device = kAllTogether, report.verdicts[1].value = 8e9, report.verdicts[1].floor = 6e9;
  std::string page = render_certificate(report, {});
  EXPECT_EQ(page.find("Only a part"), std::string::npos);
  EXPECT_EQ(page.find("repeated what"), std::string::npos);
  EXPECT_NE(page.find("<td>storage.read (all together)</td>\n<td class=\"n\">1</td>\n<td class=\"n\">8 GB/s</td>"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("<td>storage.read</td>\n<td class=\"n\">1</td>\n<td class=\"n\">1 GB/s</td>"), std::string::npos)
      << page;
  report.selection = "--nodes n1", report.repeats = 1'000'000'000, report.left_out = {"whole/mpi"};
  page = render_certificate(report, {});
  for (const char* said : {"Options of the run: --nodes n1.", "Left out for want of time: whole/mpi.",
                           "not passed in the run of 2001-09-09T01:46:40Z"})
    EXPECT_NE(page.find(said), std::string::npos) << said << page;
}

TEST(ValidationReport, WhatWasThereWhenTheTimeWasOverIsBelowTheTable) {
  Report report;
  report.cluster = "c", report.launcher = "local";
  report.verdicts = {judged("memory.copy", true)};
  EXPECT_EQ(render_validation_json(report, "d").find("stacks"), std::string::npos);
  report.stacks = {{"whole/mpi", "n[1-2]", {"process 7 'x': T (stopped)", "  a\033[2J\nb"}}};
  const std::string text = render_validation_text(report), json = render_validation_json(report, "d");
  EXPECT_NE(text.find("what was there when the time of whole/mpi on n[1-2] was over:\n  process 7 'x': T (stopped)\n"
                      "    a\xef\xbf\xbd[2J b\n"),
            std::string::npos)
      << text;
  EXPECT_NE(json.find("process 7 'x': T (stopped)"), std::string::npos) << json;
}

// What nodes and administrators wrote is one line of text in the report.
TEST(ValidationReport, TextOfOthersIsOneLine) {
  Report report;
  report.cluster = "::c", report.launcher = "local";
  report.verdicts = {judged("memory.copy", true)};
  report.verdicts[0].reason = "fan \x1b]0;a\x07\n::add-mask::x \xe2\x80\xae ##[y]";
  report.verdicts[0].device = "::d";
  report.journal_refused = "line\n::e";
  const std::string text = render_validation_text(report);
  for (const char* part : {"\x1b", "\x07", "\n::", "\xe2\x80\xae", "##["})
    EXPECT_EQ(text.find(part), std::string::npos) << text;
  EXPECT_EQ(text.substr(0, 4), "\\::c");
  EXPECT_NE(text.find("fan \xef\xbf\xbd]0;a\xef\xbf\xbd ::add-mask::x \xef\xbf\xbd ##\\[y]"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace clusterc
