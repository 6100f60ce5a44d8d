#include "audit/fabric_audit.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "audit/port_counters.h"
#include "base/format.h"
#include "base/host_pattern.h"
#include "base/index.h"
#include "base/text.h"
#include "write/writers.h"

namespace clusterc {
namespace {

using Index = std::int32_t;

std::string counted(std::int64_t n, std::string_view one) { return format("{} {}{}", n, one, n == 1 ? "" : "s"); }

std::string many(const std::string& kind) {
  return kind == "leaf" ? "leaves" : kind == "switch" ? "switches" : kind == "storage" ? "storage systems" : kind + "s";
}

class Reporter {
 public:
  Reporter(const AuditedFabric& audited, FileId dump, Findings& findings)
      : seen_(audited.seen),
        plan_(audited.planned),
        match_(audited.match),
        differences_(audited.differences),
        by_itself_(audited.by_itself),
        planned_(by_itself_ ? "expected" : "planned"),
        dump_(dump),
        findings_(findings),
        seen_as_(plan_.devices.size(), -1) {
    for (std::size_t d = 0; d < seen_.devices.size(); ++d)
      if (const Index p = match_.planned[d]; p >= 0 && seen_as_[at(p)] < 0 && !match_.guessed[d])
        seen_as_[at(p)] = static_cast<Index>(d);
    find_used_ports();
  }

  void report() {
    if (differences_.unrecognised) {
      unrecognised();
      return;
    }
    if (!by_itself_) names();
    adapters();
    unnamed();
    for (std::size_t i = 0; i < differences_.moves.size(); ++i) {
      const CableMove& move = differences_.moves[i];
      if (move.swapped_with < 0)
        moved(move);
      else if (at(move.swapped_with) > i)
        swapped(move, differences_.moves[at(move.swapped_with)]);
    }
    missing();
    for (const Index l : differences_.extra) extra(seen_.links[at(l)]);
    for (const SlowLink& s : differences_.slow) slow(s);
    errors();
    absent();
    if (!by_itself_) unplanned();
    unread();
  }

 private:
  // Ports of switches that stay in use when every move is made.
  void find_used_ports() {
    std::vector<bool> leaves_a(seen_.links.size(), false), leaves_b(leaves_a);
    for (const CableMove& m : differences_.moves) {
      const bool keeps_b = kept_is_b(m);
      if ((m.near && m.far) || keeps_b) leaves_a[at(m.link)] = true;
      if ((m.near && m.far) || !keeps_b) leaves_b[at(m.link)] = true;
    }
    for (std::size_t l = 0; l < seen_.links.size(); ++l) {
      if (!leaves_a[l]) used_.emplace(seen_.links[l].a, seen_.links[l].a_port);
      if (!leaves_b[l]) used_.emplace(seen_.links[l].b, seen_.links[l].b_port);
    }
  }

  void unrecognised() {
    const FabricDifferences& d = differences_;
    findings_
        .error("audit-fabric-unrecognised", {dump_, 0, 0},
               format("the capture cannot be recognised as network '{}': {} of its {} links fit one of the {} planned "
                      "cables",
                      plan_.network, d.right + d.unjudged, seen_.links.size(), d.planned_cables))
        .help(seen_.ethernet
                  ? "if it is a capture of this network, give the spec the names of its hosts and switches"
                  : "if it is a dump of this network, give its switches their planned names, or start rdma-ndd "
                    "on the hosts, so that adapters name their hosts, and take the dump again");
  }

  void names() {
    const std::vector<FabricMatch::Renamed>& all = match_.by_cables;
    if (all.empty()) return;
    std::int64_t switches = 0;
    std::string first;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const PlannedDevice& p = plan_.devices[at(all[i].planned)];
      switches += p.tier >= 0;
      if (i < 3) first += format("{}'{}' is '{}'", i ? ", " : "", p.host, all[i].seen);
    }
    const std::int64_t members = static_cast<std::int64_t>(all.size()) - switches;
    std::string who;
    if (members > 0) who = counted(members, "host");
    if (switches > 0)
      who += format("{}{}", who.empty() ? "" : " and ", switches == 1 ? "1 switch" : format("{} switches", switches));
    findings_
        .note("audit-names-differ", {dump_, 0, 0},
              format("{} {} called as planned: {} recognised by {} cables ({}{})", who,
                     all.size() == 1 ? "is not" : "are not", all.size() == 1 ? "it was" : "they were",
                     all.size() == 1 ? "its" : "their", first, all.size() > 3 ? ", …" : ""))
        .help(
            "hosts on the same switches cannot be told apart by their cables: to compare single hosts, write the host "
            "names "
            "of the fabric into the spec; --names FILE writes which planned host was taken for which real one");
  }

