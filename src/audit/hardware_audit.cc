#include "audit/hardware_audit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "audit/hardware_words.h"
#include "base/format.h"
#include "base/host_pattern.h"
#include "base/index.h"
#include "base/printable.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr double kSameSize = 0.03;    // of drives and supplies: makers round
constexpr double kSameMemory = 0.07;  // of a sum: firmware counts in GB or GiB, and keeps some
constexpr double kMib = 1024.0 * 1024;

bool about(double seen, double planned, double share) { return std::abs(seen - planned) <= share * planned; }

enum class Fact { server, cpus, gpus, memory, nics, drives, psus, bios, bmc, firmware, serial, power_limit };

std::string quoted(std::string_view text) { return "'" + printable(text) + "'"; }

// "30 x 64 GiB, 2 x 32 GiB"; what has no size is counted alone.
template <class Text>
std::string listing(const SeenParts& parts, Text text) {
  std::map<std::pair<std::int64_t, std::string>, std::int64_t> by_size;
  for (const SeenKind& k : parts.kinds) by_size[{k.size, text(k)}] += k.count;
  std::vector<std::string> out;
  for (const auto& [what, count] : by_size)
    out.push_back(!what.second.empty() ? format("{} x {}", count, what.second)
                  : by_size.size() > 1 ? format("{} without a size", count)
                                       : std::to_string(count));
  return out.empty() ? "none" : join(out, ", ");
}
std::string size_text(const SeenKind& k, double unit, Dimension dimension) {
  return k.size < 0 ? std::string() : to_text(static_cast<double>(k.size) * unit, dimension);
}
std::string models(const SeenParts& parts) {
  std::set<std::string> all;
  for (const SeenKind& k : parts.kinds)
    if (k.model.empty())
      return {};
    else
      all.insert(k.model);
  return join(all, ", ");
}
bool all_sized(const SeenParts& parts) {
  return std::ranges::all_of(parts.kinds, [](const SeenKind& k) { return k.size >= 0; });
}
bool all_named(const SeenParts& parts) {
  return std::ranges::all_of(parts.kinds, [](const SeenKind& k) { return !k.model.empty(); });
}
bool can_count(const SeenParts& parts) { return parts.listed && parts.complete; }

class Auditor {
 public:
  Auditor(const Plan& plan, const std::vector<AuditedNode>& nodes, const std::vector<BmcAnswer>& answers,
          Findings& findings)
      : plan_(plan),
        cluster_(*plan.cluster),
        nodes_(nodes),
        answers_(answers),
        findings_(findings),
        standing_(nodes.size()) {}

