// Document -> Spec: the descriptors do most of it; here stands what no descriptor can say.
#include <arpa/inet.h>

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/ip.h"
#include "base/text.h"
#include "diag/near.h"
#include "fields/read.h"
#include "fields/scalar_text.h"
#include "spec/edition.h"
#include "spec/first_words.h"
#include "spec/judgement.h"
#include "spec/names.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/site.h"
#include "spec/slips.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "spec/time_zones.h"
#include "spec/types.h"

namespace clusterc {
namespace {

constexpr std::size_t kLongestName = kLongestGroupName;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

bool is_group_name(std::string_view name) {
  bool good = !name.empty() && name.size() <= kLongestGroupName && is_letter_or_digit(name.front());
  for (const char c : name) good = good && (is_letter_or_digit(c) || c == '-' || c == '_');
  return good;
}

namespace {

class Checker {
 public:
  Checker(const Document& document, const Sources& sources, Findings& findings)
      : d_(document), sources_(sources), findings_(findings) {}

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
            .help("name the node groups that mount it, or take `on` out: then all do");
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
    software(s.software);
    check_prices(s, findings_);
    check_phases(s, findings_);
    check_slips(s, findings_);
    help_with_orders(d_, findings_);
    for (const auto& [name, at, level] : s.severity)
      if (level && *level != "warning" && *level != "error")
        findings_
            .error("spec-unknown-value", level.span,
                   format("'{}' takes warning or error; '{}' is written there", name, *level))
            .help("a severity can be raised; to let a finding pass, accept it with a reason under 'accept'");
  }