  void adapters() {
    const std::vector<std::string>& hosts = match_.numbered_otherwise;
    if (hosts.empty()) return;
    findings_
        .warning(
            "audit-adapters-differ", {dump_, 0, 0},
            format("'{}' {} adapters with other numbers here than the other hosts: the order of the numbers was taken "
                   "for the order of the planned ports",
                   fold_names(hosts), hosts.size() == 1 ? "has" : "have"))
        .help(
            "look whether an adapter of another network is plugged in: its cable counts as right, because nothing "
            "tells which numbers are the planned ones");
  }

  void unnamed() {
    std::int64_t adapters = 0;
    SourceSpan first{dump_, 0, 0};
    for (std::size_t d = 0; d < seen_.devices.size(); ++d)
      if (match_.guessed[d] && adapters++ == 0) first = seen_.devices[d].span;
    if (adapters == 0) return;
    findings_
        .warning("audit-adapters-unnamed", first,
                 format("{} {} no host, as the one of this line: {} in planned places {} not judged, because each may "
                        "be of another host",
                        counted(adapters, "adapter"), adapters == 1 ? "names" : "name",
                        counted(differences_.unjudged, "cable"), differences_.unjudged == 1 ? "is" : "are"))
        .help(
            "start rdma-ndd on the hosts, which writes the host's name into the description of its adapters, and "
            "take the dump again");
  }

  void unread() {
    const std::vector<Index>& unseen = differences_.unseen;
    if (!unseen.empty()) {
      std::set<std::string> silent;
      for (const Index c : unseen) {
        const PlannedCable& cable = plan_.cables[at(c)];
        silent.insert(plan_.devices[at(cable.far)].host);
      }
      findings_
          .warning("audit-capture-unread", {dump_, 0, 0},
                   format("{} not compared: the capture has neither of {} ends, as of '{}'",
                          unseen.size() == 1 ? "1 planned cable was" : format("{} planned cables were", unseen.size()),
                          unseen.size() == 1 ? "its" : "their",
                          fold_names(std::vector<std::string>(silent.begin(), silent.end()))))
          .help(seen_.ethernet ? "add what these switches see: lldpcli -f json show neighbors > SWITCH.json"
                               : "take the dump again, and keep it as the tool wrote it: ibnetdiscover > FILE");
    }
    if (differences_.rates_unread)
      findings_.note("audit-fact-unread", {dump_, 0, 0},
                     "the capture does not say how fast links are: rates were not compared");
  }

