#include "audit/files/slurm_values.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "model/node_memory.h"

namespace clusterc {

SlurmMemory slurm_memory(std::int64_t mib) {
  std::int64_t best = 0, best_count = 0, best_size = 0;
  for (const std::int64_t count : {16, 24, 32, 12, 8, 4, 2})
    for (const std::int64_t gib : {64, 32, 128, 16, 96, 48, 256, 8}) {
      const std::int64_t all = count * gib * 1024;
      if (all >= mib && all - all / 25 <= mib && (best == 0 || all < best))
        best = all, best_count = count, best_size = gib;
    }
  if (best > 0) {
    const std::int64_t jobs = best - system_memory_of_real_machine(best);
    return {format("{} x {} GiB", best_count, best_size),
            best == mib ? format("RealMemory={} is all of these modules: such a node is drained. clusterc compiles {}.",
                                 mib, jobs)
                        : format("RealMemory={}: the modules are the usual ones that hold so much.", mib),
            best != mib};
  }
  // So much that less 1/32 of it is left.
  std::int64_t fitted = mib + mib / 31;
  while (fitted - system_memory_of_real_machine(fitted) < mib) ++fitted;
  return {format("1 x {} MiB", fitted),
          format("RealMemory={}: no usual set of equal modules holds so much. Write the modules that are fitted.", mib),
          true};
}

std::set<std::string, std::less<>> slurm_type_words(std::string_view text) {
  std::set<std::string, std::less<>> out;
  std::string word;
  for (const char c : to_lower(text) + "-")
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      word += c;
    } else if (!word.empty()) {
      if (word.size() > 2 && word.ends_with("gb")) word.resize(word.size() - 2);
      out.insert(std::exchange(word, {}));
    }
  for (const std::string_view brand : {"nvidia", "amd", "intel", "tesla", "geforce", "gpu"})
    out.erase(std::string(brand));
  return out;
}

std::optional<std::int64_t> slurm_minutes(std::string_view text) {
  std::int64_t days = 0;
  const std::size_t dash = text.find('-');
  if (dash != text.npos) {
    const auto number = parse_uint(text.substr(0, dash));
    if (!number || *number > 100000) return std::nullopt;
    days = static_cast<std::int64_t>(*number);
    text.remove_prefix(dash + 1);
  }
  std::vector<std::int64_t> parts;
  for (const std::string_view part : split(text, ':')) {
    const auto number = parse_uint(part);
    if (!number || *number > 100'000'000 || parts.size() == 3) return std::nullopt;
    parts.push_back(static_cast<std::int64_t>(*number));
  }
  const auto at = [&](std::size_t i) { return i < parts.size() ? parts[i] : 0; };
  if (dash != text.npos || days > 0) return days * 1440 + at(0) * 60 + at(1);
  return parts.size() == 3 ? at(0) * 60 + at(1) : at(0);
}

}  // namespace clusterc
