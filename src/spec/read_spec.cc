// Document -> Spec: the descriptors do most of it; here stands what no descriptor can say.
#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/format.h"
#include "base/ip.h"
#include "base/text.h"
#include "fields/read.h"
#include "fields/scalar_text.h"
#include "spec/check_names.h"
#include "spec/check_software.h"
#include "spec/edition.h"
#include "spec/first_words.h"
#include "spec/judgement.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/site.h"
#include "spec/slips.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "spec/types.h"

namespace clusterc {
namespace {

class Checker : private NameChecks {
 public:
  Checker(const Document& document, const Sources& sources, Findings& findings)
      : NameChecks(sources, findings), d_(document), software_(sources, findings) {}

  void spec(const Spec& s) {
    cluster_name(s.name);
    known("name", s.name);
    edition(s.rules);
    for (const auto& folder : s.parts) relative_path("parts", folder);
    relative_path("inventory", s.inventory);
    relative_path("templates", s.templates);
    if (s.site) {
      site(*s.site);
      electricity(*s.site);
    }
    group_names("rack group", s.racks);
    for (const auto& [name, at, racks] : s.racks) {
      pattern(racks.names);
      known("names", racks.names);
      positive("budget", racks.budget);
      for (const auto& occupied : racks.occupied)
        for (const auto& rack : occupied.racks) pattern(rack);
    }
    group_names("assembly group", s.assemblies);
    for (const auto& [name, at, assembly] : s.assemblies) pattern(assembly.names);
    group_names("node group", s.nodes);
    for (const auto& [name, at, nodes] : s.nodes) {
      node_group(name, at, nodes);
      known("names", nodes.names);
      positive("job_memory", nodes.job_memory);
      positive("power_cap", nodes.power_cap);
      positive("gpu_power_limit", nodes.gpu_power_limit);
    }
    group_names("network", s.networks);
    for (const auto& [name, at, network] : s.networks) {
      addresses(network);
      positive("rate", network.rate);
      const NodeId map = top("networks"), entry = entry_of(map, name);
      if (has(entry, "connects") && d_.is_mapping(d_.find(entry, "connects")) &&
          d_.size(d_.find(entry, "connects")) == 0)
        findings_.error("spec-missing-choice", network.connects.span, format("network '{}' connects nobody", name))
            .help("name node groups and their ports: { gpu: { ports: compute } }, or write everything");
    }
    everything_once(s);
    group_names("nvlink domain", s.nvlink);
    group_names("storage", s.storage);
    for (const auto& [name, at, storage] : s.storage) {
      mount_point(storage.mount);
      const NodeId map = top("storage"), entry = entry_of(map, name);
      if (has(entry, "on") && d_.is_sequence(d_.find(entry, "on")) && d_.size(d_.find(entry, "on")) == 0)
        findings_
            .error("spec-missing-key", d_.span(d_.find(entry, "on")),
                   format("storage '{}' is mounted on no nodes", name))
            .help("name the node groups that mount it, or leave `on` out: then all groups mount it");
      if (storage.servers) storage_servers(at, name, *storage.servers);
      if (storage.demand) {
        positive("read", storage.demand->read);
        positive("write", storage.demand->write);
      }
    }
    mounted_once(s);
    group_names("team", s.teams);
    group_names("workload", s.workloads);
    for (const auto& [name, at, w] : s.workloads) workload(name, w);
    software_.software(s.software);
    check_prices(s, findings_);
    check_phases(s, findings_);
    check_slips(s, findings_);
    help_with_orders(d_, findings_);
    for (const auto& [name, at, level] : s.severity)
      if (level && *level != "warning" && *level != "error")
        findings_
            .error("spec-unknown-value", level.span,
                   format("'{}' must be warning or error, but '{}' is written there", name, *level))
            .help(
                "a severity can only be raised; if a finding should not count, accept it with a reason under 'accept'");
  }