  // A switch: what it calls itself, and its planned name where that is another one.
  std::string device(Index planned) const {
    const PlannedDevice& d = plan_.devices[at(planned)];
    if (d.tier < 0 || seen_as_[at(planned)] < 0) return "'" + d.host + "'";
    return seen_switch(seen_as_[at(planned)]);
  }
  std::string seen_switch(Index seen) const {
    const SeenDevice& s = seen_.devices[at(seen)];
    const Index planned = match_.planned[at(seen)];
    std::string out = s.name.empty() ? "switch 0x" + s.id : "'" + s.name + "'";
    if (planned >= 0 && plan_.devices[at(planned)].host != s.name)
      out += " (planned as '" + plan_.devices[at(planned)].host + "')";
    return out;
  }
  std::string member_port(Index cable) const {
    const PlannedCable& c = plan_.cables[at(cable)];
    return "'" + plan_.devices[at(c.near)].host + "' port " + c.port;
  }
  // The end of a link at a device, with the port that its cable is in.
  std::string seen_end(const SeenLink& l, bool b) const {
    const Index d = b ? l.b : l.a;
    const std::string& name = b ? l.b_name : l.a_name;
    if (seen_.devices[at(d)].is_switch)
      return format("{} port {}", seen_switch(d), name.empty() ? std::to_string(b ? l.b_port : l.a_port) : name);
    if (!name.empty()) return format("'{}' {}", seen_.devices[at(d)].name, name);
    const SeenDevice& s = seen_.devices[at(d)];
    if (s.name.empty()) return format("adapter 0x{} port {}", s.id, l.b_port);
    return format("'{}' adapter {} port {}", s.name, s.adapter, l.b_port);
  }
  bool is_member(Index cable) const { return plan_.devices[at(plan_.cables[at(cable)].near)].tier < 0; }
  // Where a moved end is to be plugged in.
  std::string free_port(Index cable, bool far) const {
    const PlannedCable& c = plan_.cables[at(cable)];
    if (!far && is_member(cable)) return member_port(cable);
    const Index planned = far ? c.far : c.near;
    if (const Index seen = seen_as_[at(planned)]; seen >= 0 && used_.contains({seen, far ? c.far_port : c.near_port}))
      return "a free port of " + device(planned);
    return planned_end(cable, far);
  }
  std::string planned_end(Index cable, bool far) const {
    const PlannedCable& c = plan_.cables[at(cable)];
    if (far) return format("{} port {}", device(c.far), c.far_port);
    return is_member(cable) ? member_port(cable) : format("{} port {}", device(c.near), c.near_port);
  }
  // Whether the end of the link that stays where it is planned is `b` of the link.
  bool kept_is_b(const CableMove& m) const {
    const SeenLink& l = seen_.links[at(m.link)];
    const PlannedCable& c = plan_.cables[at(m.cable)];
    const Index kept = m.near ? c.far : c.near;
    if (!m.near && is_member(m.cable)) return true;
    return match_.planned[at(l.a)] != kept;
  }
  std::string cable_name(Index cable) const {
    const PlannedCable& c = plan_.cables[at(cable)];
    return "cable/" + plan_.devices[at(c.near)].object + "/" +
           (is_member(cable) ? c.port : std::to_string(c.near_port));
  }
  void place(Finding& f, Index cable) const {
    if (by_itself_) return;
    const PlannedCable& c = plan_.cables[at(cable)];
    const std::string name = cable_name(cable);
    std::string where;
    const std::string &near = plan_.places[at(c.near)], &far = plan_.places[at(c.far)];
    if (!near.empty() && !far.empty()) where = format(", from {} to {}", near, far);
    f.note({}, format("in the plan the cable is {}{}", name, where));
    f.object(name);
  }

  void swapped(const CableMove& one, const CableMove& two) {
    const SeenLink &a = seen_.links[at(one.link)], &b = seen_.links[at(two.link)];
    const bool keeps_a = kept_is_b(one), keeps_b = kept_is_b(two);
    Finding& f =
        findings_.error("audit-cable-misplaced", a.span,
                        format("the cables of {} and {} are swapped: they are in {} and {}", seen_end(a, keeps_a),
                               seen_end(b, keeps_b), seen_end(a, !keeps_a), seen_end(b, !keeps_b)));
    f.note(b.span, "the other cable");
    place(f, one.cable);
    place(f, two.cable);
    f.help(format("swap the two ends at {} and {}", seen_end(a, !keeps_a), seen_end(b, !keeps_b)));
  }

  void moved(const CableMove& m) {
    const SeenLink& l = seen_.links[at(m.link)];
    if (m.near && m.far) {
      Finding& f = findings_.error(
          "audit-cable-misplaced", l.span,
          format("the cable between {} and {} is not {}, and one between {} and {} is missing", seen_end(l, false),
                 seen_end(l, true), planned_, planned_end(m.cable, false), planned_end(m.cable, true)));
      place(f, m.cable);
      f.help("move both ends of the cable, or lay a new one and take this one out");
      return;
    }
    const bool keeps = kept_is_b(m);
    Finding& f = findings_.error("audit-cable-misplaced", l.span,
                                 format("the cable of {} is in {}, {} {}", seen_end(l, keeps), seen_end(l, !keeps),
                                        planned_, planned_end(m.cable, m.far)));
    place(f, m.cable);
    if (match_.guessed[at(l.b)])
      f.note({}, "this adapter names no host: another one without a name on the same switch may be the misplaced one");
    f.help(format("move its end from {} to {}", seen_end(l, !keeps), free_port(m.cable, m.far)));
  }

