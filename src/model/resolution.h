// What the steps of resolve_cluster share: the three arguments, look-ups that report, and the steps themselves.
// Internal to src/model/.
#pragma once
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/format.h"
#include "diag/near.h"
#include "model/cluster.h"

namespace clusterc {

// The user wrote something there; where it has no value all the same, the reader has said why.
template <class T>
bool was_written(const Value<T>& v) {
  return v.origin != Origin::absent || v.span.valid();
}

// Parts that are not spelt alike and share what the name says: `hgx-h200` and the servers with that GPU. Else where the
// others are found.
void suggest_by_meaning(Finding&, Catalog&, std::string_view written, PartKind);
// The catalogue's switch of this kind with ports of this rate, or the next higher one; the first by name. Empty: none.
std::string fitting_switch(Catalog&, LinkKind, BitsPerSecond);

struct Resolution {
  Cluster& cluster;
  Catalog& catalog;
  Findings& findings;
  Resolution(Cluster& c, Catalog& k, Findings& f) : cluster(c), catalog(k), findings(f) {}

  // Adds an error unless this rule has already spoken about this place (a server part that ten groups use is one
  // cause).
  Finding* error(std::string_view rule, SourceSpan at, std::string message) {
    if (at.valid() && !said_.insert({at.file, at.begin, std::string(rule)}).second) return nullptr;
    return &findings.error(rule, at, std::move(message));
  }

  // A name of the spec's own. -1: nothing was written, or it was reported.
  template <class Entries>
  int find(const Value<std::string>& name, const Entries& entries, std::string_view kind) {
    return name ? find(*name, name.span, entries, kind) : -1;
  }
  template <class Entries>
  int find(std::string_view name, SourceSpan at, const Entries& entries, std::string_view kind) {
    if (const int i = index_of(name, entries); i >= 0) return i;
    if (Finding* f = unknown_name(name, at, entries.size(), kind)) {
      std::vector<std::string_view> known;
      known.reserve(entries.size());
      for (const auto& e : entries) known.push_back(e.name);
      suggest_known(*f, name, at, known);
    }
    return -1;
  }
  // The first of this name; -1: there is none. Many entries get an index at the first question.
  template <class Entries>
  int index_of(std::string_view name, const Entries& entries) {
    constexpr std::size_t kFew = 32;
    if (entries.size() <= kFew) {
      int i = 0;
      for (const auto& e : entries) {
        if (e.name == name) return i;
        ++i;
      }
      return -1;
    }
    Index& index = indices_[&entries];
    const void* const first = &*entries.begin();
    if (index.first != first || index.size != entries.size()) {  // it has grown since
      index = {first, entries.size(), {}};
      index.at.reserve(entries.size());
      int i = 0;
      for (const auto& e : entries) index.at.emplace(e.name, i++);
    }
    const auto found = index.at.find(name);
    return found == index.at.end() ? -1 : found->second;
  }
  void unknown_name(std::string_view name, SourceSpan at, const std::vector<std::string_view>& known,
                    std::string_view kind) {
    if (Finding* f = unknown_name(name, at, known.size(), kind)) suggest_known(*f, name, at, known);
  }

  // A catalogue part; nullptr: nothing was written, or it was reported.
  template <class Part>
  const Part* part(const Value<std::string>& id, PartKind kind, const Part* (Catalog::*look_up)(std::string_view)) {
    if (!id) return nullptr;
    if (const Part* p = (catalog.*look_up)(*id)) return p;
    if (Finding* f =
            error("spec-unknown-part", id.span, format("the catalogue has no {} '{}'", part_kind_name(kind), *id))) {
      suggest_part(*f, id, catalog.known(kind));
      if (!f->fix && f->helps.empty()) suggest_by_meaning(*f, catalog, *id, kind);
    }
    return nullptr;
  }

  // One letter more or less is another product ('p5.48xlarge', 'p5e.48xlarge'): a question. What differs in case and
  // punctuation alone is meant, and mended.
  static void suggest_part(Finding& f, const Value<std::string>& id, const std::vector<std::string_view>& known) {
    const auto bare = [](std::string_view text) {
      std::string out;
      for (const char c : text)
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'))
          out += c;
        else if (c >= 'A' && c <= 'Z')
          out += static_cast<char>(c - 'A' + 'a');
      return out;
    };
    const std::string written = bare(*id);
    std::vector<std::string_view> same;
    for (const std::string_view name : known)
      if (bare(name) == written) same.push_back(name);
    const std::size_t length = id.span.end - id.span.begin;
    if (same.size() == 1 && id.span.valid() && (length == id->size() || length == id->size() + 2))
      f.fixed_by(format("write '{}'", same.front()), {{id.span, std::string(same.front())}});
    else
      offer_names(f, *id, known);
  }

  // What the site leaves to be chosen, and has no safe default.
  void missing(SourceSpan at, std::string message, std::string help) {
    if (Finding* f = error("spec-missing-choice", at, std::move(message))) f->help(std::move(help));
  }

 private:
  // Of thousands of wrong names the first get a suggestion: each is held against all known ones. Null: this one gets
  // none.
  static constexpr std::size_t kMostCompared = 1'000'000;
  Finding* unknown_name(std::string_view name, SourceSpan at, std::size_t known, std::string_view kind) {
    Finding* f = error("spec-unknown-name", at, format("no {} is named '{}'", kind, name));
    if (f && known == 0) f->help(format("this spec has no {}", kind));
    return f && known > 0 && (compared_ += known) <= kMostCompared ? f : nullptr;
  }
  static void suggest_known(Finding& f, std::string_view name, SourceSpan at,
                            const std::vector<std::string_view>& known) {
    suggest(f, at, name, known);
    if (f.helps.empty()) list_known(f, name, known);
  }
  struct Index {
    const void* first = nullptr;
    std::size_t size = 0;
    std::unordered_map<std::string_view, int> at;
  };
  std::set<std::tuple<FileId, std::uint32_t, std::string>> said_;
  std::unordered_map<const void*, Index> indices_;
  std::size_t compared_ = 0;
};

// The steps, in order. Each expects what the ones before it have filled.
void resolve_site(Resolution&);   // feeds, panels, zones, racks, assemblies
void resolve_nodes(Resolution&);  // node groups with their servers
void resolve_storage(Resolution&);
void resolve_networks(Resolution&);
void resolve_cables(Resolution&);  // the catalogue's cables, where there is something to cable
void resolve_references(
    Resolution&);  // names in parts of the spec that have no model of their own: teams, workloads, targets, scheduler
void resolve_software(Resolution&);  // defaults of the scheduler, then the software of each group
void check_pcie_places(Resolution&, const ServerModel&, std::string_view group,
                       SourceSpan at);  // pcie_places.cc: places that cannot be
void check_host_names(Resolution&);     // one name twice, over groups

// Shared by servers and storage systems.
std::vector<NicSet> resolve_nics(Resolution&, const NamedMap<PartCount>&);

}  // namespace clusterc