 private:
  void workload(const std::string& name, const Workload& w) {
    for (const auto& [group, where, nodes] : w.on)
      if (nodes && *nodes < 1)
        findings_
            .error("spec-out-of-range", nodes.span,
                   format("workload '{}' runs on {} nodes of '{}'", name, *nodes, group))
            .help("write at least one node, or leave the group out");
    const NodeId map = top("workloads"), entry = entry_of(map, name);
    if (has(entry, "on") && d_.is_mapping(d_.find(entry, "on")) && d_.size(d_.find(entry, "on")) == 0)
      findings_.error("spec-missing-key", d_.span(d_.find(entry, "on")), format("workload '{}' runs on no nodes", name))
          .help("write the number of nodes of each group: `on: { gpu: 4 }`");
    requests(name, w);
    if (w.model && !w.model->parameters && !w.model->parameters.unknown && !w.model->preset && !w.model->config)
      findings_.error("spec-missing-key", w.model->span, format("the model of workload '{}' has no `parameters`", name))
          .help(
              "write `parameters: 70e9`, the name of a public model (`preset: llama-3.3-70b`), or `config: "
              "config.json`");
    constexpr double kFewest = 1e6;  // of anything that is trained or served on GPUs
    if (w.model && w.model->parameters && *w.model->parameters < kFewest)
      findings_
          .error("spec-out-of-range", w.model->parameters.span,
                 format("the model of workload '{}' has {:.6g} parameters, but the minimum is one million", name,
                        *w.model->parameters))
          .help(format("seventy billion are `70e9`{}",
                       *w.model->parameters >= 1
                           ? format(": did you mean `parameters: {:.6g}e9`?", *w.model->parameters)
                           : std::string()));
  }
  void requests(const std::string& name, const Workload& w) {
    const bool serves = w.kind.value_or("training") == "inference";
    const auto only = [&](SourceSpan at, std::string_view key) {
      if (!serves)
        findings_
            .error("spec-key-of-inference", at,
                   format("workload '{}' is {}, but `{}` is for inference", name, w.kind.value_or("training"), key))
            .help(format("write `kind: inference`, or leave `{}` out", key));
    };
    if (w.requests) only(w.requests->span, "requests");
    if (w.engine) only(w.engine->span, "engine");
    if (w.weight_precision && w.kind.value_or("training") != "fine-tuning")
      only(w.weight_precision.span, "weight_precision");
    if (w.kv_precision) only(w.kv_precision.span, "kv_precision");
    if (w.tokens_per_second) only(w.tokens_per_second.span, "tokens_per_second");
    if (!w.requests) return;
    const Requests& r = *w.requests;
    const bool mixed = !r.mix.entries.empty();
    if (mixed && (r.input || r.output))
      findings_
          .error("spec-requests-twice", r.input ? r.input.span : r.output.span,
                 format("the requests of workload '{}' have one length and a `mix` of lengths", name))
          .help("keep one of them");
    else if (!mixed && !(r.input && r.output))
      findings_
          .error("spec-missing-key", r.span,
                 format("the requests of workload '{}' have no `{}`", name, r.input ? "output" : "input"))
          .help(format("write the tokens of a prompt and of an answer: `input: {}, output: {}`", r.input.value_or(2000),
                       r.output.value_or(500)));
    if (r.per_second && w.tokens_per_second)
      findings_
          .error("spec-requests-twice", r.per_second.span,
                 format("workload '{}' has a rate of requests and a rate of tokens", name))
          .note(w.tokens_per_second.span, "the rate of tokens")
          .help("keep one of them");
  }
  void edition(const Value<Version>& rules) {
    if (!rules || rules.origin != Origin::spec || find_edition(rules->text())) return;
    const std::string newest = kNewestEdition.text();
    findings_
        .error("spec-unknown-value", rules.span,
               format("there is no rule book '{}'; the newest rule book of this program is {}", rules->text(), newest))
        .help(*rules > Version{newest} ? format("use a newer clusterc, or write rules: {}", newest)
                                       : format("editions are: {}", edition_list()));
  }
  void electricity(const Site& s) {
    if (s.supply) {
      positive("voltage", s.supply->voltage);
      if (s.supply->phases && *s.supply->phases == 2)
        findings_.error("spec-out-of-range", s.supply->phases.span, "'phases' is 2, it is 1 or 3");
      // Low voltage ends at 1,000 V of alternating current (IEC 60038): no rack takes more.
      if (s.supply->voltage && s.supply->voltage->value > 1000)
        findings_.error("spec-out-of-range", s.supply->voltage.span,
                        format("'voltage' is {}, what reaches racks is 1 kV at most", to_text(*s.supply->voltage)));
    }
    for (const auto& [name, at, feed] : s.feeds) {
      positive("capacity", feed.capacity);
      positive("breaker", feed.breaker);
    }
    for (const auto& [name, at, panel] : s.panels) positive("breaker", panel.breaker);
    for (const auto& [name, at, zone] : s.cooling) {
      positive("airflow", zone.airflow);
      if (zone.each) {
        positive("heat", zone.each->heat);
        positive("airflow", zone.each->airflow);
      }
    }
  }

