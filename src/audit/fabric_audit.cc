#include "audit/fabric_audit.h"

#include <map>

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/index.h"

namespace clusterc {
namespace {

using Index = std::int32_t;

std::string counted(std::int64_t n, std::string_view one) { return format("{} {}{}", n, one, n == 1 ? "" : "s"); }

std::string many(const std::string& kind) {
  return kind == "leaf" ? "leaves" : kind == "switch" ? "switches" : kind == "storage" ? "storage systems" : kind + "s";
}

class Reporter {
 public:
  Reporter(const SeenFabric& seen, const AuditedFabric& audited, FileId dump, Findings& findings)
      : seen_(seen),
        plan_(audited.planned),
        match_(audited.match),
        differences_(audited.differences),
        dump_(dump),
        findings_(findings),
        seen_as_(plan_.devices.size(), -1) {
    for (std::size_t d = 0; d < seen.devices.size(); ++d)
      if (match_.planned[d] >= 0 && seen.devices[d].is_switch) seen_as_[at(match_.planned[d])] = static_cast<Index>(d);
  }

  void report() {
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
    absent();
    unplanned();
    if (differences_.nameless > 0)
      findings_
          .note("audit-adapters-unnamed", {dump_, 0, 0},
                format("{} name no host: each was taken for the planned port that is left on its leaf",
                       counted(differences_.nameless, "adapter")))
          .help(
              "start rdma-ndd on the hosts, which writes the host's name into the description of its adapters, and "
              "take the dump again");
  }

