#include "harness/options.h"

#include <gtest/gtest.h>

#include <vector>

namespace clusterc::harness {
namespace {

constexpr Backend kBackends[] = {Backend::host};
constexpr ExtraOption kExtra[] = {{"--threads", Kind::count, "COUNT", "threads"},
                                  {"--types", Kind::choices, "fp64|fp32", "types"},
                                  {"--in-place", Kind::toggle, "", "in place"}};
constexpr Program kProgram{.name = "example",
                           .summary = "an example",
                           .size_kind = Kind::bytes,
                           .size_help = "of it",
                           .backends = kBackends,
                           .extra = kExtra};

CommandLine parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "clusterc-example");
  return parse_command_line(kProgram, static_cast<int>(arguments.size()), arguments.data());
}
std::string error_of(std::vector<const char*> arguments) {
  const CommandLine line = parse(std::move(arguments));
  return line.error ? line.error->message : "";
}

TEST(Options, BothSpellingsOfAValue) {
  for (const auto& line : {parse({"--size", "2MiB", "--iterations=7"}), parse({"--size=2MiB", "--iterations", "7"})}) {
    ASSERT_TRUE(line.run);
    EXPECT_EQ(line.run->size, 2u * 1024 * 1024);
    EXPECT_EQ(line.run->iterations, 7u);
  }
}

TEST(Options, BytesCarryTheirUnit) {
  EXPECT_EQ(parse_bytes("1.5GiB"), 1610612736u);  // 1.5 * 2^30
  EXPECT_EQ(parse_bytes("4 kB"), 4000u);
  EXPECT_EQ(parse_bytes("8B"), 8u);
  EXPECT_FALSE(parse_bytes("100"));
  EXPECT_FALSE(parse_bytes("1.5B"));
  EXPECT_FALSE(parse_bytes("-1MiB"));
  EXPECT_FALSE(parse_bytes("1 mib"));
  EXPECT_FALSE(parse_bytes(""));
  EXPECT_EQ(error_of({"--size", "100"}), "'--size 100': whole bytes with their unit expected, as in 128MiB");
}

TEST(Options, WrongUseIsNamed) {
  EXPECT_EQ(error_of({"--sizes", "1B"}), "unknown option '--sizes'");
  EXPECT_EQ(error_of({"stray"}), "unknown option 'stray'");
  EXPECT_EQ(error_of({"--threads"}), "option '--threads' needs a value");
  EXPECT_EQ(error_of({"--threads", "0"}), "'--threads 0': a count of at least 1 expected");
  EXPECT_EQ(error_of({"--in-place=yes"}), "option '--in-place' takes no value");
  EXPECT_EQ(error_of({"--types", "fp64,fp8"}), "'--types fp64,fp8': 'fp8' is none of fp64|fp32");
  EXPECT_EQ(error_of({"--device", "gpu"}), "'--device gpu': host or cuda expected");
  EXPECT_EQ(error_of({"--seconds", "nan"}), "'--seconds nan': seconds above 0 expected");
  EXPECT_EQ(error_of({"--seconds", "1", "--iterations", "2"}), "'--seconds' and '--iterations' exclude each other");
}

TEST(Options, ChoicesKeepTheirOrderAndDefaultToAll) {
  EXPECT_EQ(parse({}).run->choices("--types", "fp64|fp32"), (std::vector<std::string>{"fp64", "fp32"}));
  EXPECT_EQ(parse({"--types", "fp32"}).run->choices("--types", "fp64|fp32"), (std::vector<std::string>{"fp32"}));
}

TEST(Options, VersionIsTheHandshake) {
  EXPECT_EQ(parse({"--version"}).print, "{\"format\":\"clusterc-validator\",\"name\":\"example\",\"version\":\"" +
                                            std::string(program_version()) +
                                            "\",\"protocol\":1,\"backends\":[\"host\"]}\n");
}

TEST(Options, HelpNamesEveryOption) {
  const std::string help = parse({"--help"}).print;
  for (const char* name : {"--device", "--size", "--iterations", "--warmup", "--seconds", "--format", "--threads",
                           "--types", "--in-place"}) {
    EXPECT_NE(help.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace clusterc::harness
