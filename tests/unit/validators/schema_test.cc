// schemas/result.schema.json against what the programs really print (programs_test.cc sees to the rest) and against the
// samples.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace {
using nlohmann::json;
namespace fs = std::filesystem;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

class ResultSchema : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(std::string(CLUSTERC_SOURCE_DIR) + "/schemas/result.schema.json");
    const json text = json::parse(file);
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(Adapter(text), schema_);
  }
  bool valid(const json& record) { return valijson::Validator().validate(schema_, Adapter(record), nullptr); }
  int expect_lines_valid(std::istream& lines, const std::string& where) {
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
      EXPECT_TRUE(valid(json::parse(line))) << where << ": " << line;
    return count;
  }
  valijson::Schema schema_;
};

TEST_F(ResultSchema, EverySampleIsValid) {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(std::string(CLUSTERC_SOURCE_DIR) + "/validators")) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream file(entry.path());
    EXPECT_GT(expect_lines_valid(file, entry.path()), 0);
    ++files;
  }
  EXPECT_EQ(files, 12);  // as SAMPLES.md lists
}

TEST_F(ResultSchema, WhatTheProgramsPrintIsValid) {
  for (const char* command :
       {"clusterc-probe", "clusterc-memory --size 4MiB --iterations 3 --allow-busy",
        "clusterc-gemm --size 128 --iterations 3 --allow-busy", "clusterc-memory --size 100TiB --allow-busy",
        "clusterc-memory --device cuda --size 4MiB --iterations 3", "clusterc-memory --list --json",
        "clusterc-nvlink --list --json", "clusterc-nvlink --size 1MiB --iterations 3 --allow-busy",
        "clusterc-nvlink --stand-ins 1", "clusterc-gemm --list --json", "clusterc-storage --list --json",
        "clusterc-storage --path /tmp --tests metadata,checkpoint --checkpoint 16MiB --jobs 1 --files 10 --iterations "
        "1 --allow-busy",
        "clusterc-gemm --precisions bf16 --allow-busy"}) {
    FILE* pipe = popen((std::string(CLUSTERC_VALIDATOR_DIR) + "/" + command).c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string text;
    char buffer[4096];
    for (std::size_t got = 0; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, got);
    pclose(pipe);
    std::istringstream lines(text);
    EXPECT_GE(expect_lines_valid(lines, command), 2) << command;
  }
}

TEST_F(ResultSchema, WhatIsNotARecordIsRefused) {
  const json end =
      json::parse(R"({"record":"end","status":"error","reason":"busy","detail":"","measurements":0,"wrong":0})");
  EXPECT_TRUE(valid(end));
  for (const char* change : {R"({"reason":"it did not want to"})", R"({"status":"passed"})", R"({"record":"ending"})",
                             R"({"measurements":-1})"}) {
    json broken = end;
    broken.update(json::parse(change));
    EXPECT_FALSE(valid(broken)) << change;
  }
  EXPECT_FALSE(valid(json::parse(R"({"record":"measurement","metric":"memory.copy","value":1})")));
  EXPECT_FALSE(valid(json::array()));
}

}  // namespace