 private:
  void workload(const std::string& name, const Workload& w) {
    for (const auto& [group, where, nodes] : w.on)
      if (nodes && *nodes < 1)
        findings_
            .error("spec-out-of-range", nodes.span,
                   format("workload '{}' runs on {} nodes of '{}'", name, *nodes, group))
            .help("at least one node, or leave the group out");
    const NodeId map = top("workloads"), entry = entry_of(map, name);
    if (has(entry, "on") && d_.is_mapping(d_.find(entry, "on")) && d_.size(d_.find(entry, "on")) == 0)
      findings_.error("spec-missing-key", d_.span(d_.find(entry, "on")), format("workload '{}' runs on no nodes", name))
          .help("the nodes of each group: `on: { gpu: 4 }`");
    constexpr double kFewest = 1e6;  // of anything that is trained or served on GPUs
    if (w.model && w.model->parameters && *w.model->parameters < kFewest)
      findings_
          .error("spec-out-of-range", w.model->parameters.span,
                 format("the model of workload '{}' has {:.6g} parameters, one million is the least", name,
                        *w.model->parameters))
          .help(format("seventy billion are `70e9`{}",
                       *w.model->parameters >= 1
                           ? format(": did you mean `parameters: {:.6g}e9`?", *w.model->parameters)
                           : std::string()));
  }
  // Nothing of the kind is zero or less, and no figure of a room is beyond what a power station gives.
  template <class Q>
  void positive(std::string_view key, const Value<Q>& v) {
    if (v && !(v->value > 0 && v->value < 1e18))
      findings_.error(
          "spec-out-of-range", v.span,
          format("'{}' is {}, it has to be more than 0{}", key, to_text(*v), v->value > 0 ? " and of this world" : ""));
  }
  // What a thing is called, or how many there are of it, is never unknown.
  void known(std::string_view key, const Value<std::string>& v) {
    if (v.unknown) findings_.error("spec-missing-key", v.span, format("'{}' cannot be unknown", key));
  }
  void edition(const Value<Version>& rules) {
    if (!rules || rules.origin != Origin::spec || find_edition(rules->text())) return;
    const std::string newest = kNewestEdition.text();
    findings_
        .error("spec-unknown-value", rules.span,
               format("there is no rule book '{}', the newest edition of this program is {}", rules->text(), newest))
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

  void cluster_name(const Value<std::string>& name) {
    if (!name) return;
    bool good = !name->empty() && name->size() <= kLongestName && name->front() != '-' && name->back() != '-';
    for (const char c : *name) good = good && (is_letter_or_digit(c) || c == '-');
    if (!good)
      findings_.error("spec-bad-name", name.span,
                      format("'{}' cannot be a cluster's name: letters, digits and inner hyphens, at most {}", *name,
                             kLongestName));
  }

  template <class T>
  void group_names(std::string_view what, const NamedMap<T>& map) {
    for (const auto& entry : map) group_name(what, entry.name, entry.name_span);
  }
  void group_name(std::string_view what, const std::string& name, SourceSpan at) {
    if (!is_group_name(name))
      findings_.error("spec-bad-name", at,
                      format("'{}' cannot name a {}: letters, digits, hyphens and underscores, at most {}", name, what,
                             kLongestName));
  }

  void pattern(const Value<std::string>& names) {
    if (!names) return;
    HostPattern::Error error;
    if (HostPattern::parse(*names, error)) return;
    // The place within the scalar, where the source spells it as it is read.
    SourceSpan at = names.span;
    const std::string_view written = sources_.text(at);
    const std::size_t quote = !written.empty() && (written[0] == '"' || written[0] == '\'') ? 1 : 0;
    if (written.substr(quote, names->size()) == *names && error.offset < names->size() &&
        static_cast<unsigned char>((*names)[error.offset]) < 0x80) {
      at.begin += static_cast<std::uint32_t>(quote + error.offset);
      at.end = at.begin + 1;
    }
    Finding& f = findings_.error("spec-bad-pattern", at, format("name pattern '{}': {}", *names, error.message));
    if (const std::string plain = without_typographic_quotes(*names);
        plain != *names && HostPattern::parse(plain, error))
      f.fixed_by(format("write \"{}\": typographic quotes are letters to YAML", plain),
                 {{names.span, format("\"{}\"", plain)}});
    else
      f.help("patterns are written as \"gpu[001-127]\", \"h[1-2]n[01-16]\" or \"c[1,3,5-9]\"");
  }

  // U+2018 to U+201F at both ends.
  static std::string without_typographic_quotes(std::string_view text) {
    const auto quote = [](std::string_view three) {
      return three.size() == 3 && three.starts_with("\xe2\x80") && three[2] >= '\x98' && three[2] <= '\x9f';
    };
    if (text.size() < 7 || !quote(text.substr(0, 3)) || !quote(text.substr(text.size() - 3))) return std::string(text);
    return std::string(text.substr(3, text.size() - 6));
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

  // What becomes of a name in hosts, DNS and Slurm: digits alone are read as an address by many a program ("12" is
  // 0.0.0.12 to inet_aton).
  void host_names(const Value<std::string>& names) {
    HostPattern::Error error;
    const auto hosts = names ? HostPattern::parse(*names, error) : std::nullopt;
    if (!hosts || hosts->count() == 0) return;
    const std::string first = hosts->name(0);
    if (first.find_first_not_of("0123456789.") == std::string::npos)
      findings_.error("spec-bad-name", names.span, format("host name '{}' reads as an address", first))
          .help(format("begin it with a letter: n{}", *names));
    else if (names->find('_') != std::string::npos)
      findings_
          .warning("spec-bad-name", names.span,
                   format("host name '{}' has an underscore, which DNS and many a program refuse", first))
          .help("letters, digits and inner hyphens (RFC 1123, 2.1)");
    else if (const std::size_t dot = first.find('.'); dot != std::string::npos)
      findings_
          .warning("spec-bad-name", names.span,
                   format("host name '{}' has a dot: cloud-init, hostname and Slurm take '{}' for the name, and the "
                          "rest for its domain",
                          first, first.substr(0, dot)))
          .help("write a hyphen; the domain is `software.domain`");
  }

  // Beside or below the spec: nothing outside its folder decides what comes of it.
  void relative_path(std::string_view key, const Value<std::string>& path) {
    if (!path) return;
    std::string why;
    if (path->empty())
      why = "is empty";
    else if (path->front() == '/')
      why = "is absolute";
    for (const char c : *path)
      if (static_cast<unsigned char>(c) < 0x20 || c == '\\') why = "has a character that no path has here";
    for (std::size_t begin = 0; why.empty() && begin <= path->size();) {
      const std::size_t end = std::min(path->find('/', begin), path->size());
      if (path->substr(begin, end - begin) == "..") why = "leaves the folder of the spec";
      begin = end + 1;
    }
    if (!why.empty())
      findings_.error("spec-bad-path", path.span, format("'{}' is '{}', which {}", key, *path, why))
          .help("paths are relative to the spec and stay in its folder, such as ./parts");
  }

  void mount_point(const Value<std::string>& mount) {
    if (!mount) return;
    bool good = mount->size() > 1 && mount->front() == '/' && mount->back() != '/' &&
                mount->find("//") == std::string::npos && (*mount + "/").find("/../") == std::string::npos;
    for (const char c : *mount)
      good = good && static_cast<unsigned char>(c) > 0x20 && c != '\\' && c != '"' && c != '\'';
    if (!good) {
      findings_.error("spec-bad-path", mount.span,
                      format("'mount' is '{}', which is no absolute path without blanks, such as /scratch", *mount));
      return;
    }
    // What a system starts from and keeps its state in (FHS 3.0, chapters 3 to 6; file-hierarchy(7)): a file system
    // over it takes the machine away.
    static constexpr std::string_view kSystem[] = {
        "/bin",     "/boot",      "/dev",         "/etc",       "/lib",       "/lib32", "/lib64",
        "/proc",    "/root",      "/run",         "/sbin",      "/sys",       "/usr",   "/usr/bin",
        "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/sbin",  "/usr/share", "/var",   "/var/cache",
        "/var/lib", "/var/log",   "/var/run",     "/var/spool", "/var/tmp"};
    static constexpr std::string_view kKernels[] = {
        "/boot/", "/dev/", "/proc/", "/sys/"};  // and all below: /dev/shm is the memory that MPI and NCCL share
    const auto hides = [&](std::string_view path) { return *mount == path; };
    const auto below = [&](std::string_view path) { return mount->starts_with(path); };
    if (std::any_of(std::begin(kSystem), std::end(kSystem), hides) ||
        std::any_of(std::begin(kKernels), std::end(kKernels), below))
      findings_
          .error("spec-bad-path", mount.span,
                 format("a file system mounted at '{}' hides files that the operating system needs", *mount))
          .help("a path of its own, such as /scratch or /srv/data");
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
    if (g.software) software(*g.software);
    if (g.software && g.software->mirror)
      findings_.error("spec-unknown-key", g.software->mirror->span, "'mirror' is said once for all groups")
          .help("move it into the `software` of the cluster");
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
                   format("network '{}' connects everything, and names '{}' beside it", entry.name,
                          c.groups.entries.front().name))
            .help(
                "leave the names out: `everything` already connects every management port; connect other ports of a "
                "group to another network, with a gateway between the two networks");
      if (first)
        findings_
            .error("spec-everything-twice", c.span,
                   format("the management ports are connected to network '{}' already", first->name))
            .note(first->value.connects.span, "connected here")
            .help("one network manages everything; name groups and their ports in the other");
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
      findings_.error("spec-bad-name", s.external.span, format("the outside host of storage '{}' has no name", name))
          .help("write its name or address");
    else if (s.external && !is_address(*s.external) && !is_domain(*s.external))
      findings_
          .error("spec-bad-name", s.external.span,
                 format("'{}' is no host: neither an address nor a name", *s.external))
          .help(
              "write the host alone, such as nas.example.org; its exported path is the value of `mount`, or of "
              "`source`");
    if (said > 1)
      findings_
          .error("spec-storage-servers-twice", s.span.valid() ? s.model.span.valid() ? s.model.span : s.nodes.span : at,
                 format("the servers of storage '{}' are named in {} ways", name, said))
          .help("one of model, nodes and external says it");
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

  // A name of DNS: labels of letters, digits and inner hyphens (RFC 1123, 2.1), at most 253 in all (RFC 1035, 2.3.4).
  static bool is_domain(std::string_view name) {
    if (name.empty() || name.size() > 253) return false;
    for (std::size_t from = 0; from <= name.size();) {
      const std::string_view label = name.substr(from, name.find('.', from) - from);
      if (label.empty() || label.size() > kLongestName || label.front() == '-' || label.back() == '-') return false;
      if (!std::all_of(label.begin(), label.end(),
                       [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; }))
        return false;
      from += label.size() + 1;
    }
    return true;
  }
  static bool is_address(const std::string& text) {
    in6_addr v6;
    return parse_ipv4(text).has_value() || inet_pton(AF_INET6, text.c_str(), &v6) == 1;
  }
  // Words stand in files of many kinds: what any of them could take for a sign of its own is in none.
  void word(std::string_view key, const Value<std::string>& v) {
    if (!v) return;
    const bool good =
        v->size() <= 200 && std::all_of(v->begin(), v->end(), [](char c) {
          return is_letter_or_digit(c) || std::string_view(" ._+-/:@()").find(c) != std::string_view::npos;
        });
    if (!good)
      findings_.error(
          "spec-bad-name", v.span,
          format("{} '{}' is no plain word: letters, digits, blanks and . _ + - / : @ ( ), at most 200", key, *v));
  }

  // What is compiled for a system depends on whose it is: a slip there would leave out its network configuration in
  // silence.
  void distribution(const Value<std::string>& os) {
    if (!os) return;
    static const std::vector<std::string_view> kKnown = {
        "almalinux", "amazon-linux",  "azure-linux",  "centos-stream", "cos",   "debian", "dgx-os", "fedora", "flatcar",
        "opensuse",  "opensuse-leap", "oracle-linux", "rhel",          "rocky", "sles",   "talos",  "ubuntu"};
    const std::string_view name = std::string_view(*os).substr(0, os->find_last_of('-'));
    for (const std::string_view known : kKnown)
      if (*os == known || name == known) return;
    std::string hyphens = to_lower(*os);
    std::ranges::replace(hyphens, ' ', '-');
    Finding& f = findings_.warning(
        "spec-unknown-value", os.span,
        format("'{}' is no distribution that is known here: what depends on it, such as netplan, is not written", *os));
    if (const std::string_view bare = std::string_view(hyphens).substr(0, hyphens.find_last_of('-'));
        std::find(kKnown.begin(), kKnown.end(), bare) != kKnown.end()) {
      f.fixed_by(format("write '{}'", hyphens), {{os.span, hyphens}});
      return;
    }
    std::vector<std::string> with_release;
    for (const std::string_view known : kKnown) with_release.push_back(std::string(known).append(*os, name.size()));
    if (!offer_names(f, *os, {with_release.begin(), with_release.end()}))
      f.help("written as name-release: ubuntu-24.04, rocky-9, debian-12");
  }

  // Names of files in the IANA database: parts of letters, digits, _ + -, parted by '/' (its theory.html, "Timezone
  // identifiers").
  void time_zone(const Value<std::string>& zone) {
    if (!zone) return;
    bool good = zone->size() <= 64;
    for (const std::string_view part : split(*zone, '/'))
      good = good && !part.empty() && (part.front() < '0' || part.front() > '9') && part.front() != '-' &&
             part.front() != '+' && std::all_of(part.begin(), part.end(), [](char c) {
               return is_letter_or_digit(c) || c == '_' || c == '+' || c == '-';
             });
    constexpr std::string_view kHow = "write a name of the IANA database, such as Europe/Berlin or UTC";
    if (!good) {
      findings_.error("spec-bad-name", zone.span, format("'{}' is no time zone", *zone)).help(std::string(kHow));
    } else if (!is_time_zone(*zone)) {  // a warning: a later release may have it
      Finding& f = findings_.warning("spec-unknown-value", zone.span,
                                     format("'{}' is no time zone of the IANA database ({})", *zone, kTimeZoneRelease));
      if (!offer_names(f, *zone, {time_zones().begin(), time_zones().end()})) f.help(std::string(kHow));
    }
  }

  void software(const Software& s) {
    if (s.domain && !is_domain(*s.domain))
      findings_.error("spec-bad-name", s.domain.span, format("'{}' is no DNS domain", *s.domain))
          .help("write it as cluster.example.org");
    for (const auto& server : s.name_servers)
      if (server && !is_address(*server))
        findings_.error("spec-bad-address", server.span, format("name server '{}' is no IP address", *server))
            .help("a name server is asked for names, so it cannot be named itself: write its address");
    for (const auto& server : s.time_servers)
      if (server && !is_address(*server) && (!is_domain(*server) || is_numbers(*server)))
        findings_.error("spec-bad-address", server.span,
                        format("time server '{}' is neither an IP address nor a host name", *server));
    word("os", s.os);
    distribution(s.os);
    time_zone(s.time_zone);
    word("mig", s.mig);
    for (const auto* list : {&s.containers, &s.monitoring, &s.frameworks})
      for (const NamedVersion& named : *list) word("kind", named.kind);
    if (s.scheduler) pattern(s.scheduler->controllers);
    if (s.scheduler && s.scheduler->accounting) {
      pattern(s.scheduler->accounting->nodes);
      word("database", s.scheduler->accounting->database);
      if (s.scheduler->accounting->password) secret("password", *s.scheduler->accounting->password);
    }
    if (s.scheduler) {
      group_names("reservation", s.scheduler->reservations);
      for (const auto& [name, at, reservation] : s.scheduler->reservations) {
        pattern(reservation.nodes);
        positive("length", reservation.length);
      }
    }
    if (s.identity && s.identity->bind_password) secret("bind_password", *s.identity->bind_password);
    if (s.identity) directory(s.identity->server);
    if (s.mirror) mirror(*s.mirror);
  }

  // What sssd's ldap_uri takes: "ldaps://ldap1.example.org, ldaps://10.0.0.2:636/", or hosts alone.
  void directory(const Value<std::string>& servers) {
    if (!servers) return;
    for (std::string_view server : split(*servers, ',')) {
      server = trim(server);
      if (server.starts_with("ldapi://")) continue;  // a socket, and no host
      for (const std::string_view scheme : {"ldaps://", "ldap://"})
        if (server.starts_with(scheme)) server.remove_prefix(scheme.size());
      server = server.substr(0, server.find('/'));
      if (const std::size_t at = server.rfind('@'); at != server.npos)
        server.remove_prefix(at + 1);  // who asks; a password there has a finding of its own
      bool good = is_address(std::string(server));
      if (!good) {
        const std::size_t bracket = server.starts_with('[') ? server.find(']') : server.npos,
                          colon = server.find(':', bracket == server.npos ? 0 : bracket);
        const std::string host(server.substr(0, colon));
        NumberProblem problem;
        const auto port =
            colon == server.npos ? std::optional<std::int64_t>(389) : parse_whole(server.substr(colon + 1), problem);
        good = (bracket == server.npos ? is_domain(host)
                                       : bracket + 1 == host.size() && is_address(host.substr(1, bracket - 1))) &&
               port && *port >= 1 && *port <= 65535;
      }
      if (good) continue;
      const bool hidden = servers->find('@') != std::string::npos;  // a password may stand before it
      findings_
          .error("spec-bad-address", servers.span,
                 format("{} is neither an IP address nor a host name",
                        hidden ? std::string("'server' of identity") : format("'{}'", server)))
          .help("write the directory as ldaps://ldap.example.org");
      if (hidden) findings_.withhold(servers.span);
    }
  }

  // Digits and points: an address, or none; no top-level domain is a number (RFC 3696, 2).
  static bool is_numbers(std::string_view text) { return text.find_first_not_of("0123456789.") == text.npos; }

  void mirror(const Mirror& m) {
    if (m.server &&
        (!is_domain(*m.server) ||
         (is_numbers(*m.server) &&
          !is_address(*m.server))))  // IPv4 addresses too, as digits and points; in URLs others have brackets
      findings_
          .error("spec-bad-address", m.server.span,
                 format("mirror '{}' is neither a host name nor an IPv4 address", *m.server))
          .help("without https:// and port: mirror.example.org");
    // apt-mirror, nginx and shells all read these paths.
    for (const auto& [key, path] :
         {std::pair<std::string_view, const Value<std::string>&>{"folder", m.folder}, {"ca", m.ca}}) {
      if (!path) continue;
      const bool plain = path->starts_with('/') && path->size() > 1 && path->size() <= 200 && path->back() != '/' &&
                         path->find("//") == path->npos && path->find("/.") == path->npos &&
                         std::all_of(path->begin(), path->end(), [](char c) {
                           return is_letter_or_digit(c) || std::string_view("/._-").find(c) != std::string_view::npos;
                         });
      if (!plain)
        findings_.error("spec-bad-path", path.span,
                        format("'{}' is '{}', which is no absolute path of letters, digits and / . _ -", key, *path));
    }
    for (const auto& image : m.images)
      if (image && !is_image(*image))
        findings_
            .error("spec-bad-name", image.span,
                   format("'{}' is not the full name of an image: REGISTRY/PATH:TAG or REGISTRY/PATH@sha256:DIGEST",
                          *image))
            .help(
                "as docker.io/library/debian:12 or nvcr.io/nvidia/pytorch:25.09-py3; registries with a port cannot be "
                "mirrored");
  }

  // REGISTRY/PATH:TAG or REGISTRY/PATH@sha256:… (github.com/distribution/reference, grammar of references). The
  // registry has a dot, and no port: on the mirror its name is the first part of a path, which holds no colon.
  static bool is_image(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (text.size() > 400 || slash == text.npos) return false;
    const std::string_view registry = text.substr(0, slash);
    std::string_view path = text.substr(slash + 1);
    const auto lower = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    if (!is_domain(registry) || registry.find('.') == registry.npos ||
        !std::all_of(registry.begin(), registry.end(), [&](char c) { return lower(c) || c == '.' || c == '-'; }))
      return false;
    if (const std::size_t at = path.find("@sha256:"); at != path.npos) {
      const std::string_view digest = path.substr(at + 8);
      if (digest.size() != 64 || !std::all_of(digest.begin(), digest.end(),
                                              [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }))
        return false;
      path = path.substr(0, at);
    } else {
      const std::size_t colon = path.find(':');
      if (colon == path.npos) return false;
      const std::string_view tag = path.substr(colon + 1);
      if (tag.empty() || tag.size() > 128 || tag.front() == '.' || tag.front() == '-' ||
          !std::all_of(tag.begin(), tag.end(),
                       [](char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; }))
        return false;
      path = path.substr(0, colon);
    }
    for (const std::string_view part : split(path, '/'))
      if (part.empty() || !lower(part.front()) || !lower(part.back()) || part.find("..") != part.npos ||
          !std::all_of(part.begin(), part.end(), [&](char c) { return lower(c) || c == '.' || c == '_' || c == '-'; }))
        return false;
    return true;
  }

  void secret(std::string_view key, const SecretRef& s) {
    if (!s.span.valid()) return;  // no mapping: told by the reader
    const int said = int{s.file.value.has_value()} + int{s.env.value.has_value()} + int{s.vault.value.has_value()};
    if (said != 1)
      findings_
          .error("spec-secret-reference", s.span,
                 format("'{}' has {} references, one says where the secret lies", key, said))
          .help("one of { file: … }, { env: … } and { vault: … }");
    if (s.vault && (s.vault->find('#') == std::string::npos || s.vault->front() == '#' || s.vault->back() == '#'))
      findings_
          .error("spec-secret-reference", s.vault.span,
                 format("'vault' of '{}' names no key: a path and, behind '#', which of its values", key))
          .help("for example kv/ldap#bind");
    // A name as shells and programs take it (POSIX.1, Base Definitions, "Name"). Who wrote the secret itself does not
    // see it printed.
    const bool name =
        !s.env || (!s.env->empty() && s.env->size() <= 200 && (s.env->front() < '0' || s.env->front() > '9') &&
                   std::all_of(s.env->begin(), s.env->end(), [](char c) { return is_letter_or_digit(c) || c == '_'; }));
    if (name) return;
    findings_
        .error("spec-bad-name", s.env.span,
               format("'env' of '{}' is no name of an environment variable (it is not shown): letters, digits and _, "
                      "and no digit first",
                      key))
        .help("the name, not the password: { env: LDAP_PASSWORD }");
    findings_.withhold(s.env.span);
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
  const Sources& sources_;
  Findings& findings_;
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
