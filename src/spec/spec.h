// The spec language, version 1, as types. docs/language.md explains it; schemas/spec.schema.json and
// docs/spec-reference.md are generated from here.
// Each section has a header of its own (spec/network.h); this one only names them, so that a change in one section
// rebuilds the files that read it. Who needs them all includes spec/sections.h.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fields/apart.h"
#include "fields/fields.h"
#include "fields/scalars.h"

namespace clusterc {

class Document;
class Findings;
class Sources;
struct Acceptance;
struct AssemblyGroup;
struct CablingWish;
struct Network;
struct NodeGroup;
struct NvlinkDomain;
struct OutputWish;
struct Phase;
struct Prices;
struct RackGroup;
struct Site;
struct Software;
struct Storage;
struct Targets;
struct Team;
struct Workload;
struct WrittenLimit;

struct Spec {
  Spec();
  ~Spec();
  Spec(const Spec&);
  Spec& operator=(const Spec&);
  Spec(Spec&&) noexcept;
  Spec& operator=(Spec&&) noexcept;

  SourceSpan span;
  Value<std::int64_t> language;
  Value<Version> rules;
  Value<std::string> name, description, inventory, templates;
  std::vector<Value<std::string>> parts;
  MaybeApart<Site> site;
  NamedMap<RackGroup> racks;
  NamedMap<AssemblyGroup> assemblies;
  NamedMap<NodeGroup> nodes;
  NamedMap<Network> networks;
  Apart<CablingWish> cabling;
  NamedMap<NvlinkDomain> nvlink;
  NamedMap<Storage> storage;
  Apart<Software> software;
  NamedMap<Team> teams;
  NamedMap<Workload> workloads;
  Apart<Targets> targets;
  MaybeApart<Prices> prices;
  NamedMap<Phase> phases;
  std::vector<Acceptance> accept;
  NamedMap<Value<std::string>> severity;
  NamedMap<Value<WrittenLimit>> thresholds;
  NamedMap<OutputWish> outputs;
  static constexpr std::string_view type_name = "spec";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("clusterc", s.language, {.required = true, .doc = "version of this language: 1", .least = 1, .most = 1});
    v("rules", s.rules,
      {.standard = "2026.11",
       .why = "the only edition so far",
       .doc = "edition of the rule book that judges this spec"});
    v("name", s.name, {.required = true, .doc = "name of the cluster: letters, digits and hyphens"});
    v("description", s.description, {.doc = "one sentence for people"});
    v("parts", s.parts, {.doc = "folders of own parts, relative to the spec"});
    v("inventory", s.inventory,
      {.doc = "CSV with MAC, serial, BMC address and asset tag of each device, relative to the spec"});
    v("templates", s.templates, {.doc = "folder of overrides for compiled files, relative to the spec"});
    v("site", s.site, {.required = true, .doc = "the room, or cloud"});
    v("racks", s.racks, {.doc = "racks by group"});
    v("assemblies", s.assemblies, {.doc = "rack-scale systems by group"});
    v("nodes", s.nodes, {.required = true, .doc = "nodes by group"});
    v("networks", s.networks, {.doc = "networks by name"});
    v("cabling", s.cabling, {.doc = "slack, spares and bundles of cables"});
    v("nvlink", s.nvlink, {.doc = "NVLink domains that span nodes, where no assembly says so"});
    v("storage", s.storage, {.doc = "storage by name"});
    v("software", s.software, {.doc = "software of every node"});
    v("teams", s.teams, {.doc = "who shares the cluster"});
    v("workloads", s.workloads, {.doc = "jobs that it is built for"});
    v("targets", s.targets, {.doc = "figures that it must reach"});
    v("prices", s.prices, {.doc = "what things cost, for the cost of the plan"});
    v("phases", s.phases, {.doc = "steps in which the cluster grows, in order; the last one is the whole spec"});
    v("accept", s.accept, {.doc = "findings that are accepted, with reason and date"});
    v("severity", s.severity, {.doc = "rules whose severity is raised: { cool-density-beyond-method: error }"});
    v("thresholds", s.thresholds,
      {.doc = "limits of policy that this site sets otherwise, by rule: { rack-heavy-device-placed-high: 30 kg }"});
    v("outputs", s.outputs, {.doc = "wishes for compiled files, by output"});
  }
};

// Reads the typed spec; everything wrong with it is in `findings`, nothing is dropped silently. nullopt when too little
// is there to go on (the root is no mapping, or `clusterc:` names another language). Beyond the descriptors it checks:
// the name's letters, name patterns, prefixes and paths are well formed, a secret reference has exactly one of its
// keys, exactly one of model/server/from/instance/virtual_machine in a node group (a model or server may be changed by
// the group's own fittings), `region` and `supply` on a site of one's own. `change`: done to the spec when it was read
// and before it is judged (`--option`).
std::optional<Spec> read_spec(const Document&, const Sources&, Findings&,
                              const std::function<void(Spec&)>& change = {});

}  // namespace clusterc