  // Between two switches as one finding.
  void missing() {
    std::map<std::pair<Index, Index>, std::vector<Index>> between;
    for (const Index c : differences_.missing) {
      if (!is_member(c)) {
        between[{plan_.cables[at(c)].near, plan_.cables[at(c)].far}].push_back(c);
        continue;
      }
      const Index host = seen_as_[at(plan_.cables[at(c)].near)];
      Finding& f =
          findings_.error("audit-link-missing", host < 0 ? SourceSpan{dump_, 0, 0} : seen_.devices[at(host)].span,
                          format("{} has no link, {} to {}", member_port(c), planned_, planned_end(c, true)));
      place(f, c);
      f.help(format("look whether the port is down ({}), then at the cable and its transceivers",
                    seen_.ethernet ? "ip link, lldpcli" : "ibstat, iblinkinfo"));
    }
    if (between.empty()) return;
    std::map<std::pair<Index, Index>, std::int64_t> planned;
    for (const PlannedCable& c : plan_.cables)
      if (between.contains({c.near, c.far})) ++planned[{c.near, c.far}];
    for (const auto& [pair, cables] : between) {
      const std::int64_t all = planned[pair], lost = static_cast<std::int64_t>(cables.size());
      Finding& f = findings_.error(
          "audit-link-missing", seen_.devices[at(seen_as_[at(pair.first)])].span,
          format("{} has {} to {}, {} {}", device(pair.first), all == lost ? "no link" : counted(all - lost, "link"),
                 device(pair.second), planned_, all));
      place(f, cables.front());
      for (std::size_t i = 1; i < cables.size() && !by_itself_; ++i) f.object(cable_name(cables[i]));
      f.help(format("look at the planned ports ({}), then at the cable and its transceivers",
                    seen_.ethernet ? "lldpcli" : "iblinkinfo"));
    }
  }

  void extra(const SeenLink& l) {
    findings_
        .warning("audit-link-unplanned", l.span,
                 format("a link between {} and {} is not {}", seen_end(l, false), seen_end(l, true), planned_))
        .object(
            format("seen/{}/{}", seen_.devices[at(l.a)].name, l.a_name.empty() ? std::to_string(l.a_port) : l.a_name))
        .help(by_itself_ ? "compare it with the other cables of these devices" : "take the cable out, or plan it");
  }

  void slow(const SlowLink& s) {
    const SeenLink& l = seen_.links[at(s.link)];
    Finding& f = findings_.error(
        "audit-link-slow", l.span,
        format("the link between {} and {} runs at {} ({}), {} {}", seen_end(l, false), seen_end(l, true),
               to_text(l.rate), l.speed, planned_, to_text(plan_.cables[at(s.cable)].rate)));
    if (!match_.guessed[at(l.b)]) place(f, s.cable);
    f.help("clean and reseat both ends of the cable; if it stays slow, change the cable, then the transceivers");
  }

  // Both ends of a cable count its errors: one finding.
  void errors() {
    if (seen_.counters.empty()) return;
    std::map<std::string_view, Index> devices;
    for (std::size_t d = 0; d < seen_.devices.size(); ++d) devices.emplace(seen_.devices[d].id, static_cast<Index>(d));
    for (const auto& [guid, device] : seen_.port_guids) devices.emplace(guid, device);
    std::map<std::pair<Index, std::int64_t>, Index> link_of;
    for (std::size_t l = 0; l < seen_.links.size(); ++l) {
      link_of.emplace(std::pair(seen_.links[l].a, seen_.links[l].a_port), static_cast<Index>(l));
      link_of.emplace(std::pair(seen_.links[l].b, seen_.links[l].b_port), static_cast<Index>(l));
    }
    std::map<Index, std::vector<const PortCounters*>> of_link;
    SeenFabric alone;
    for (const PortCounters& c : seen_.counters) {
      const auto device = devices.find(c.guid);
      const auto link = device == devices.end() ? link_of.end() : link_of.find(std::pair(device->second, c.port));
      if (link == link_of.end())
        alone.counters.push_back(c);
      else
        of_link[link->second].push_back(&c);
    }
    for (const auto& [l, ports] : of_link) errors_of(l, ports, devices);
    report_counters(alone, findings_);
  }
  void errors_of(Index l, const std::vector<const PortCounters*>& ports,
                 const std::map<std::string_view, Index>& devices) {
    const SeenLink& link = seen_.links[at(l)];
    const auto end_of = [&](const PortCounters& c) { return seen_end(link, devices.find(c.guid)->second == link.b); };
    const bool far = devices.find(ports.front()->guid)->second == link.b;
    Finding& f = findings_.warning("audit-link-errors", ports.front()->span,
                                   format("{} has counted {}; its cable goes to {}", seen_end(link, far),
                                          counters_text(*ports.front()), seen_end(link, !far)));
    for (std::size_t i = 1; i < ports.size(); ++i)
      f.note(ports[i]->span, format("{} has counted {}", end_of(*ports[i]), counters_text(*ports[i])));
    const Index a = match_.planned[at(link.a)], b = match_.planned[at(link.b)];
    if (const Index cable = planned_cable(link, match_.port[at(l)]); cable >= 0)
      place(f, cable);
    else if (!by_itself_ && a >= 0 && b >= 0 && !plan_.places[at(a)].empty() && !plan_.places[at(b)].empty())
      f.note({}, format("the cable runs from {} to {}", plan_.places[at(a)], plan_.places[at(b)]));
    f.help(std::string(kCountersHelp));
  }
  // That of a member's port, if it is in its place; between switches the one that is planned there.
  Index planned_cable(const SeenLink& l, Index of_member) {
    const Index a = match_.planned[at(l.a)], b = match_.planned[at(l.b)];
    if (of_member >= 0) return plan_.cables[at(of_member)].far == a ? of_member : -1;
    if (at_port_.empty())
      for (std::size_t c = 0; c < plan_.cables.size(); ++c)
        at_port_.emplace(std::pair(plan_.cables[c].near, plan_.cables[c].near_port), static_cast<Index>(c));
    for (const auto& [low, port, high] : {std::tuple(a, l.a_port, b), std::tuple(b, l.b_port, a)})
      if (const auto c = at_port_.find({low, port});
          low >= 0 && c != at_port_.end() && plan_.cables[at(c->second)].far == high)
        return c->second;
    return -1;
  }

