// The short forms of the language: a scalar where a mapping could stand.
#include <cmath>

#include "base/format.h"
#include "fields/scalar_text.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/site.h"
#include "spec/software.h"
#include "spec/spec.h"
#include "spec/storage.h"
#include "spec/team.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// "first second" -> both words; one word leaves the second empty; anything else is refused.
bool two_words(std::string_view text, std::string_view& first, std::string_view& second) {
  text = trimmed(text);
  const auto blank = text.find(' ');
  first = text.substr(0, blank);
  second = blank == text.npos ? std::string_view() : trimmed(text.substr(blank));
  return !first.empty() && second.find(' ') == second.npos;
}

bool name_and_version(std::string_view text, std::string_view example, Value<std::string>& kind,
                      Value<Version>& version, std::string& error) {
  std::string_view name, release;
  if (!two_words(text, name, release)) {
    error = format("written as a name and a version, such as '{}'; '{}' is not", example, text);
    return false;
  }
  kind.value = std::string(name);
  if (!release.empty()) {
    version.value = Version::parse(release, error);
    return version.value.has_value();
  }
  return true;
}

}  // namespace

bool Site::from_text(std::string_view text, Site& out, std::string& error) {
  if (text != "cloud") {
    error = format("a site is a mapping, or the word cloud; '{}' is neither", text);
    return false;
  }
  out.kind.value = SiteKind::cloud;
  return true;
}

bool ShelfCount::from_text(std::string_view text, ShelfCount& out, std::string& error) {
  std::string_view number, unit;
  NumberProblem problem;
  const bool words = two_words(text, number, unit);
  const auto count = parse_whole(number, problem);
  if (!words || !count || (unit != "shelves" && unit != "shelf")) {
    error = format("power shelves are written as '4 shelves'; '{}' is not", text);
    return false;
  }
  out.shelves.value = *count;
  return true;
}

bool Scheduler::from_text(std::string_view text, Scheduler& out, std::string& error) {
  std::string_view name, release;
  if (two_words(text, name, release))
    for (const auto& [kind, word] : EnumNames<SchedulerKind>::names)
      if (word == name) {
        out.kind.value = kind;
        if (release.empty()) return true;
        out.version.value = Version::parse(release, error);
        return out.version.value.has_value();
      }
  error = format("a scheduler is slurm, kubernetes or none, with or without a version; '{}' is not", text);
  return false;
}

bool MpiStack::from_text(std::string_view text, MpiStack& out, std::string& error) {
  return name_and_version(text, "openmpi 4.1", out.kind, out.version, error);
}
bool NamedVersion::from_text(std::string_view text, NamedVersion& out, std::string& error) {
  return name_and_version(text, "docker 27.3", out.kind, out.version, error);
}
bool FabricSoftware::from_text(std::string_view text, FabricSoftware& out, std::string& error) {
  return name_and_version(text, "doca-ofed 24.10", out.kind, out.version, error);
}

bool RackPosition::from_text(std::string_view text, RackPosition& out, std::string& error) {
  const auto slash = text.find('/');
  const std::string_view rack = trimmed(text.substr(0, slash));
  if (slash != text.npos) {
    std::string_view unit = trimmed(text.substr(slash + 1));
    if (unit.starts_with('U')) unit.remove_prefix(1);
    NumberProblem problem;
    const auto number = parse_whole(unit, problem);
    if (number) out.unit.value = *number;
  }
  if (rack.empty() || rack.find(' ') != rack.npos || (slash != text.npos && !out.unit)) {
    error = format("a place is written as 'r01/U5'; '{}' is not", text);
    return false;
  }
  out.rack.value = std::string(rack);
  return true;
}

bool Connection::from_text(std::string_view text, Connection& out, std::string& error) {
  NumberProblem problem;
  if (text == "all") {
    out.all.value = true;
  } else if (const auto count = parse_whole(text, problem)) {
    out.count.value = *count;
  } else {
    error = format("a connection is a number of ports, the word all, or {{ ports: … }}; '{}' is none of these", text);
    return false;
  }
  return true;
}

bool Connects::from_text(std::string_view text, Connects& out, std::string& error) {
  if (text != "everything") {
    error = format("a mapping of groups, or the word everything; '{}' is neither", text);
    return false;
  }
  out.everything.value = true;
  return true;
}

