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

}  // namespace
}  // namespace clusterc