  void absent() {
    std::map<std::string, std::vector<Index>> by_kind;
    for (const Index d : differences_.absent) {
      const PlannedDevice& p = plan_.devices[at(d)];
      const std::string_view kind = std::string_view(p.object).substr(0, p.object.find('/'));
      by_kind[std::string(kind)].push_back(d);
    }
    for (const auto& [kind, devices] : by_kind) {
      std::vector<std::string> names;
      for (const Index d : devices) names.push_back(plan_.devices[at(d)].host);
      Finding& f =
          findings_.error("audit-device-missing", {dump_, 0, 0},
                          format("the capture has no link of {}: '{}'",
                                 names.size() == 1 ? format("{} {} {}", by_itself_ ? "an" : "a", planned_, kind)
                                                   : format("{} {} {}", names.size(), planned_, many(kind)),
                                 fold_names(names)));
      for (const Index d : devices) f.object(plan_.devices[at(d)].object);
      f.help("if they are not built yet, give the spec the counts that are there; else look at their power and cables");
    }
  }

  void unplanned() {
    std::vector<Index> switches, adapters;
    for (const Index d : differences_.unplanned) (seen_.devices[at(d)].is_switch ? switches : adapters).push_back(d);
    tell(switches, "switch", "switches");
    tell(adapters, "adapter", "adapters");
  }
  // At the first one, with the switch that it is plugged into.
  void tell(const std::vector<Index>& devices, std::string_view one, std::string_view many) {
    if (devices.empty()) return;
    std::vector<std::string> names;
    for (const Index d : devices) {
      const SeenDevice& s = seen_.devices[at(d)];
      const std::string name = s.name.empty() ? "0x" + s.id : s.name;
      if (names.empty() || names.back() != name) names.push_back(name);
    }
    const auto link = std::find_if(seen_.links.begin(), seen_.links.end(),
                                   [&](const SeenLink& l) { return l.b == devices.front() || l.a == devices.front(); });
    Finding& f = findings_.warning(
        "audit-device-unplanned", link == seen_.links.end() ? SourceSpan{dump_, 0, 0} : link->span,
        format("{} {} of the capture {} not planned in network '{}': '{}'{}", devices.size(),
               devices.size() == 1 ? one : many, devices.size() == 1 ? "is" : "are", plan_.network, fold_names(names),
               link == seen_.links.end() || link->a == devices.front()
                   ? std::string()
                   : format(", {}in {}", devices.size() == 1 ? "" : "the first ", seen_end(*link, false))));
    for (const std::string& name : names) f.object("seen/" + name);
    f.help("add them to the spec, or take them off this fabric");
  }

  const SeenFabric& seen_;
  const PlannedFabric& plan_;
  const FabricMatch& match_;
  const FabricDifferences& differences_;
  bool by_itself_;
  std::string_view planned_;  // the word of the messages
  FileId dump_;
  Findings& findings_;
  std::vector<Index> seen_as_;  // by planned device: the switch, or an adapter of the host
  std::set<std::pair<Index, std::int64_t>> used_;
  std::map<std::pair<Index, std::int64_t>, Index> at_port_;  // planned cables by lower device and port
};

}  // namespace

