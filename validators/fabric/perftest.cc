#include "fabric/perftest.h"

#include <charconv>
#include <cmath>

#include "base/format.h"
#include "base/text.h"

namespace clusterc::fabric {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != line.npos;) {
    const auto end = std::min(line.find_first_of(" \t\r", at), line.size());
    out.push_back(line.substr(at, end - at));
    at = end;
  }
  return out;
}

std::optional<double> number(std::string_view word) {
  double value = 0;
  const auto [next, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  return failed == std::errc() && next == word.data() + word.size() && std::isfinite(value) ? std::optional(value)
                                                                                            : std::nullopt;
}

// B/s in one of the units of the column "BW average[…]". perftest's megabyte has 2^20 bytes, which newer releases write
// as MiB.
double unit_of(std::string_view word) {
  if (word == "average[Gb/sec]") return 1e9 / 8;
  return word == "average[MB/sec]" || word == "average[MiB/sec]" ? 1048576.0 : 0;
}

}  // namespace

std::vector<std::string> perftest_arguments(const PerftestRun& run) {
  std::vector<std::string> out = {run.program, "--ib-dev=" + run.device, format("--ib-port={}", run.port),
                                  format("--port={}", run.tcp_port), format("--size={}", run.size)};
  if (run.gid_index) out.push_back(format("--gid-index={}", *run.gid_index));
  if (run.test == Perftest::both) out.emplace_back("--bidirectional");
  out.insert(out.end(), run.memory.begin(), run.memory.end());
  if (run.test != Perftest::latency)
    out.insert(out.end(), {"--report_gbits", format("--duration={}", run.seconds)});
  else
    out.push_back(format("--iters={}", run.iterations));
  out.push_back("--CPU-freq");  // a processor that changes its clock is no reason to refuse
  if (!run.peer.empty()) out.push_back(run.peer);
  return out;
}

std::optional<PerftestResult> parse_perftest(std::string_view text, Perftest test) {
  PerftestResult out;
  double unit = 0;
  bool header = false;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> words = words_of(line);
    // " Mtu             : 4096[B]"
    if (words.size() == 3 && words[0] == "Mtu" && words[1] == ":" && words[2].ends_with("[B]"))
      out.mtu = static_cast<std::uint64_t>(std::max(0.0, number(words[2].substr(0, words[2].size() - 3)).value_or(0)));
    if (words.size() >= 6 && words[0] == "#bytes" && words[1] == "#iterations") {
      // " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]"; " #bytes #iterations
      // t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec] …   99% percentile[usec] …"
      header = test != Perftest::latency ? (unit = unit_of(words[5])) > 0
                                         : words[2] == "t_min[usec]" && words[4] == "t_typical[usec]";
      continue;
    }
    if (!header || words.size() < (test != Perftest::latency ? 5u : 9u)) continue;
    std::vector<double> values;
    for (const std::string_view word : words) {
      const auto value = number(word);
      if (!value || *value < 0) break;
      values.push_back(*value);
    }
    if (values.size() < (test != Perftest::latency ? 5u : 9u) || values[0] > 1e18 || values[1] > 1e18) continue;
    out.size = static_cast<std::uint64_t>(values[0]);
    out.iterations = static_cast<std::uint64_t>(values[1]);
    out.value = test != Perftest::latency ? values[3] * unit : values[4] * 1e-6;
    out.tail = test != Perftest::latency ? 0 : values[7] * 1e-6;
    return out.value > 0 && out.iterations > 0 ? std::optional(out) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace clusterc::fabric
