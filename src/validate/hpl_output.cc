#include "validate/hpl_output.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/format.h"
#include "base/printable.h"

namespace clusterc {
namespace {

// HPL's own lines have 80 characters, NVIDIA's some more.
constexpr std::size_t kLongest = 400;
constexpr std::size_t kMostWords = 16;
constexpr double kThreshold = 16;  // as hpl_dat() asks for

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  constexpr std::string_view kBlank = " \t\r";
  while (out.size() < kMostWords) {
    const std::size_t begin = line.find_first_not_of(kBlank);
    if (begin == line.npos) break;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(kBlank), line.size());
    out.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return out;
}

template <class T>
std::optional<T> number(std::string_view word) {
  T value{};
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

struct Solution {
  LinpackInput input;
  double seconds = 0, gflops = 0;
};

// "WR11C2R4       12000   192     1     2    9.71     1.1862e+02"; NVIDIA's goes on with the rate of a GPU in brackets.
std::optional<Solution> solution_in(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() < 7 || words[0].size() < 3 || words[0][0] != 'W' || (words[0][1] != 'R' && words[0][1] != 'C'))
    return std::nullopt;
  std::int64_t counts[4] = {};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto count = number<std::int64_t>(words[i + 1]);
    if (!count || *count <= 0) return std::nullopt;
    counts[i] = *count;
  }
  const auto seconds = number<double>(words[5]), gflops = number<double>(words[6]);
  if (!seconds || !gflops) return std::nullopt;
  return Solution{{counts[0], counts[1], counts[2], counts[3]}, *seconds, *gflops};
}

// "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   2.79512413e-03 ...... PASSED"
struct Residual {
  std::optional<double> value;
  bool passed = false;
};
std::optional<Residual> residual_in(std::string_view line) {
  if (line.find("||Ax-b||") == line.npos) return std::nullopt;
  const auto words = words_of(line);
  if (words.size() < 2 || (words.back() != "PASSED" && words.back() != "FAILED")) return std::nullopt;
  Residual out{.value = std::nullopt, .passed = words.back() == "PASSED"};
  for (const std::string_view word : words)
    if (const auto value = number<double>(word)) out.value = value;
  return out;
}

// Time has two decimals: of a short run it says little.
bool agrees(const Solution& s) {
  const double n = static_cast<double>(s.input.order), work = n * n * (2.0 / 3 * n + 1.5);
  const double seconds = work / (s.gflops * 1e9);
  return std::abs(seconds - s.seconds) <= 0.02 * seconds + 0.011;
}

std::string shape(const LinpackInput& in) {
  return format("N {}, NB {}, {} x {}", in.order, in.block, in.rows, in.columns);
}

}  // namespace

ResultRecords read_hpl_output(const std::vector<std::string>& lines, const LinpackInput& asked,
                              const std::string& program) {
  ResultRecords out;
  out.validator = "hpl";
  out.headers = 1;
  std::vector<Solution> solutions;
  std::size_t residuals = 0, failed = 0;
  std::string_view last;
  std::string refused;
  for (const std::string& whole : lines) {
    const std::string_view line = std::string_view(whole).substr(0, kLongest);
    if (line.starts_with(kHplRefused) && refused.empty()) refused = printable(line.substr(kHplRefused.size()));
    // mpirun frames what it says with lines of dashes.
    if (line.find_first_not_of(" \t\r-=") != line.npos) last = line;
    if (const auto solution = solution_in(line)) {
      solutions.push_back(*solution);
    } else if (const auto residual = residual_in(line); residual && !solutions.empty()) {
      ++residuals;
      // What a program calls passed passes by the number beside it, too.
      const bool small = residual->value && std::isfinite(*residual->value) && *residual->value < kThreshold;
      if (!residual->passed || !small) ++failed;
    }
  }
  const auto end = [&](std::string why) {
    out.error = std::move(why);
    out.unexplained = refused.empty();
    return out;
  };
  if (!refused.empty()) return end(refused);
  if (solutions.empty())
    return end("printed nothing that HPL prints" +
               (last.empty() ? std::string() : "; its last line: " + printable(last.substr(0, 200))));
  if (solutions.size() > 1)
    return end(
        format("contradictory: {} results of HPL in one (each rank ran alone: launcher and program use "
               "different MPI libraries)",
               solutions.size()));
  const Solution& solution = solutions.front();
  if (!(solution.input == asked))
    return end(format("solved another system ({}) than it was asked for ({})", shape(solution.input), shape(asked)));
  if (residuals == 0) return end("cut off before its residual");
  MeasurementRecord m{.metric = "hpl.score", .unit = "FLOP/s", .device = printable(program)};
  m.value = solution.gflops * 1e9;
  m.count = 1;
  m.size = static_cast<std::int64_t>(8.0 * static_cast<double>(asked.order) * static_cast<double>(asked.order + 1));
  m.checked = static_cast<std::int64_t>(residuals);
  m.wrong = static_cast<std::int64_t>(failed);
  m.data_verified = failed == 0;
  if (!std::isfinite(m.value) || m.value <= 0 || m.value > 1e24)
    m.damaged = format("damaged record: 'Gflops' is {:.6g}", solution.gflops);
  else if (!agrees(solution))
    m.damaged =
        format("contradictory: N {} in {:.2f} s are not {:.6g} Gflops", asked.order, solution.seconds, solution.gflops);
  if (!m.damaged.empty()) m.value = 0;
  out.told_measurements = 1;
  out.told_wrong = m.wrong;
  out.told_verified = m.data_verified;
  out.measurements.push_back(std::move(m));
  out.done = true;
  return out;
}

}  // namespace clusterc