  HardwareCounts report() {
    shared("address", [&](std::size_t i) { return plain_address(nodes_[i].address); });
    shared("serial number", [&](std::size_t i) { return answers_[i].seen.serial; });
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (standing_[i] == Standing::unread) continue;
      const bool nothing = !why_unread(answers_[i]).empty();
      if (nothing || answers_[i].seen.unread_count > 0) unread(i);
      if (!nothing) by_group_[nodes_[i].group].push_back(i);
    }
    for (const auto& [group, members] : by_group_)
      lists_gpus_[group] = std::ranges::any_of(members, [&](std::size_t i) { return answers_[i].seen.gpus.listed; });
    for (const auto& [group, members] : by_group_)
      for (const std::size_t i : members) {
        compare(i);
        health(i);
      }
    for (const auto& [group, members] : by_group_) equal(group, members);
    tell();
    HardwareCounts out;
    for (const Standing s : standing_)
      ++(s == Standing::as_planned  ? out.as_planned
         : s == Standing::in_part   ? out.in_part
         : s == Standing::differing ? out.differing
                                    : out.unread);
    return out;
  }

 private:
  using Nodes = std::vector<std::size_t>;
  enum class Standing : std::uint8_t { as_planned, in_part, differing, unread };  // the worse, the later

  // ---- what a BMC says of no node, or of another one

  // Why nothing of the answer can be compared; empty: something can.
  static std::string why_unread(const BmcAnswer& a) {
    if (!a.failure.empty()) return a.failure;
    const HardwareSeen& s = a.seen;
    if (s.hosts > 1) return format("it answers for {} servers, and which of them is the node is not known", s.hosts);
    if (s.unread_count > 0) return {};  // in part, with a reason of its own
    if (s.systems == 0) return "it lists no system";
    if (s.cpus.count() == 0 && s.cpu_count <= 0 && s.dimms.count() == 0 && s.memory_gib <= 0)
      return "it lists no processors and no memory; firmware fills the inventory when the server boots";
    return {};
  }

  // Several nodes to which one BMC answers: at most one of them is its server, and which one is not known.
  template <class Value>
  void shared(std::string_view what, Value value) {
    std::map<std::string, Nodes> by_value;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (std::string v = value(i); !v.empty()) by_value[std::move(v)].push_back(i);
    for (const auto& [v, nodes] : by_value) {
      if (nodes.size() < 2 || std::ranges::all_of(nodes, [&](std::size_t i) { return standing_[i] != Standing{}; }))
        continue;
      std::vector<std::string> names;
      for (const std::size_t i : nodes) names.push_back(name_of(i));
      const std::string listed = names.size() == 2 ? format("{} and {}", quoted(names[0]), quoted(names[1]))
                                                   : format("{} nodes '{}'", names.size(), fold_names(names));
      Finding& f = findings_.error("audit-bmc-unread", place(nodes.back()),
                                   format("one BMC answers for {}: {} have the {} {}", listed,
                                          names.size() == 2 ? "both" : "all", what, quoted(v)));
      f.help("give each node the address of its own BMC; none of these nodes was compared");
      name(f, nodes, Standing::unread);
    }
  }

  // ---- one node against its group in the spec

  void compare(std::size_t i) {
    at_ = i;
    const AuditedNode& node = nodes_[i];
    const ServerModel& planned = cluster_.nodes[at(node.group)].server;
    const HardwareSeen& seen = answers_[i].seen;
    if (!planned.known) return;
    processors(planned, seen);
    gpus(planned, seen, node.group);
    memory(planned, seen);
    adapters(planned, seen);
    drives(planned, seen);
    supplies(planned, seen);
    serial(node, seen);
    if (seen.bios.empty()) unsaid(Fact::bios, "the version of the BIOS");
    if (seen.bmc_firmware.empty()) unsaid(Fact::bmc, "the firmware of the BMC");
  }

  // The label on the chassis often has another number than the main board: either will do.
  void serial(const AuditedNode& node, const HardwareSeen& seen) {
    if (node.serial.empty()) return;
    if (seen.serial.empty() && seen.labels.empty()) return unsaid(Fact::serial, "the serial number");
    if (node.serial == seen.serial || std::ranges::find(seen.labels, node.serial) != seen.labels.end()) return;
    differs(Fact::serial, "the serial number " + quoted(seen.labels.empty() ? seen.serial : seen.labels.front()),
            quoted(node.serial) + " in the inventory");
  }

  void processors(const ServerModel& planned, const HardwareSeen& seen) {
    if (planned.cpu_count <= 0) return;
    const std::int64_t count = can_count(seen.cpus) && seen.cpus.count() > 0 ? seen.cpus.count() : seen.cpu_count;
    if (count < 0) return unsaid(Fact::cpus, "the number of processors");
    if (count != planned.cpu_count)
      differs(Fact::cpus, count == 1 ? "1 processor" : format("{} processors", count),
              std::to_string(planned.cpu_count));
    if (!planned.cpu) return;
    std::set<std::string> words;
    for (const SeenKind& k : seen.cpus.kinds) words.insert(k.model);
    if (words.empty() || words.contains("")) words = {seen.cpu_summary};
    model(Fact::cpus, "processors", words, planned.cpu_model,
          [&](const std::string& w) { return is_cpu(*planned.cpu, w); });
  }

  void gpus(const ServerModel& planned, const HardwareSeen& seen, int group) {
    const std::int64_t count = seen.gpus.count();
    const std::string counted = count == 1 ? "1 GPU" : format("{} GPUs", count);
    if (planned.gpu_count <= 0) {
      if (const std::string all = models(seen.gpus); count > 0)
        differs(Fact::gpus, all.empty() ? counted : counted + " " + quoted(all), "none");
      return;
    }
    // None in the list means none there only where BMCs of such servers list them.
    if (seen.gpus.complete && !lists_gpus_[group]) return without_gpus_[group].push_back(at_);
    if (!seen.gpus.complete || !(seen.gpus.listed || seen.cpus.listed)) return unsaid(Fact::gpus, "the number of GPUs");
    const std::int64_t each = planned.gpu && planned.gpu->devices ? *planned.gpu->devices : 1;
    if (count != planned.gpu_count && count * each != planned.gpu_count)
      differs(Fact::gpus, counted, std::to_string(planned.gpu_count));
    if (!planned.gpu || count == 0) return;
    std::set<std::string> words;
    for (const SeenKind& k : seen.gpus.kinds) words.insert(k.model);
    model(Fact::gpus, "GPUs", words, planned.gpu_model, [&](const std::string& w) { return is_gpu(*planned.gpu, w); });
  }

  template <class Is>
  void model(Fact fact, std::string_view many, const std::set<std::string>& words, const std::string& planned, Is is) {
    std::vector<std::string> others, short_words;
    bool open = false;
    for (const std::string& word : words) {
      const std::optional<bool> same = is(word);
      if (!same) open = true;
      if (!same && !word.empty()) short_words.push_back(quoted(word));
      if (same && !*same) others.push_back(quoted(word));
    }
    if (!others.empty())
      differs(fact, format("{} {}", many, join(others, ", ")), planned);
    else if (!short_words.empty())
      unsaid(fact, format("more of the model of the {} than {}", many, join(short_words, ", ")));
    else if (open)
      unsaid(fact, format("the model of the {}", many));
  }

  void memory(const ServerModel& planned, const HardwareSeen& seen) {
    const std::optional<Dimms>& modules = planned.part.memory;
    const bool counted = can_count(seen.dimms) && seen.dimms.count() > 0;
    if (modules && modules->count && modules->size && counted) {
      const auto is = [&](const SeenKind& k) { return static_cast<double>(k.size) * kMib == modules->size->value; };
      const bool sizes = all_sized(seen.dimms);
      if (seen.dimms.count() != *modules->count || (sizes && !std::ranges::all_of(seen.dimms.kinds, is)))
        return differs(Fact::memory,
                       "memory modules " +
                           listing(seen.dimms, [](const SeenKind& k) { return size_text(k, kMib, Dimension::bytes); }),
                       format("{} x {}", *modules->count, to_text(*modules->size)));
      if (sizes) return;
      unsaid(Fact::memory, "the size of the memory modules");
    } else if (modules) {
      unsaid(Fact::memory, "the number of memory modules");
    }
    if (!planned.memory) return;
    if (seen.memory_gib <= 0) return modules ? void() : unsaid(Fact::memory, "the size of the memory");
    const double total = static_cast<double>(seen.memory_gib) * 1024 * kMib;
    if (!about(total, planned.memory->value, kSameMemory))
      differs(Fact::memory, to_text(Bytes(total)) + " of memory", to_text(*planned.memory));
  }

  // By family and number: few BMCs name the ports of an adapter. Adapters of other families are the board's own.
  void adapters(const ServerModel& planned, const HardwareSeen& seen) {
    std::map<std::string, std::int64_t> wanted, there;
    for (const NicSet& set : planned.nics)
      if (set.part && set.part->name)
        if (const std::string family = adapter_family(*set.part->name + " " + set.model); !family.empty())
          wanted[family] += set.count;
    if (wanted.empty()) return;
    if (!can_count(seen.nics) || !all_named(seen.nics) || seen.nics.count() == 0)
      return unsaid(Fact::nics, "the models of the network adapters");
    for (const SeenKind& k : seen.nics.kinds) there[adapter_family(k.model)] += k.count;
    for (const auto& [family, count] : wanted)
      if (there[family] != count)
        differs(Fact::nics, format("{} {} adapters", there[family], family), std::to_string(count));
  }

  void drives(const ServerModel& planned, const HardwareSeen& seen) {
    std::int64_t wanted = 0;
    std::map<double, std::int64_t> sizes;
    for (const Named<Drives>& set : planned.part.drives) {
      if (set.value.shared.value_or(false) || !set.value.size) continue;
      wanted += set.value.count.value_or(1);
      sizes[set.value.size->value] += set.value.count.value_or(1);
    }
    if (wanted == 0) return;
    if (!can_count(seen.drives)) return unsaid(Fact::drives, "the number of drives");
    bool same = seen.drives.count() == wanted;
    if (all_sized(seen.drives))
      for (const auto& [size, count] : sizes) {
        std::int64_t there = 0;
        for (const SeenKind& k : seen.drives.kinds)
          if (about(static_cast<double>(k.size), size, kSameSize)) there += k.count;
        same = same && there == count;
      }
    if (!same) {
      std::vector<std::string> plan;
      for (const auto& [size, count] : sizes) plan.push_back(format("{} x {}", count, to_text(Bytes(size))));
      return differs(
          Fact::drives,
          "drives " + listing(seen.drives, [](const SeenKind& k) { return size_text(k, 1, Dimension::bytes); }),
          join(plan, ", "));
    }
    if (!all_sized(seen.drives)) unsaid(Fact::drives, "the size of the drives");
  }

  void supplies(const ServerModel& planned, const HardwareSeen& seen) {
    const std::optional<PsuSet>& set = planned.part.psus;
    if (!set || !set->count) return;
    if (!can_count(seen.psus)) return unsaid(Fact::psus, "the number of power supplies");
    const auto is = [&](const SeenKind& k) { return about(static_cast<double>(k.size), set->power->value, kSameSize); };
    // Firmware also lists fillers and supplies without a cord, with no rating: where the others are as planned, these
    // are no difference.
    SeenParts rated = seen.psus;
    std::erase_if(rated.kinds, [](const SeenKind& k) { return k.size < 0; });
    const bool as_planned = set->power && rated.count() == *set->count && std::ranges::all_of(rated.kinds, is);
    const bool other = set->power && !std::ranges::all_of(rated.kinds, is);
    if (!as_planned && (other || seen.psus.count() != *set->count))
      return differs(
          Fact::psus,
          "power supplies " + listing(seen.psus, [](const SeenKind& k) { return size_text(k, 1, Dimension::power); }),
          set->power ? format("{} x {}", *set->count, to_text(*set->power)) : std::to_string(*set->count));
    if (set->power && !all_sized(seen.psus))
      unsaid(Fact::psus,
             format("the rating of {} of {} power supplies", seen.psus.count() - rated.count(), seen.psus.count()));
  }

  void health(std::size_t i) {
    for (const HardwareSeen::Ill& ill : answers_[i].seen.ill)
      ill_[{nodes_[i].group, ill.part, ill.words, ill.critical}].push_back(i);
  }

  // ---- the nodes of a group beside each other

  void equal(int group, const Nodes& members) {
    const auto each = [&](Fact fact, std::string_view what, auto value) {
      std::map<std::string, Nodes> by_value;
      for (const std::size_t i : members)
        if (std::string v = value(answers_[i].seen); !v.empty()) by_value[std::move(v)].push_back(i);
      if (by_value.size() < 2) return;
      const auto common = std::ranges::max_element(by_value, {}, [](const auto& entry) { return entry.second.size(); });
      for (const auto& [v, nodes] : by_value) {
        if (v == common->first) continue;
        Nodes told;  // what differs from the plan was said already
        for (const std::size_t i : nodes)
          if (!different_.contains({i, fact})) told.push_back(i);
        if (told.empty()) continue;
        const std::size_t rest = common->second.size();
        Finding& f = findings_.warning("audit-hardware-unequal", cluster_.nodes[at(group)].span,
                                       format("{} of {} is {}, of {} other {} of the group {}", what, these(told),
                                              quoted(v), rest, rest == 1 ? "node" : "nodes", quoted(common->first)));
        name(f, told, Standing::differing);
        f.help("bring the nodes of a group to the same state, or describe them as two groups");
      }
    };
    each(Fact::server, "the server model", [](const HardwareSeen& s) { return s.model; });
    each(Fact::bios, "the BIOS", [](const HardwareSeen& s) { return s.bios; });
    each(Fact::bmc, "the BMC firmware", [](const HardwareSeen& s) { return s.bmc_firmware; });
    each(Fact::cpus, "the processor model", [](const HardwareSeen& s) { return models(s.cpus); });
    each(Fact::gpus, "the GPU model", [](const HardwareSeen& s) { return models(s.gpus); });
    each(Fact::memory, "the memory module", [](const HardwareSeen& s) { return models(s.dimms); });
    each(Fact::drives, "the drive model", [](const HardwareSeen& s) { return models(s.drives); });
    each(Fact::nics, "the network adapter", [](const HardwareSeen& s) { return models(s.nics); });
    each(Fact::psus, "the power supply model", [](const HardwareSeen& s) { return models(s.psus); });
    each(Fact::power_limit, "the power limit", [](const HardwareSeen& s) {
      return s.power_limit < 0 ? std::string() : to_text(Watts(static_cast<double>(s.power_limit)));
    });
    std::set<std::string> parts;
    for (const std::size_t i : members)
      for (const auto& [part, version] : answers_[i].seen.firmware) parts.insert(part);
    for (const std::string& part : parts)
      each(Fact::firmware, "the firmware " + quoted(part), [&](const HardwareSeen& s) {
        const auto at = std::ranges::lower_bound(s.firmware, part, {}, &std::pair<std::string, std::string>::first);
        return at != s.firmware.end() && at->first == part ? at->second : std::string();
      });
  }

  // ---- findings: those that say the same of several nodes are one

  void differs(Fact fact, std::string seen, std::string planned) {
    different_.insert({at_, fact});
    differences_[{nodes_[at_].group, fact, std::move(seen), std::move(planned)}].push_back(at_);
  }
  void unsaid(Fact fact, std::string what) {
    if (answers_[at_].seen.unread_count > 0) return;  // read in part, which was said with its reason
    unsaid_[{nodes_[at_].group, fact, std::move(what)}].push_back(at_);
  }

  void unread(std::size_t i) {
    const BmcAnswer& a = answers_[i];
    std::string why = why_unread(a);
    const bool in_part = why.empty();
    if (in_part) {
      why = join(a.seen.unread, "; ");
      if (a.seen.unread_count > static_cast<std::int64_t>(a.seen.unread.size()))
        why += format("; {} in all", a.seen.unread_count);
    }
    unread_[{nodes_[i].group, in_part, why}].push_back(i);
    standing_[i] = Standing::unread;
  }

  void tell() {
    for (const auto& [key, nodes] : unread_) {
      const auto& [group, in_part, why] = key;
      Finding& f =
          findings_.error("audit-bmc-unread", place(nodes.front()),
                          format("the BMC of {} was {}: {}", these(nodes), in_part ? "read in part" : "not read", why));
      if (const std::string& address = nodes_[nodes.front()].address; nodes.size() == 1 && !address.empty())
        f.note({}, format("its address is {}", printable(address)));
      const bool others = std::ranges::any_of(standing_, [](Standing s) { return s != Standing::unread; });
      f.help(std::string("read it again once its network, certificate, account and firmware are in order") +
             (others ? "; the other nodes were compared" : ""));
      name(f, nodes, Standing::unread);
    }
    for (const auto& [group, nodes] : without_gpus_) {
      const ServerModel& planned = cluster_.nodes[at(group)].server;
      Finding& f = findings_.error(
          "audit-bmc-unread", place(nodes.front()),
          format("the BMC of {} lists no GPUs, planned {}: GPUs were not compared", these(nodes), planned.gpu_count));
      f.help("some BMCs list no GPUs at all: compare the GPUs on the nodes, and accept this finding");
      name(f, nodes, Standing::in_part);
    }
    for (const auto& [key, nodes] : differences_) {
      const auto& [group, fact, seen, planned] = key;
      Finding& f = findings_.error(
          "audit-hardware-differs", cluster_.nodes[at(group)].span,
          format("{} {} {}, planned {}", these(nodes), nodes.size() == 1 ? "has" : "have", seen, planned));
      f.help("exchange or reseat the part; if the servers are as they shall be, write them so in the spec");
      name(f, nodes, Standing::differing);
    }
    for (const auto& [key, nodes] : ill_) {
      const auto& [group, part, words, critical] = key;
      const SourceSpan at_group = cluster_.nodes[at(group)].span;
      const std::string message = format("{} of {} {}", part, these(nodes), words);
      Finding& f = critical ? findings_.error("audit-health", at_group, message)
                            : findings_.warning("audit-health", at_group, message);
      f.help("the event log of the BMC says what happened to it");
      name(f, nodes, Standing::differing);
    }
    for (const auto& [key, nodes] : unsaid_) {
      const auto& [group, fact, what] = key;
      Finding& f = findings_.note("audit-fact-unread", cluster_.nodes[at(group)].span,
                                  format("the BMC of {} does not say {}: it was not compared", these(nodes), what));
      name(f, nodes, Standing::in_part);
    }
  }

  // "'n03'", "3 nodes 'n[03-05]'"
  std::string these(const Nodes& nodes) const {
    std::vector<std::string> names;
    for (const std::size_t i : nodes) names.push_back(name_of(i));
    if (names.size() == 1) return quoted(names.front());
    return format("{} nodes '{}'", names.size(), fold_names(names));
  }
  std::string name_of(std::size_t i) const { return cluster_.nodes[at(nodes_[i].group)].names.name(nodes_[i].member); }
  SourceSpan place(std::size_t i) const {
    return nodes_[i].span.valid() ? nodes_[i].span : cluster_.nodes[at(nodes_[i].group)].span;
  }
  void name(Finding& f, const Nodes& nodes, Standing standing) {
    for (const std::size_t i : nodes) {
      f.object(plan_.node_object(cluster_.nodes[at(nodes_[i].group)].first + nodes_[i].member));
      standing_[i] = std::max(standing_[i], standing);
    }
  }

  const Plan& plan_;
  const Cluster& cluster_;
  const std::vector<AuditedNode>& nodes_;
  const std::vector<BmcAnswer>& answers_;
  Findings& findings_;
  std::size_t at_ = 0;  // the node that is compared
  std::map<int, Nodes> by_group_;
  std::map<int, bool> lists_gpus_;
  std::map<int, Nodes> without_gpus_;  // by group; its BMCs list no GPU
  std::vector<Standing> standing_;
  std::set<std::pair<std::size_t, Fact>> different_;
  std::map<std::tuple<int, bool, std::string>, Nodes> unread_;
  std::map<std::tuple<int, Fact, std::string, std::string>, Nodes> differences_;
  std::map<std::tuple<int, std::string, std::string, bool>, Nodes> ill_;
  std::map<std::tuple<int, Fact, std::string>, Nodes> unsaid_;
};

}  // namespace

std::string plain_address(std::string_view text) {
  std::string out = to_lower(text);
  if (out.ends_with(":443") && (out.front() == '[' || std::ranges::count(out, ':') == 1)) out.resize(out.size() - 4);
  if (out.ends_with('.')) out.pop_back();
  return out;
}

HardwareCounts report_hardware(const Plan& plan, const std::vector<AuditedNode>& nodes,
                               const std::vector<BmcAnswer>& answers, Findings& findings) {
  return Auditor(plan, nodes, answers, findings).report();
}

void report_unverified(SourceSpan at, Findings& findings) {
  findings
      .warning("audit-tls-unverified", at,
               "the certificates of the BMCs were not verified: another machine may have answered, and been given the "
               "password")
      .help("name the authority that signed them, --ca FILE, or their public keys, --pin FILE");
}

}  // namespace clusterc
