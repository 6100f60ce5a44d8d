#include "report/link_rows.h"

#include <cmath>

#include "base/text.h"
#include "plan/equipment.h"

namespace clusterc {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

LinkRows::LinkRows(const Cluster& cluster, const Plan& plan) : c_(cluster), p_(plan), links_(plan) {
  std::int64_t switches = 0;
  for (const Fabric& f : plan.fabrics) switches += f.switch_count();
  switches_.resize(at(switches));
  racks_.reserve(plan.racks.size());
  for (std::size_t r = 0; r < plan.racks.size(); ++r) racks_.push_back(cluster.rack_name(static_cast<std::int64_t>(r)));
  seen_.assign(at(links_.cage_count()), 0);
}

const LinkRows::SwitchNames& LinkRows::switch_names(int fabric, SwitchRef r) {
  SwitchNames& names = switches_[at(p_.switch_number(fabric, r))];
  if (names.name.empty()) {
    names.name = p_.switch_name(fabric, r);
    names.host = p_.switch_host_name(fabric, r);
  }
  return names;
}

std::string LinkRows::member_host(int fabric, int block, std::int64_t member, const std::string& object) const {
  const FabricBlock& b = p_.fabrics[at(fabric)].blocks[at(block)];
  if (b.what != FabricBlock::What::ends) return equipment_host_name(p_, b.what, b.of, member);
  const int group = c_.networks[at(b.network)].ends[at(b.end)].group;
  return group >= 0 ? c_.nodes[at(group)].names.name(member) : host_name_of(object);
}

void LinkRows::make_room(std::string& text, std::int64_t rows) const {
  std::int64_t all = 0;
  for (const Fabric& f : p_.fabrics) all += f.node_cables + f.leaf_spine_cables + f.spine_core_cables + f.uplink_cables;
  // A quarter more than the first rows say: names of switches are longer than those of nodes. What is not written is
  // not touched.
  if (all > rows) text.reserve(text.size() / at(rows) * at(all) / 4 * 5);
}

void LinkRows::fill(const PluggedLink& l) {
  row_.link = &l;
  row_.network = &p_.fabrics[at(l.fabric)].name;
  // The near end: of a member only the port changes from link to link.
  if (l.block < 0) {
    const SwitchNames& names = switch_names(l.fabric, l.near);
    row_.near.object = names.name;
    row_.near_host = names.host;
    row_.near.port.clear();
    append_int(row_.near.port, l.near_port);
    near_block_ = -2;
  } else {
    links_.near_end(l, row_.near);
    if (near_fabric_ != l.fabric || near_block_ != l.block || near_member_ != l.member) {
      near_fabric_ = l.fabric;
      near_block_ = l.block;
      near_member_ = l.member;
      row_.near_host = member_host(l.fabric, l.block, l.member, row_.near.object);
    }
  }
  if (l.far_block >= 0) {
    links_.far_end(l, row_.far);
    row_.far_host = member_host(l.fabric, l.far_block, l.far_member, row_.far.object);
  } else {
    const SwitchNames& far = switch_names(l.far_fabric, l.far);
    row_.far.object = far.name;
    row_.far_host = far.host;
    row_.far.port.clear();
    append_int(row_.far.port, l.far_port);
  }
  row_.near_rack = l.near_at.rack < 0 ? std::string_view() : racks_[at(l.near_at.rack)];
  row_.far_rack = l.far_at.rack < 0 ? std::string_view() : racks_[at(l.far_at.rack)];
  const double rate = links_.rate(l).value;
  if (rate != rate_) {
    rate_ = rate;
    rate_text_ = to_text(BitsPerSecond(rate));
  }
  row_.rate = rate_text_;
  row_.run = p_.cabling().run(l);
  p_.cabling().name_cable(row_.run, l, row_.near, row_.far, row_.cable);
  row_.first_of_cable = true;
  if (!row_.run.shared) return;
  const Cabling::Shared cable = Cabling::shared_cable(row_.run, l);
  std::uint8_t& seen = seen_[at(cable.cage)];
  const auto bit = static_cast<std::uint8_t>(1U << cable.place);
  row_.first_of_cable = !(seen & bit);
  seen |= bit;
}

void append_part(std::string& out, const Cabling::Run& run) {
  if (!run.cable) return;
  if (run.fibres > 1) {
    append_int(out, run.fibres);
    out += " x ";
  }
  out += run.cable->id;
}

void append_metres(std::string& out, Meters m) {
  const auto tenths = static_cast<std::int64_t>(std::llround(m.value * 10));
  append_int(out, tenths / 10);
  if (tenths % 10) {
    out += '.';
    append_int(out, tenths % 10);
  }
}

std::string cable_text(const Cabling::Run& run) {
  if (!run.cable) return "-";
  std::string out;
  append_part(out, run);
  out += ' ';
  append_metres(out, run.length);
  out += " m";
  return out;
}

}  // namespace clusterc