bool StorageServers::from_text(std::string_view text, StorageServers& out, std::string& error) {
  if (text.empty() || text.find(' ') != text.npos) {
    error = format("servers are a node group, {{ model: … }} or {{ external: … }}; '{}' is no name of a group", text);
    return false;
  }
  out.nodes.value = std::string(text);
  return true;
}

bool StorageTargetSet::from_text(std::string_view text, StorageTargetSet& out, std::string& error) {
  text = trimmed(text);
  if (!text.starts_with('/')) {
    error = format("targets are paths on their servers, such as /dev/mapper/ost[0-5], or a mapping; '{}' is not", text);
    return false;
  }
  out.paths.value = std::string(text);
  return true;
}

bool StorageQuota::from_text(std::string_view text, StorageQuota& out, std::string& error) {
  QuantityError why{};
  const auto space = parse_quantity(trimmed(text), Dimension::bytes, why);
  if (!space) {
    error =
        format("a quota of storage is written as '50 TB', or {{ space: 50 TB, files: 10000000 }}; '{}' is not", text);
    return false;
  }
  out.space.value = Bytes(*space);
  return true;
}

bool QuotaAmount::from_text(std::string_view text, QuotaAmount& out, std::string& error) {
  std::string_view number, what;
  NumberProblem problem;
  const bool words = two_words(text, number, what);
  const auto amount = parse_whole(number, problem);
  if (!words || !amount || (what != "gpus" && what != "cores" && what != "nodes")) {
    error = format("a quota is written as '32 gpus', '1200 cores' or '4 nodes'; '{}' is not", text);
    return false;
  }
  out.amount.value = *amount;
  out.of.value = std::string(what);
  return true;
}

bool WorkloadLauncher::from_text(std::string_view text, WorkloadLauncher& out, std::string& error) {
  text = trimmed(text);
  if (text.empty() || text.find(' ') != text.npos) {
    error = format("a launcher is one word, such as torchrun, or a mapping; '{}' is not", text);
    return false;
  }
  out.kind.value = std::string(text);
  return true;
}

bool ModelShape::from_text(std::string_view text, ModelShape& out, std::string& error) {
  text = trimmed(text);
  if (text.empty() || text.find(' ') != text.npos) {
    error = format("a model is one word, such as llama-3.3-70b, or a mapping; '{}' is not", text);
    return false;
  }
  out.preset.value = std::string(text);
  return true;
}

bool LoraAdapters::from_text(std::string_view text, LoraAdapters& out, std::string& error) {
  NumberProblem problem;
  const auto rank = parse_ratio(text, problem);
  if (!rank || text.find_first_of("/%") != text.npos || *rank != std::floor(*rank) || *rank < 1 || *rank > 65536) {
    error = format("the rank of adapters is a whole number from 1 to 65536, as in 'lora: 16'; '{}' is not", text);
    return false;
  }
  out.rank.value = static_cast<std::int64_t>(*rank);
  return true;
}

bool TokenCount::from_text(std::string_view text, TokenCount& out, std::string& error) {
  std::string_view number, unit;
  NumberProblem problem;
  const bool words = two_words(text, number, unit);
  const auto amount = parse_ratio(number, problem);
  // 2^53: beyond it not every whole number is a double.
  if (!words || unit != "tokens" || !amount || number.find_first_of("/%") != number.npos ||
      *amount != std::floor(*amount) || std::abs(*amount) > 9007199254740992.0) {
    error = format("tokens are written as '4194304 tokens'; '{}' is not", text);
    return false;
  }
  out.tokens.value = static_cast<std::int64_t>(*amount);
  return true;
}

bool Emission::from_text(std::string_view text, Emission& out, std::string& error) {
  std::string_view number, unit;
  NumberProblem problem;
  const bool words = two_words(text, number, unit);
  const auto amount = parse_ratio(number, problem);
  const double grams = unit == "g/kWh" || unit == "kg/MWh" ? 1 : unit == "kg/kWh" || unit == "t/MWh" ? 1000 : 0;
  if (!words || grams == 0 || !amount || number.find_first_of("/%") != number.npos || !(*amount >= 0) ||
      *amount * grams > 1e6) {
    error = format("emissions are written as '380 g/kWh'; '{}' is not", text);
    return false;
  }
  out.grams_per_kwh.value = *amount * grams;
  return true;
}

}  // namespace clusterc
