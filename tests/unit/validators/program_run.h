// The programs as they are installed, run by tests: their records, their status, what they left.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace clusterc::program_run {
using nlohmann::json;
namespace fs = std::filesystem;

struct Result {
  int status = -1;
  std::vector<json> records;
  std::string text;
  bool ended() const { return !records.empty() && records.back().value("record", "") == "end"; }
};

inline pid_t start(const std::vector<std::string>& arguments, const std::string& output) {
  const pid_t child = fork();
  if (child != 0) return child;
  const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int null = open("/dev/null", O_RDWR);
  dup2(null, 0);
  dup2(out, 1);
  dup2(null, 2);
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  _exit(127);
}

inline Result finish(pid_t child, const std::string& output) {
  Result result;
  int status = 0;
  waitpid(child, &status, 0);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::ifstream file(output);
  for (std::string line; std::getline(file, line);) {
    result.text += line + "\n";
    if (json record = json::parse(line, nullptr, false); !record.is_discarded())
      result.records.push_back(std::move(record));
  }
  fs::remove(output);
  return result;
}

inline std::string output_file() {
  static int number = 0;
  return fs::temp_directory_path() / ("clusterc-programs-" + std::to_string(getpid()) + "-" + std::to_string(number++));
}

// Waits until a program that was started has written its first record: it is at work then, however slowly this machine
// started it.
inline void wait_for_a_record(const std::string& output) {
  std::error_code none;
  for (int turns = 0; turns < 3000 && (!fs::exists(output) || fs::file_size(output, none) == 0); ++turns)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

inline Result run(const std::vector<std::string>& arguments) {
  const std::string output = output_file();
  return finish(start(arguments, output), output);
}

inline const std::string kPrograms = CLUSTERC_VALIDATOR_DIR, kFaulty = CLUSTERC_FAULTY_DIR;
inline std::string program(const std::string& name) { return kPrograms + "/clusterc-" + name; }
inline const json* first_end(const Result& result) {
  for (const json& record : result.records) {
    if (record.value("record", "") == "end") return &record;
  }
  return nullptr;
}

inline void expect_measured(const Result& result, std::size_t measurements) {
  ASSERT_TRUE(result.ended()) << result.text;
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.records.size(), measurements + 2);
  EXPECT_EQ(result.records.front()["format"], "clusterc-result");
  EXPECT_EQ(result.records.back()["status"], "done");
  for (std::size_t i = 1; i + 1 < result.records.size(); ++i) {
    const json& m = result.records[i];
    EXPECT_EQ(m["record"], "measurement");
    EXPECT_EQ(m["data_verified"], true) << m;
    EXPECT_GT(m["value"].get<double>(), 0);
    EXPECT_LE(m["min"].get<double>(), m["value"].get<double>());
    EXPECT_GE(m["max"].get<double>(), m["value"].get<double>());
  }
}

inline void expect_wrong_data(const Result& result, std::size_t measurements) {
  ASSERT_TRUE(result.ended()) << result.text;
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.records.back()["data_verified"], false);
  ASSERT_EQ(result.records.size(), measurements + 2);
  for (std::size_t i = 1; i + 1 < result.records.size(); ++i) {
    EXPECT_EQ(result.records[i]["data_verified"], false);
    EXPECT_EQ(result.records[i]["wrong"], 1) << result.records[i];
  }
}

}  // namespace clusterc::program_run
