// The table for people and the JSON for programs: the same measurement, the same numbers.
#include "harness/report.h"

#include <gtest/gtest.h>

#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace clusterc::harness {
namespace {
using nlohmann::json;

constexpr Program kProgram{.name = "tried",
                           .summary = "",
                           .size_kind = Kind::bytes,
                           .size_help = "",
                           .backends = {},
                           .extra = {},
                           .metrics = {}};

std::vector<std::string> lines_of(Format format, const Measurement& m, Exit& exit) {
  Options options;
  options.format = format;
  std::string text;
  Reporter report(kProgram, options, "node-a", [&](std::string_view line) { text += line; });
  report.header("2026-11-21T03:20:00Z");
  report.measurement(m);
  exit = report.done();
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Of 1, 2 and 3 GB/s the median is 2; the 5 % quantile lies a tenth of the way from the first to the second (definition
// 7: at 0.05 x (3 - 1)).
TEST(Report, TableAndJsonHaveTheSameNumbers) {
  const Measurement m{.metric = "tried.rate",
                      .variant = {},
                      .unit = "B/s",
                      .samples = {3e9, 1e9, 2e9},
                      .warmup = 4,
                      .size_bytes = 2048,
                      .device = {.backend = Backend::host, .label = "ranks", .name = {}, .uuid = {}},
                      .checked = 10,
                      .wrong = 0,
                      .other_load = {},
                      .parameters = {}};
  Exit exit{};
  const std::vector<std::string> records = lines_of(Format::json, m, exit), table = lines_of(Format::text, m, exit);
  ASSERT_EQ(records.size(), 3u);
  ASSERT_EQ(table.size(), 4u);  // what it is, the heads, one row, the end
  const json record = json::parse(records[1]);
  EXPECT_DOUBLE_EQ(record["value"].get<double>(), 2e9);
  EXPECT_DOUBLE_EQ(record["quantiles"]["p05"].get<double>(), 1.1e9);
  EXPECT_DOUBLE_EQ(record["quantiles"]["p95"].get<double>(), 2.9e9);
  EXPECT_EQ(record["count"], 3);
  EXPECT_EQ(record["size"], 2048);
  EXPECT_EQ(words_of(table[2]), (std::vector<std::string>{"tried.rate", "ranks", "2", "KiB", "2.00", "1.10", "2.90",
                                                          "GB/s", "3", "verified"}));
  EXPECT_EQ(exit, Exit::done);
}

TEST(Report, WrongDataIsToldInBoth) {
  const Measurement m{.metric = "tried.time",
                      .variant = {},
                      .unit = "s",
                      .higher_is_better = false,
                      .samples = {2e-6},
                      .size_bytes = 8,
                      .device = {.backend = Backend::host, .label = "host", .name = {}, .uuid = {}},
                      .checked = 10,
                      .wrong = 3,
                      .other_load = 0.5,
                      .parameters = {}};
  Exit exit{};
  const json record = json::parse(lines_of(Format::json, m, exit)[1]);
  EXPECT_EQ(exit, Exit::data_wrong);
  EXPECT_EQ(record["data_verified"], false);
  EXPECT_EQ(record["wrong"], 3);
  EXPECT_EQ(record["busy"], true);
  const std::vector<std::string> table = lines_of(Format::text, m, exit);
  EXPECT_EQ(exit, Exit::data_wrong);
  EXPECT_NE(table[2].find("2.00"), std::string::npos);  // microseconds
  EXPECT_NE(table[2].find("WRONG (3 of 10), busy"), std::string::npos) << table[2];
}

// What cannot be measured here is no error, and what could not run is no measurement: the exit status says which.
TEST(Report, TheEndRepeatsTheCause) {
  Options options;
  std::string text;
  Reporter report(kProgram, options, "node-a", [&](std::string_view line) { text += line; });
  EXPECT_EQ(static_cast<int>(report.error(Cause::not_applicable, "one rank")), 3);
  EXPECT_EQ(json::parse(text)["status"], "not applicable");
  text.clear();
  EXPECT_EQ(static_cast<int>(report.error(Cause::no_space, "the disk is full")), 2);
  EXPECT_EQ(json::parse(text)["status"], "error");
  EXPECT_EQ(json::parse(text)["reason"], "no space left");
}

// A run that shows nothing is no healthy run; a record of the program's own (the probe's) shows something.
TEST(Report, WithoutARecordNothingIsDone) {
  Options options;
  std::string text;
  const auto end_of = [&](bool own) {
    text.clear();
    Reporter report(kProgram, options, "node-a", [&](std::string_view line) { text = line; });
    report.header("2026-11-21T03:20:00Z");
    if (own) report.raw(R"({"record":"probe"})");
    return report.done();
  };
  EXPECT_EQ(end_of(false), Exit::not_applicable);
  EXPECT_EQ(json::parse(text)["status"], "not applicable");
  EXPECT_EQ(end_of(true), Exit::done);
  EXPECT_EQ(json::parse(text)["status"], "done");
}

// 18663 FLOP/s are 0.0000187 GFLOP/s, and not 0.00. What was slow stands below its row, as the JSON has it.
TEST(Report, TheTableShowsSmallFiguresAndWhoWasSlow) {
  const Measurement m{.metric = "tried.score",
                      .variant = {},
                      .unit = "FLOP/s",
                      .samples = {18663},
                      .size_bytes = 16,
                      .device = {.backend = Backend::host, .label = "ranks", .name = {}, .uuid = {}},
                      .checked = 1,
                      .wrong = 0,
                      .other_load = {},
                      .parameters = {{"slow", std::string("processor 5 got 0.31 of its time")}}};
  Exit exit{};
  const std::vector<std::string> table = lines_of(Format::text, m, exit);
  ASSERT_EQ(table.size(), 5u);
  EXPECT_NE(table[2].find(" 1.87e-05 "), std::string::npos) << table[2];
  EXPECT_EQ(table[3], "  slow: processor 5 got 0.31 of its time");
}

// Whatever reaches the end of a run has a cause that a record can carry.
TEST(Outcome, EveryExceptionHasACause) {
  EXPECT_EQ(as_could_not_run(CouldNotRun(Cause::no_space, "full")).cause(), Cause::no_space);
  EXPECT_EQ(as_could_not_run(std::bad_alloc()).cause(), Cause::no_memory);
  const CouldNotRun refused =
      as_could_not_run(std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again)));
  EXPECT_EQ(refused.cause(), Cause::system);
  EXPECT_EQ(std::string(refused.what()), "Resource temporarily unavailable");
}

}  // namespace
}  // namespace clusterc::harness
