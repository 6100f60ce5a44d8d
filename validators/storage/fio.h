// fio as a program: its command line, its JSON read back, its verification errors.
// https://fio.readthedocs.io/en/latest/fio_doc.html
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc::storage {

enum class Pattern : std::uint8_t { write, read, random_write, random_read, verify };

struct FioRun {
  Pattern pattern = Pattern::write;
  std::string folder;
  std::uint64_t size = 0;  // of all files together
  std::uint64_t block = 0;
  unsigned jobs = 1, depth = 1;
  double seconds = 0;  // 0: once over the files
  bool direct = true;
  std::string engine;     // "libaio", "psync", "libcufile"
  std::string gpus = {};  // of libcufile: "0:1", by turns for the jobs
  bool checked_content =
      true;  // what is written can be verified; filling it takes processor time, and with libcufile a copy to the GPU
  std::uint64_t seed = 1;
};
std::vector<std::string> fio_arguments(const std::string& program, const FioRun&);

struct FioResult {
  int error = 0;  // errno of what failed
  double bytes_per_second = 0, operations_per_second = 0;
  std::uint64_t bytes = 0, operations = 0;
  double latency_median = 0, latency_p99 = 0;  // seconds from submission to completion
};
// Of fio's standard output (it may say something before its JSON). nullopt: there is no whole JSON object with one job.
std::optional<FioResult> parse_fio(std::string_view text, bool write);

// Blocks whose check failed, from fio's standard error, each "FILE at OFFSET"; every place once.
std::vector<std::string> parse_verify_errors(std::string_view text);

// Whether `fio --enghelp` lists it.
bool has_engine(std::string_view enghelp, std::string_view name);
// Of the engines that it lists the one with a queue; else the one that every system has.
std::string choose_engine(std::string_view enghelp);

}  // namespace clusterc::storage