  // "10.64.0.5/16", "10.64.0.0/255.255.0.0": the network that is meant. Empty: it cannot be told.
  static std::string network_meant(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == text.npos) return {};
    const auto address = parse_ipv4(text.substr(0, slash));
    if (!address) return {};
    NumberProblem problem;
    std::optional<std::int64_t> length = parse_whole(text.substr(slash + 1), problem);
    if (const auto mask = parse_ipv4(text.substr(slash + 1)); mask && std::countl_one(*mask) == std::popcount(*mask))
      length = std::popcount(*mask);
    if (!length || *length < 1 || *length > 32) return {};
    Ipv4Prefix prefix{*address, static_cast<int>(*length)};
    prefix.base &= prefix.mask();
    return prefix.text();
  }

  void missing(SourceSpan at, std::string_view key, std::string_view where, std::string_view help) {
    findings_.error("spec-missing-key", at, format("'{}' is missing in '{}'", key, where)).help(std::string(help));
  }

  void site(const Site& site) {
    group_names("feed", site.feeds);
    group_names("panel", site.panels);
    group_names("cooling zone", site.cooling);
    if (!site.kind || *site.kind != SiteKind::own) return;
    const SourceSpan at = key_of("site", site.span);
    // A key that is there but wrong was told by the reader.
    if (!site.region && !site.region.unknown && !written("site", "region")) {
      // 230 V and 400 V are no voltages of North America (ANSI C84.1), 208 V and 480 V none of IEC 60038.
      const double volts = site.supply && site.supply->voltage ? site.supply->voltage->value : 0;
      const std::string_view meant = volts == 230 || volts == 400 ? "iec" : volts == 208 || volts == 480 ? "na" : "";
      missing(at, "region", "site",
              meant.empty()
                  ? "there is no safe default: 'region: na' or 'region: iec'; plugs and the continuous load of "
                    "breakers follow from it"
                  : format("{:.0f} V is a voltage of it: write `region: {}`; plugs and the continuous load of "
                           "breakers follow from it",
                           volts, meant));
    }
    if (!site.supply && !written("site", "supply"))
      missing(at, "supply", "site",
              "'supply': voltage that reaches the racks; written as 'supply: { phases: 3, voltage: 415 V }'");
  }

  void node_group(const std::string& name, SourceSpan at, const NodeGroup& g) {
    pattern(g.names);
    host_names(g.names);
    if (g.software) software_.software(*g.software);
    if (g.software && g.software->mirror)
      findings_
          .error("spec-unknown-key", g.software->mirror->span,
                 "'mirror' cannot be set in one group: it is set once for all groups")
          .help("move it into the `software` of the cluster");
    if (g.software && g.software->notebooks)
      findings_
          .error("spec-unknown-key", g.software->notebooks->span,
                 "'notebooks' cannot be set in one group: it is set once for all groups")
          .help("move it into the `software` of the cluster");
    if (g.spot && !g.instance)
      findings_
          .error("spec-unknown-key", g.spot->span,
                 format("'spot' is used only for instances, and group '{}' has none", name))
          .help("write `instance` in this group, or remove 'spot'");
    struct Way {
      std::string_view key;
      bool there;
      SourceSpan span;
    };
    const Way ways[] = {
        {"model", g.model.value || g.model.unknown, g.model.span},
        {"server", g.server.has_value(), g.server ? g.server->span : SourceSpan{}},
        {"from", g.from.value || g.from.unknown, g.from.span},
        {"instance", g.instance.value || g.instance.unknown, g.instance.span},
        {"virtual_machine", g.virtual_machine.has_value(), g.virtual_machine ? g.virtual_machine->span : SourceSpan{}}};
    const Way* first = nullptr;
    for (const Way& way : ways) {
      if (!way.there) continue;
      if (!first) {
        first = &way;
        continue;
      }
      findings_
          .error("spec-node-machine-twice", at,
                 format("node group '{}' says with '{}' and with '{}' what its nodes are", name, first->key, way.key))
          .help(first->key == "model" && way.key == "server"
                    ? "write server: { like: … } with what differs, or model alone"
                    : "one of model, server, from, instance and virtual_machine says it");
      return;
    }
    if (!first && !any_written("nodes", name, {"model", "server", "from", "instance", "virtual_machine"}))
      findings_.error("spec-node-machine-missing", at, format("node group '{}' does not say what its nodes are", name))
          .help(
              "name a catalogue server (model: …), write one (server: …), take trays of an assembly (from: …), a cloud "
              "instance (instance: …) or a virtual_machine");
  }