namespace {

// One capture of Ethernet neighbours shows every network: without the links of switches that another network has.
SeenFabric seen_of_network(const SeenFabric& seen, const Plan& plan, int fabric) {
  SeenFabric out = seen;
  if (!seen.ethernet) return out;
  std::set<std::string> other;
  for (std::size_t n = 0; n < plan.fabrics.size(); ++n) {
    if (static_cast<int>(n) == fabric || plan.fabrics[n].tiers.empty()) continue;
    for (const PlannedDevice& d : planned_fabric(plan, static_cast<int>(n)).devices)
      if (d.tier >= 0) other.insert(to_lower(d.host));
  }
  std::erase_if(out.links, [&](const SeenLink& l) {
    return other.contains(to_lower(seen.devices[at(l.a)].name)) || other.contains(to_lower(seen.devices[at(l.b)].name));
  });
  return out;
}

}  // namespace

AuditedFabric audit_fabric(const SeenFabric& seen, const Plan& plan, const std::vector<int>& fabrics) {
  AuditedFabric best;
  const auto fit = [](const AuditedFabric& a) {
    return std::tuple(a.match.by_name, a.differences.right, a.differences.unjudged);
  };
  for (const int fabric : fabrics) {
    AuditedFabric one;
    one.fabric = fabric;
    one.seen = seen_of_network(seen, plan, fabric);
    one.planned = planned_fabric(plan, fabric);
    one.match = match_fabric(one.seen, one.planned);
    one.differences = compare_fabric(one.seen, one.planned, one.match);
    if (best.planned.network.empty() || fit(one) > fit(best)) best = std::move(one);
  }
  return best;
}

AuditedFabric audit_fabric_by_itself(const SeenFabric& seen, const Plan& of_spec) {
  AuditedFabric out = audit_fabric(seen, of_spec, {0});
  out.by_itself = true;
  for (std::size_t d = 0; d < seen.devices.size(); ++d)
    if (const Index p = out.match.planned[d]; p >= 0 && seen.devices[d].is_switch && !seen.devices[d].name.empty())
      out.planned.devices[at(p)].host = seen.devices[d].name;
  return out;
}

void report_fabric(const AuditedFabric& audited, FileId dump, Findings& findings) {
  Reporter(audited, dump, findings).report();
}

std::string fabric_names_csv(const AuditedFabric& a, bool heading) {
  std::string out;
  SheetWriter sheet(out);
  const auto row = [&](std::string_view planned, std::string_view seen_name, std::string_view by) {
    sheet.row({a.planned.network, planned, seen_name, by});
  };
  if (heading) out = kNamesHeading;
  std::map<Index, std::string> renamed;
  for (const FabricMatch::Renamed& r : a.match.by_cables) renamed.emplace(r.planned, r.seen);
  std::vector<bool> there(a.planned.devices.size(), false);
  for (std::size_t d = 0; d < a.seen.devices.size(); ++d)
    if (const Index p = a.match.planned[d]; p >= 0 && !a.match.guessed[d]) there[at(p)] = true;
  for (std::size_t p = 0; p < there.size(); ++p) {
    const std::string& planned = a.planned.devices[p].host;
    if (const auto found = renamed.find(static_cast<Index>(p)); found != renamed.end())
      row(planned, found->second, "cables");
    else if (there[p])
      row(planned, planned, "name");
    else
      row(planned, "", "");
  }
  return out;
}

std::string fabric_summary(const AuditedFabric& a) {
  const FabricDifferences& d = a.differences;
  if (d.unrecognised) return format("network '{}': nothing was compared", a.planned.network);
  const std::int64_t misplaced = static_cast<std::int64_t>(d.moves.size());
  std::string out =
      format("network '{}': of {}, {} right", a.planned.network, counted(d.planned_cables, "planned cable"), d.right);
  const std::int64_t unjudged = d.unjudged + static_cast<std::int64_t>(d.unseen.size());
  if (!d.slow.empty()) out += format(" ({} slow)", d.slow.size());
  if (unjudged > 0) out += format(", {} not judged", unjudged);
  if (misplaced > 0) out += format(", {} misplaced", misplaced);
  if (const std::int64_t left = d.planned_cables - d.right - unjudged - misplaced; left > 0)
    out += format(", {} missing", left);
  if (d.too_many)
    out += "; too many differ to say which cables to move";
  else if (const std::int64_t ends = d.ends_to_move(); ends > 0)
    out += format("; {} of cable ends {} the misplaced ones right", counted(ends, "move"), ends == 1 ? "puts" : "put");
  return out;
}

}  // namespace clusterc
