#include "rules/unchecked.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/format.h"

namespace clusterc {
namespace {

// What rules say of a check that they did not make.
constexpr std::array<std::string_view, 4> kWords = {"not checked", "not compared", "not counted", "not judged"};

std::vector<std::string> keys_of(std::string_view message) {
  std::vector<std::string> keys;
  for (std::size_t at = message.find('`'); at != message.npos;) {
    const std::size_t end = message.find('`', at + 1);
    if (end == message.npos) break;
    std::string key(message.substr(at, end - at + 1));
    if (key.size() > 2 && std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
    at = message.find('`', end + 1);
  }
  return keys;
}

}  // namespace

std::string UncheckedSection::text() const {
  std::string list;
  for (std::size_t i = 0; i < keys.size(); ++i) list += (i == 0 ? "" : i + 1 == keys.size() ? " and " : ", ") + keys[i];
  return format("{}: {} {} not made for want of {} (--verbose lists {})", section, checks,
                checks == 1 ? "check was" : "checks were", list, checks == 1 ? "it" : "them");
}

bool wants_a_key(const Finding& f) {
  return f.severity == Severity::note && !f.accepted && !f.in_baseline &&
         std::ranges::any_of(kWords, [&](std::string_view w) { return f.message.find(w) != std::string::npos; }) &&
         !keys_of(f.message).empty();
}

std::vector<UncheckedSection> fold_unchecked(Findings& findings) {
  std::vector<UncheckedSection> sections;
  std::erase_if(findings.all(), [&](const Finding& f) {
    if (!wants_a_key(f)) return false;
    const std::string section = f.key_path.empty() ? "spec" : f.key_path.substr(0, f.key_path.find('.'));
    auto at = std::ranges::find(sections, section, &UncheckedSection::section);
    if (at == sections.end()) at = sections.insert(at, UncheckedSection{section, {}, 0});
    ++at->checks;
    for (std::string& key : keys_of(f.message))
      if (std::ranges::find(at->keys, key) == at->keys.end()) at->keys.push_back(std::move(key));
    return true;
  });
  return sections;
}

}  // namespace clusterc