 private:
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
    if (seen_.devices[at(d)].is_switch) return format("{} port {}", seen_switch(d), b ? l.b_port : l.a_port);
    const SeenDevice& s = seen_.devices[at(d)];
    if (s.name.empty()) return format("adapter 0x{} port {}", s.id, l.b_port);
    return format("'{}' adapter {} port {}", s.name, s.adapter, l.b_port);
  }
  bool is_member(Index cable) const { return plan_.devices[at(plan_.cables[at(cable)].near)].tier < 0; }
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
  void place(Finding& f, Index cable) const {
    const PlannedCable& c = plan_.cables[at(cable)];
    const std::string name =
        "cable/" + plan_.devices[at(c.near)].object + "/" + (is_member(cable) ? c.port : std::to_string(c.near_port));
    std::string where;
    const std::string &near = plan_.places[at(c.near)], &far = plan_.places[at(c.far)];
    if (!near.empty() && !far.empty()) where = format(", from {} to {}", near, far);
    f.note({}, format("the plan has it as {}{}", name, where));
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
          format("the cable between {} and {} is not planned, and one between {} and {} is missing", seen_end(l, false),
                 seen_end(l, true), planned_end(m.cable, false), planned_end(m.cable, true)));
      place(f, m.cable);
      f.help("move both ends of the cable, or lay a new one and take this one out");
      return;
    }
    const bool keeps = kept_is_b(m);
    Finding& f = findings_.error("audit-cable-misplaced", l.span,
                                 format("the cable of {} is in {}, planned {}", seen_end(l, keeps), seen_end(l, !keeps),
                                        planned_end(m.cable, m.far)));
    place(f, m.cable);
    f.help(format("move its end from {} to {}", seen_end(l, !keeps), planned_end(m.cable, m.far)));
  }

  // Between two switches as one finding.
  void missing() {
    std::map<std::pair<Index, Index>, std::vector<Index>> between;
    for (const Index c : differences_.missing) {
      if (!is_member(c)) {
        between[{plan_.cables[at(c)].near, plan_.cables[at(c)].far}].push_back(c);
        continue;
      }
      Finding& f = findings_.error("audit-link-missing", {dump_, 0, 0},
                                   format("{} has no link, planned to {}", member_port(c), planned_end(c, true)));
      place(f, c);
      f.help("look whether the port is down (ibstat, iblinkinfo), then at the cable and its transceivers");
    }
    if (between.empty()) return;
    std::map<std::pair<Index, Index>, std::int64_t> planned;
    for (const PlannedCable& c : plan_.cables)
      if (between.contains({c.near, c.far})) ++planned[{c.near, c.far}];
    for (const auto& [pair, cables] : between) {
      const std::int64_t all = planned[pair], lost = static_cast<std::int64_t>(cables.size());
      Finding& f =
          findings_.error("audit-link-missing", seen_.devices[at(seen_as_[at(pair.first)])].span,
                          format("{} has {} to {}, planned {}", device(pair.first),
                                 all == lost ? "no link" : counted(all - lost, "link"), device(pair.second), all));
      place(f, cables.front());
      f.help("look at the planned ports (iblinkinfo), then at the cable and its transceivers");
    }
  }

  void extra(const SeenLink& l) {
    findings_
        .warning("audit-link-unplanned", l.span,
                 format("a link between {} and {} is not planned", seen_end(l, false), seen_end(l, true)))
        .help("take the cable out, or plan it");
  }

  void slow(const SlowLink& s) {
    const SeenLink& l = seen_.links[at(s.link)];
    Finding& f =
        findings_.error("audit-link-slow", l.span,
                        format("the link between {} and {} runs at {} ({}), planned {}", seen_end(l, false),
                               seen_end(l, true), to_text(l.rate), l.speed, to_text(plan_.cables[at(s.cable)].rate)));
    place(f, s.cable);
    f.help("clean and reseat both ends of the cable; if it stays slow, change the cable, then the transceivers");
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
      Finding& f = findings_.error(
          "audit-device-missing", {dump_, 0, 0},
          format("the dump has no link of {}: '{}'",
                 names.size() == 1 ? "a planned " + kind : format("{} planned {}", names.size(), many(kind)),
                 fold_names(names)));
      for (const Index d : devices) f.object(plan_.devices[at(d)].object);
      f.help("if they are not built yet, give the spec the counts that are there; else look at their power and cables");
    }
  }

  void unplanned() {
    std::vector<std::string> switches, adapters;
    for (const Index d : differences_.unplanned) {
      const SeenDevice& s = seen_.devices[at(d)];
      (s.is_switch ? switches : adapters).push_back(s.name.empty() ? "0x" + s.id : s.name);
    }
    tell(switches, "switch", "switches");
    tell(adapters, "adapter", "adapters");
  }
  void tell(const std::vector<std::string>& names, std::string_view one, std::string_view many) {
    if (names.empty()) return;
    std::vector<std::string> folded;
    for (const std::string& name : names)
      if (folded.empty() || folded.back() != name) folded.push_back(name);
    findings_
        .warning("audit-device-unplanned", {dump_, 0, 0},
                 format("{} {} of the dump are not planned in network '{}': '{}'", names.size(),
                        names.size() == 1 ? one : many, plan_.network, fold_names(folded)))
        .help("add them to the spec, or take them off this fabric");
  }

  const SeenFabric& seen_;
  const PlannedFabric& plan_;
  const FabricMatch& match_;
  const FabricDifferences& differences_;
  FileId dump_;
  Findings& findings_;
  std::vector<Index> seen_as_;  // by planned switch
};

}  // namespace

AuditedFabric audit_fabric(const SeenFabric& seen, const Plan& plan, const std::vector<int>& fabrics) {
  AuditedFabric best;
  for (const int fabric : fabrics) {
    AuditedFabric one;
    one.planned = planned_fabric(plan, fabric);
    one.match = match_fabric(seen, one.planned);
    one.differences = compare_fabric(seen, one.planned, one.match);
    if (best.planned.network.empty() || one.differences.right > best.differences.right) best = std::move(one);
  }
  return best;
}

void report_fabric(const SeenFabric& seen, const AuditedFabric& audited, FileId dump, Findings& findings) {
  Reporter(seen, audited, dump, findings).report();
}

std::string fabric_summary(const AuditedFabric& a) {
  const FabricDifferences& d = a.differences;
  std::string out = format("network '{}': {} of {} planned cables are there and in the right place", a.planned.network,
                           d.right, d.planned_cables);
  if (d.too_many)
    out += "; too many differ to say which cables to move";
  else if (const std::int64_t ends = d.ends_to_move(); ends > 0)
    out += format("; {} of cable ends {} the others right", counted(ends, "move"), ends == 1 ? "makes" : "make");
  return out;
}

}  // namespace clusterc
