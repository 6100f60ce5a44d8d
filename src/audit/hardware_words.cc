#include "audit/hardware_words.h"

#include <algorithm>
#include <array>
#include <cstdint>
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

// What the name of a GPU has to say, because the model is made in several variants.
struct Variants {
  std::string_view model;
  bool form, memory;
};
// H100: as PCIe card the memory is always 80 GB, as NVL 94 GB; as module there are 64, 80 and 96 GB.
constexpr std::array kVariants = {Variants{"h100", true, false}, Variants{"h800", true, false},
                                  Variants{"h200", true, false}, Variants{"h20", false, true},
                                  Variants{"a100", true, true},  Variants{"a800", true, true},
                                  Variants{"v100", true, true},  Variants{"gh200", false, true}};

enum class Form : std::uint8_t { unsaid, card, nvl, module };

// NVIDIA's driver calls the modules by their memory: "NVIDIA H100 80GB HBM3". No PCIe card but NVL has HBM3.
Form form_in(const Words& name, bool nvidia) {
  const auto begins = [&](std::string_view with) {
    return std::ranges::any_of(name, [&](const std::string& w) { return w.starts_with(with); });
  };
  if (has(name, "nvl")) return Form::nvl;
  if (has(name, "pcie")) return Form::card;
  if (begins("sxm") || has(name, "oam") || (nvidia && begins("hbm3"))) return Form::module;
  return Form::unsaid;
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
  bool open = false;
  if (mine.front() == "6000")  // RTX 6000 Ada, RTX PRO 6000 Blackwell Server Edition and others
    for (const std::string_view edition : {"ada", "pro", "server", "workstation", "max"}) {
      if (has(there, edition) && !has(planned, edition)) return false;
      open = open || has(there, edition) != has(planned, edition);
    }
  const bool nvidia = has(planned, "nvidia"), superchip = part.form && *part.form == GpuForm::superchip;
  const auto variants = std::ranges::find(kVariants, std::string_view(mine.front()), &Variants::model);
  const Form form = form_in(there, nvidia && !superchip);
  if (part.form && !superchip && form != Form::unsaid) {
    const Form wanted = *part.form != GpuForm::pcie ? Form::module : has(planned, "nvl") ? Form::nvl : Form::card;
    if (wanted == Form::nvl && form == Form::card)
      open = true;  // NVL is a PCIe card too
    else if (form != wanted)
      return false;
  } else if (!superchip) {
    open = open || (variants != kVariants.end() && variants->form);
  }
  const auto of = [](const Words& all) { return std::ranges::find_if(all, is_memory); };
  const auto a = of(planned), b = of(there);
  if (a != planned.end() && b != there.end()) {
    if (*a == *b) return open ? std::nullopt : std::optional(true);
    if (superchip) return std::nullopt;  // "GH200 480GB" is the memory of the processor
    return false;
  }
  const bool needs_memory = variants != kVariants.end() && (variants->memory || form == Form::module);
  return open || (needs_memory && mine.front() != "h200") ? std::nullopt : std::optional(true);
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