  // A management port is one port, and `everything` means all of them.
  void everything_once(const Spec& s) {
    const Named<Network>* first = nullptr;
    for (const auto& entry : s.networks) {
      const Connects& c = entry.value.connects;
      if (!c.everything.value_or(false)) continue;
      if (!c.groups.empty())
        findings_
            .error("spec-everything-and-more", c.groups.entries.front().name_span,
                   format("network '{}' connects everything, but also names '{}'", entry.name,
                          c.groups.entries.front().name))
            .help(
                "leave the names out: `everything` already connects every management port; connect other ports of a "
                "group to another network, with a gateway between the two networks");
      if (first)
        findings_
            .error("spec-everything-twice", c.span,
                   format("the management ports are connected to network '{}' already", first->name))
            .note(first->value.connects.span, "connected here")
            .help("only one network can connect everything; in the other network, name groups and their ports");
      else
        first = &entry;
    }
  }

  // Of two file systems on one path the second hides the first.
  void mounted_once(const Spec& s) {
    std::unordered_map<std::string_view, std::vector<const Named<Storage>*>> at;
    for (const Named<Storage>& entry : s.storage) {
      const Named<Storage>* const b = &entry;
      if (!b->value.mount) continue;
      for (const Named<Storage>* a : at[*b->value.mount]) {
        const auto mounts = [](const Storage& storage, const Value<std::string>& group) {
          return storage.on.empty() || std::any_of(storage.on.begin(), storage.on.end(),
                                                   [&](const auto& g) { return g && group && *g == *group; });
        };
        const bool both = b->value.on.empty() || std::any_of(b->value.on.begin(), b->value.on.end(),
                                                             [&](const auto& g) { return mounts(a->value, g); });
        if (both)
          findings_
              .error("spec-mounted-twice", b->value.mount.span,
                     format("storage '{}' is mounted at '{}', as '{}' is: one hides the other", b->name,
                            *b->value.mount, a->name))
              .note(a->value.mount.span, "mounted here")
              .help("mount one of them at another path, or name different groups in their `on`");
      }
      at[*b->value.mount].push_back(b);
    }
  }

  void storage_servers(SourceSpan at, const std::string& name, const StorageServers& s) {
    const int said =
        int{s.model.value.has_value()} + int{s.nodes.value.has_value()} + int{s.external.value.has_value()};
    if (s.external && trim(*s.external).empty())
      findings_.error("spec-bad-name", s.external.span, format("the external host of storage '{}' has no name", name))
          .help("write its name or address");
    else if (s.external && !is_address(*s.external) && !is_domain(*s.external))
      findings_
          .error("spec-bad-name", s.external.span,
                 format("'{}' is not a host: it is neither an address nor a name", *s.external))
          .help(
              "write the host alone, such as nas.example.org; its exported path is the value of `mount`, or of "
              "`source`");
    if (said > 1)
      findings_
          .error("spec-storage-servers-twice", s.span.valid() ? s.model.span.valid() ? s.model.span : s.nodes.span : at,
                 format("the servers of storage '{}' are named in {} ways", name, said))
          .help("one of model, nodes and external says it");
    if (s.address && !parse_ipv4(*s.address))
      findings_.error(
          "spec-bad-address", s.address.span,
          format("the address of storage '{}', '{}', is no IPv4 address, such as 10.10.0.9", name, *s.address));
    if (s.fence) word("user", s.fence->user);
    if (s.fence && s.fence->password) software_.secret("password", *s.fence->password);
  }

  void addresses(const Network& n) {
    std::optional<Ipv4Prefix> subnet;
    if (n.subnet) {
      std::string error;
      subnet = Ipv4Prefix::parse(*n.subnet, error);
      if (!subnet) {
        const std::string meant = network_meant(*n.subnet);
        findings_.error("spec-bad-prefix", n.subnet.span, format("subnet '{}': {}", *n.subnet, error))
            .help(meant.empty() ? "prefixes are written as 10.10.0.0/16" : format("write `subnet: {}`", meant));
      }
      // Addresses that no host has: this network, loopback, multicast and reserved (RFC 6890, RFC 5771).
      else if (const std::uint32_t first = subnet->base >> 24, last = subnet->broadcast() >> 24;
               first == 0 || last >= 224 || (first <= 127 && last >= 127))
        findings_
            .error("spec-bad-prefix", n.subnet.span,
                   format("subnet '{}' holds addresses that no host can have (0.x, 127.x, 224.x and above)", *n.subnet))
            .help("private networks are 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16");
    }
    if (!n.gateway) return;
    const auto gateway = parse_ipv4(*n.gateway);
    if (!gateway)
      findings_.error("spec-bad-address", n.gateway.span,
                      format("gateway '{}' is no IPv4 address, such as 10.10.0.1", *n.gateway));
    else if (subnet && !subnet->contains(*gateway))
      findings_
          .error("spec-gateway-outside-subnet", n.gateway.span,
                 format("gateway '{}' is not in the subnet '{}'", *n.gateway, *n.subnet))
          .note(n.subnet.span, "the subnet is given here");
    else if (subnet && subnet->length < 31 && (*gateway == subnet->base || *gateway == subnet->broadcast()))
      findings_.error("spec-bad-address", n.gateway.span,
                      format("gateway '{}' is the {} address of '{}'", *n.gateway,
                             *gateway == subnet->base ? "network" : "broadcast", *n.subnet));
  }

