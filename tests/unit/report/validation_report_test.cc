#include "report/validation_report.h"

#include <gtest/gtest.h>

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
