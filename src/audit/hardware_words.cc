#include "audit/hardware_words.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.h"

namespace clusterc {
namespace {

using Words = std::vector<std::string>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

// "AMD EPYC 9654 96-Core" -> amd, epyc, 9654, 96, core. "80 GB" is one word: 80gb.
Words words(std::string_view text) {
  Words out;
  std::string word;
  for (const char c : to_lower(text) + " ")
    if (is_letter(c) || is_digit(c))
      word += c;
    else if (!word.empty())
      out.push_back(std::exchange(word, {}));
  for (std::size_t i = 0; i + 1 < out.size(); ++i)
    if ((out[i + 1] == "gb" || out[i + 1] == "gib") && std::ranges::all_of(out[i], is_digit)) {
      out[i] += "gb";
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
  return out;
}

bool has(const Words& all, std::string_view word) { return std::ranges::find(all, word) != all.end(); }

bool is_memory(const std::string& word) {
  return word.size() > 2 && word.ends_with("gb") && std::all_of(word.begin(), word.end() - 2, is_digit);
}

// A number that names a processor: 9654, 8462y, 75f3, 6787p.
bool is_cpu_number(const std::string& word) {
  return word.size() >= 4 && is_digit(word[0]) && std::ranges::count_if(word, is_digit) >= 3 &&
         !word.ends_with("ghz") && !word.ends_with("mhz");
}

// A word that names a GPU: h100, mi300x, l40s, 6000.
bool is_gpu_word(const std::string& word) {
  if (is_memory(word) || word.starts_with("sxm") || word.starts_with("hbm") || word.starts_with("gddr") ||
      word.starts_with("oam") || word.starts_with("pcie"))
    return false;
  return word.size() >= 2 && std::ranges::any_of(word, is_digit);
}

template <class Test>
Words of_kind(const Words& all, Test test) {
  Words out;
  std::ranges::copy_if(all, std::back_inserter(out), test);
  return out;
}

}  // namespace

std::optional<bool> is_cpu(const CpuPart& part, std::string_view seen) {
  if (!part.name) return std::nullopt;
  const Words planned = of_kind(words(*part.name), is_cpu_number), there = of_kind(words(seen), is_cpu_number);
  if (planned.empty() || there.empty()) return std::nullopt;
  return std::ranges::any_of(planned, [&](const std::string& word) { return has(there, word); });
}

std::optional<bool> is_gpu(const GpuPart& part, std::string_view seen) {
  if (!part.name) return std::nullopt;
  const Words planned = words(*part.name), there = words(seen);
  const Words mine = of_kind(planned, is_gpu_word), theirs = of_kind(there, is_gpu_word);
  if (mine.empty() || theirs.empty()) return std::nullopt;
  if (!has(theirs, mine.front())) return false;
  const auto of = [](const Words& all) { return std::ranges::find_if(all, is_memory); };
  if (const auto a = of(planned), b = of(there); a != planned.end() && b != there.end() && *a != *b) return false;
  const bool card = has(there, "pcie") || has(there, "nvl");
  const bool module = std::ranges::any_of(there, [](const std::string& w) { return w.starts_with("sxm"); });
  if (part.form && card != module) return (*part.form == GpuForm::pcie) == card;
  return true;
}

std::string adapter_family(std::string_view text) {
  struct Row {
    std::string_view word, family;
  };
  // Order numbers begin as NVIDIA's adapter manuals list them; the longer beginning stands first.
  static constexpr std::array rows = {
      Row{"connectx-8", "ConnectX-8"},
      Row{"connectx8", "ConnectX-8"},
      Row{"connectx-7", "ConnectX-7"},
      Row{"connectx7", "ConnectX-7"},
      Row{"connectx-6", "ConnectX-6"},
      Row{"connectx6", "ConnectX-6"},
      Row{"connectx-5", "ConnectX-5"},
      Row{"connectx5", "ConnectX-5"},
      Row{"bluefield-3", "BlueField-3"},
      Row{"bluefield3", "BlueField-3"},
      Row{"bluefield-2", "BlueField-2"},
      Row{"bluefield2", "BlueField-2"},
      Row{"mcx8", "ConnectX-8"},
      Row{"mcx7", "ConnectX-7"},
      Row{"mcx6", "ConnectX-6"},
      Row{"mcx5", "ConnectX-5"},
      Row{"mbf3", "BlueField-3"},
      Row{"mbf2", "BlueField-2"},
      Row{"e810", "E810"},
      Row{"bcm57608", "BCM57608"},
      Row{"thor 2", "BCM57608"},
      Row{"bcm57508", "BCM57508"},
      Row{"pollara", "Pollara"},
  };
  const std::string low = to_lower(text);
  for (const Row& row : rows)
    if (low.find(row.word) != std::string::npos) return std::string(row.family);
  return {};
}

}  // namespace clusterc
