// Parts by what their names mean: "hgx-h200" is no part, and the servers with H200 GPUs are. A name of a part is made
// of words between hyphens; the words with a digit are those of a generation or model (h200, cx7, sn5600, 9654), the
// others those of makers and series.
#include <algorithm>

#include "base/text.h"
#include "model/resolution.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostNames = 3;
constexpr std::size_t kLongest = 64;

bool has_digit(std::string_view word) { return word.find_first_of("0123456789") != word.npos; }
bool has_letter(std::string_view word) {
  return std::ranges::any_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

// "8 x HGX_H200-141GB" -> hgx, h200, 141gb
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto end = [&] {
    if (word.size() > 1) words.push_back(word);
    word.clear();
  };
  for (const char c : to_lower(name.substr(0, kLongest)))
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      word += c;
    else
      end();
  end();
  return words;
}

// How many of the words of a generation stand among those of a known name.
std::size_t shared(const std::vector<std::string>& wanted, std::string_view known) {
  const std::vector<std::string> words = words_of(known);
  return static_cast<std::size_t>(std::ranges::count_if(wanted, [&](const std::string& word) {
    return has_digit(word) && has_letter(word) && std::ranges::find(words, word) != words.end();
  }));
}

std::string gpus_of(Catalog& catalog, std::string_view server) {
  const ServerPart* part = catalog.server(server);
  return part && part->gpus && part->gpus->model ? *part->gpus->model : std::string();
}

// A server that is sold with its adapters is complete: the networks of a spec find their ports on it.
bool has_adapters(Catalog& catalog, std::string_view server) {
  const ServerPart* part = catalog.server(server);
  return part && !part->nics.empty();
}

}  // namespace

void suggest_by_meaning(Finding& f, Catalog& catalog, std::string_view written, PartKind kind) {
  const std::vector<std::string> wanted = words_of(written);
  std::vector<std::string> names;
  std::size_t most = 0;
  const auto take = [&](std::string_view id, std::size_t count) {
    if (count == 0 || count < most) return;
    if (count > most) names.clear();
    most = count;
    names.emplace_back(id);
  };
  const std::vector<std::string_view> known = catalog.known(kind);
  for (const std::string_view id : known) take(id, shared(wanted, id));
  std::string what = format("{}s with such a name", part_kind_name(kind));
  std::size_t complete = kMostNames;  // of the names, servers with their adapters
  if (names.empty() && kind == PartKind::server) {
    for (const std::string_view id : known) take(id, shared(wanted, gpus_of(catalog, id)));
    what = "servers with that GPU";
  }
  if (kind == PartKind::server)
    if (const auto bare =
            std::ranges::stable_partition(names, [&](const std::string& id) { return has_adapters(catalog, id); });
        bare.begin() != names.begin())
      complete = static_cast<std::size_t>(bare.begin() - names.begin());
  const std::size_t shown = std::min({names.size(), kMostNames, complete});
  if (kind == PartKind::switch_) what = "switches with such a name";
  if (names.empty()) {
    f.help(format("`clusterc catalog {}` lists those that there are", part_kind_name(kind)));
    return;
  }
  std::string list;
  for (std::size_t i = 0; i < shown; ++i)
    list += format("{}`{}`", i == 0 ? "" : i + 1 == shown ? " or " : ", ", names[i]);
  f.help(format("{}: write {}{}", what, list,
                names.size() > shown ? format("; {} more are in `clusterc catalog {}`", names.size() - shown,
                                              *std::ranges::find_if(wanted, has_digit))
                                     : std::string()));
  f.misspelt = written;
  f.meant.assign(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown));
}

std::string fitting_switch(Catalog& catalog, LinkKind kind, BitsPerSecond rate) {
  std::string best;
  double slowest = 0;
  for (const std::string_view id : catalog.known(PartKind::switch_)) {
    const SwitchPart* s = catalog.switch_(id);
    if (!s || !s->link || *s->link != kind || !s->port_rate || *s->port_rate < rate) continue;
    if (!best.empty() && s->port_rate->value >= slowest) continue;
    best = id;
    slowest = s->port_rate->value;
  }
  return best;
}

}  // namespace clusterc