  NodeId top(std::string_view key) const { return d_.find(d_.root(), key); }
  bool has(NodeId n, std::string_view key) const {
    return n != kNoNode && d_.is_mapping(n) && d_.find(n, key) != kNoNode;
  }
  // The value of an entry of a section; kNoNode: there is none. Sections may be long, and are asked for each entry.
  NodeId entry_of(NodeId section, std::string_view name) const {
    constexpr std::size_t kFew = 32;
    if (section == kNoNode || !d_.is_mapping(section)) return kNoNode;
    if (d_.size(section) <= kFew) return d_.find(section, name);
    const auto [known, fresh] = entries_.try_emplace(section);
    std::unordered_map<std::string_view, NodeId>& entries = known->second;
    if (fresh)
      for (NodeId key = d_.first_child(section); key != kNoNode; key = d_.next_sibling(d_.next_sibling(key)))
        entries.emplace(d_.scalar(key), d_.next_sibling(key));
    const auto found = entries.find(name);
    return found == entries.end() ? kNoNode : found->second;
  }
  bool written(std::string_view section, std::string_view key) const { return has(top(section), key); }
  bool any_written(std::string_view section, std::string_view name,
                   std::initializer_list<std::string_view> keys) const {
    const NodeId map = top(section);
    const NodeId entry = entry_of(map, name);
    for (const auto key : keys)
      if (has(entry, key)) return true;
    return false;
  }
  SourceSpan key_of(std::string_view name, SourceSpan otherwise) const {
    for (NodeId key = d_.first_child(d_.root()); key != kNoNode; key = d_.next_sibling(d_.next_sibling(key)))
      if (d_.scalar(key) == name) return d_.span(key);
    return otherwise;
  }

  const Document& d_;
  SoftwareChecks software_;
  mutable std::unordered_map<NodeId, std::unordered_map<std::string_view, NodeId>> entries_;
};

// A newer language is told as such, not as a hundred unknown keys.
bool speaks_our_language(const Document& d, Findings& findings) {
  const NodeId n = d.find(d.root(), "clusterc");
  NumberProblem problem;
  if (n == kNoNode || !d.is_scalar(n)) return true;
  const auto version = parse_whole(d.scalar(n), problem);
  if (!version || *version <= 1) return true;
  findings
      .error("spec-newer-language", d.span(n),
             format("this spec is written in language {}, this program reads language 1", *version))
      .help("use a newer clusterc");
  return false;
}

}  // namespace

std::optional<WrittenLimit> WrittenLimit::parse(std::string_view text, std::string& error) {
  text = trim(text);
  if (!text.empty() && text.front() >= '0' && text.front() <= '9' && text.size() <= 64)
    return WrittenLimit{std::string(text)};
  error = format("a limit begins with a number, such as 30 kg; '{}' does not", text.substr(0, 64));
  return std::nullopt;
}

std::optional<Spec> read_spec(const Document& document, const Sources& sources, Findings& findings,
                              const std::function<void(Spec&)>& change) {
  const NodeId root = document.root();
  if (!document.is_mapping(root)) {
    findings.error("spec-wrong-type", document.span(root), "a spec is a mapping that begins with 'clusterc: 1'");
    return {};
  }
  if (!speaks_our_language(document, findings)) return {};
  std::optional<Spec> spec(std::in_place);
  read_fields(ReadContext{.document = document, .findings = findings, .first_words = first_words()}, root, *spec);
  if (change) change(*spec);
  Checker(document, sources, findings).spec(*spec);
  return spec;
}

}  // namespace clusterc
