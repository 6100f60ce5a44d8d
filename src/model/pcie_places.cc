// Places of a PCIe tree that cannot be: each is a contradiction in what the spec says of its own server, and nothing
// could be computed from it.
#include <algorithm>

#include "base/text.h"
#include "model/pcie.h"
#include "model/resolution.h"

namespace clusterc {
namespace {

SourceSpan place_of(const Value<std::string>& device, const Named<PcieSlot>& slot) {
  return device.span.valid() ? device.span : slot.name_span;
}

// "socket1" -> 1, "slot12" -> 12; -1: it is called otherwise.
std::int64_t number_in(std::string_view name, std::string_view word) {
  if (!name.starts_with(word)) return -1;
  const auto number = parse_uint(name.substr(word.size()));
  return number && *number < 1000 ? static_cast<std::int64_t>(*number) : -1;
}

// Of one socket at most: a node for each last-level cache, 16 of them on one processor (AMD, EPYC 9005 architecture
// overview: 16 core complex dies in EPYC 9755; EPYC 7002 has 16 core complexes); `nodes per socket` and sub-NUMA
// clustering make fewer.
constexpr std::int64_t kMostNumaNodes = 16;

class Places {
 public:
  Places(Resolution& r, const ServerModel& server, const PcieTree& tree, std::string_view group, SourceSpan at)
      : r_(r), s_(server), tree_(tree), group_(group), at_(at) {}

  void check() {
    misfits();
    for (std::size_t i = 0; i < s_.part.pcie.entries.size(); ++i) {
      const Named<PcieSocket>& socket = s_.part.pcie.entries[i];
      const std::int64_t number = number_in(socket.name, "socket");
      check_socket(socket, static_cast<int>(i), number >= 0 ? number : static_cast<std::int64_t>(i));
      for (const auto& slot : socket.value.slots) check_slot(slot);
    }
    check_twice();
    check_numa();
  }

 private:
  std::int64_t sockets() const {
    return s_.part.sockets
               ? *s_.part.sockets
               : std::max<std::int64_t>(s_.cpu_count, static_cast<std::int64_t>(s_.part.pcie.entries.size()));
  }

  // A name that another one already means, or that means nothing: "socket00", "slot06". False where it is well written,
  // or not written here.
  bool misnamed(std::string_view name, SourceSpan span, std::string_view word, std::int64_t number, bool only_numbers) {
    if (!written(span) || (number < 0 && !only_numbers) || (number >= 0 && name == format("{}{}", word, number)))
      return false;
    if (Finding* f = r_.error("spec-no-such-place", span, format("there is no '{}'", name)))
      f->help(number >= 0 ? format("write '{}{}'", word, number)
                          : format("{}s are called {}0, {}1 and so on", word, word, word));
    return true;
  }

  void check_numa() {
    const Value<std::int64_t>& nodes = s_.part.numa_nodes;
    const std::int64_t most = kMostNumaNodes * sockets();
    if (nodes && written(nodes.span) && (*nodes > most || *nodes % sockets() != 0))
      if (Finding* f =
              r_.error("spec-out-of-range", nodes.span,
                       format("{} NUMA nodes cannot be on {} socket{}", *nodes, sockets(), sockets() == 1 ? "" : "s")))
        f->help(format("every socket has the same number of NUMA nodes, at most {}", kMostNumaNodes));
    const auto beyond = [&](std::string_view what, const Value<std::int64_t>& numa) {
      if (!numa || !written(numa.span) || *numa < most) return;
      if (Finding* f = r_.error("spec-no-such-place", numa.span,
                                format("{} is on NUMA node {}, but {} socket{} {} at most {} NUMA nodes", what, *numa,
                                       sockets(), sockets() == 1 ? "" : "s", sockets() == 1 ? "has" : "have", most)))
        f->help(format("NUMA nodes are counted from 0 over the whole server: 0 to {}",
                       nodes && *nodes <= most ? *nodes - 1 : most - 1));
    };
    for (const auto& socket : s_.part.pcie) {
      for (const auto& slot : socket.value.slots) beyond(format("slot '{}'", slot.name), slot.value.numa);
      for (const auto& sw : socket.value.switches) beyond(format("switch '{}'", sw.name), sw.value.numa);
    }
  }

  bool written(SourceSpan span) const { return span.valid() && span.file == at_.file; }  // in the spec, not in a part

  void misfits() {
    for (const PcieMisfit& m : tree_.misfits) {
      if (m.origin != Origin::spec) continue;  // the tree of a part that the spec has fitted otherwise
      using What = PcieMisfit::What;
      if (m.what == What::slot_below_none || m.what == What::switch_below_none) {
        r_.error("spec-unknown-name", m.span,
                 format("`through` of {} '{}' names a switch that its socket does not have",
                        m.what == What::slot_below_none ? "slot" : "switch", m.name));
      } else if (m.what == What::circle) {
        if (Finding* f = r_.error("spec-no-such-place", m.span,
                                  format("switch '{}' is below itself: its `through` leads back to it", m.name)))
          f->help("leave `through` out for the switch that is connected to the root port");
      } else if (Finding* f =
                     r_.error("spec-unknown-device", m.span,
                              format("slot '{}' holds a device that group '{}' does not have", m.name, group_)))
        f->help("devices are written `gpus[0]`, `nics.compute[3]` or `drives.scratch[1]`, counted from 0");
    }
  }

  void check_socket(const Named<PcieSocket>& socket, int index, std::int64_t number) {
    if (misnamed(socket.name, socket.name_span, "socket", number_in(socket.name, "socket"), true)) return;
    // One slot of the machine hangs on one socket; where the spec puts a part's slot elsewhere, the spec's word counts.
    for (const auto& slot : socket.value.slots)
      for (int i = 0; i < index && number_in(slot.name, "slot") >= 0 && written(slot.name_span); ++i) {
        const Named<PcieSocket>& other = s_.part.pcie.entries[static_cast<std::size_t>(i)];
        const auto* there = other.value.slots.find(slot.name);
        if (!there || !written(there->name_span)) continue;
        if (Finding* f = r_.error(
                "spec-place-taken", slot.name_span,
                format("slot '{}' of group '{}' is on '{}' and on '{}'", slot.name, group_, other.name, socket.name)))
          f->note(there->name_span, "the other place of this slot")
              .help("a slot belongs to one socket: remove it from the other, or give one of the two another number");
      }
    if (s_.part.sockets && number >= *s_.part.sockets && written(socket.name_span)) {
      const std::int64_t sockets = *s_.part.sockets;
      if (Finding* f = r_.error(
              "spec-no-such-place", socket.name_span,
              format("there is no '{}': '{}' has {} socket{}", socket.name, s_.id, sockets, sockets == 1 ? "" : "s")))
        f->help(sockets == 1 ? std::string("its slots are connected to socket0")
                             : format("sockets are called socket0 to socket{}", sockets - 1));
      return;
    }
    if (!s_.part.cpus || number < s_.cpu_count) return;
    std::string names;
    int count = 0;
    for (const PcieDevice& d : tree_.devices)
      if (d.socket == index && ++count <= 3) names += (count > 1 ? ", '" : "'") + d.name + "'";
    if (count == 0) return;
    if (count > 3) names += format(" and {} more", count - 3);
    const SourceSpan cpus = s_.part.cpus->count.span.valid() ? s_.part.cpus->count.span : s_.part.cpus->model.span;
    if (Finding* f = r_.error(
            "spec-no-such-place",
            written(cpus)               ? cpus
            : written(socket.name_span) ? socket.name_span
                                        : at_,
            format("'{}' of group '{}' has no processor ({} {} fitted), but {} {} connected to it", socket.name, group_,
                   s_.cpu_count, s_.cpu_count == 1 ? "is" : "are", names, count == 1 ? "is" : "are")))
      f->help(
          format("fit {} processors, or move these devices to another socket: `pcie: {{ socket0: {{ slot1: … }} }}`",
                 number + 1));
  }

  // "foo", "slto5": what is called anyhow is held to nothing that is known of slots.
  bool no_place(const Named<PcieSlot>& slot) {
    static constexpr std::string_view kWords[] = {"slot", "gpu", "nic", "ocp", "u2-", "m2-"};
    if (!written(slot.name_span) ||
        std::ranges::any_of(kWords, [&](std::string_view word) { return number_in(slot.name, word) >= 0; }))
      return false;
    if (Finding* f = r_.error("spec-no-such-place", slot.name_span, format("'{}' is not a name of a slot", slot.name)))
      f->help(
          "slots are called slot1, slot2 and so on; places for one kind of device are called gpu0, nic3, ocp1, u2-0 or "
          "m2-0");
    return true;
  }

  void check_slot(const Named<PcieSlot>& entry) {
    const PcieSlot& slot = entry.value;
    // Widths of links: PCI Express Base Specification 6.0, section 1.3, which has no x12 and x32 any more; no slot was
    // made wider than x16 (Card Electromechanical Specification), which is the most that the field takes.
    const std::int64_t lanes = slot.lanes.value_or(16);
    if (lanes != 1 && lanes != 2 && lanes != 4 && lanes != 8 && lanes != 16)
      if (Finding* f = r_.error("spec-out-of-range", slot.lanes.span,
                                format("slot '{}' has {} lanes, but links have 1, 2, 4, 8 or 16", entry.name, lanes)))
        f->help("write the next smaller number");
    const bool both = slot.device && !slot.devices.empty() && slot.device.origin == slot.devices.front().origin;
    if (both)
      if (Finding* f = r_.error(
              "spec-place-taken", place_of(slot.devices.front(), entry),
              format("slot '{}' has '{}' as its `device`, and also a list of `devices`", entry.name, *slot.device)))
        f->help(format("write all of them in `devices`, or give '{}' a slot of its own", *slot.device));
    const std::int64_t number = number_in(entry.name, "slot");
    if (misnamed(entry.name, entry.name_span, "slot", number, false) || no_place(entry)) return;
    if (s_.part.pcie_slots && number == 0 && lanes > 8 && written(entry.name_span))
      if (Finding* f = r_.error("spec-no-such-place", entry.name_span,
                                format("there is no 'slot0': slots of '{}' are counted from 1", s_.id)))
        f->help(format("write slot1 to slot{}", *s_.part.pcie_slots));
    if (s_.part.pcie_slots && number > *s_.part.pcie_slots && lanes > 8 && written(entry.name_span))
      if (Finding* f = r_.error(
              "spec-no-such-place", entry.name_span,
              format("there is no '{}': '{}' has {} slots of 16 lanes", entry.name, s_.id, *s_.part.pcie_slots)))
        f->help(
            format("write slot1 to slot{}; if this machine has more, write their number as `pcie_slots`; if the slot "
                   "is narrow, write its `lanes: 8`",
                   *s_.part.pcie_slots));
  }

  // The spec's place of a device wins over the part's (pcie_tree): what is still there twice stands twice in one of
  // them.
  void check_twice() {
    for (std::size_t i = 0; i < tree_.devices.size(); ++i)
      for (std::size_t j = i + 1; j < tree_.devices.size(); ++j) {
        const PcieDevice &first = tree_.devices[i], &second = tree_.devices[j];
        if (first.kind != second.kind || first.set != second.set || first.index != second.index) continue;
        const SourceSpan place = span_of(second);
        if (Finding* f = r_.error("spec-place-taken", place.valid() ? place : at_,
                                  format("'{}' of group '{}' is in '{}' and in '{}'", second.name, group_,
                                         first.slot_name, second.slot_name))) {
          if (const SourceSpan other = span_of(first); other.valid()) f->note(other, "the other place of this device");
          f->help("keep one of them; devices are counted from 0: `gpus[0]`, `gpus[1]`");
        }
      }
  }
  SourceSpan span_of(const PcieDevice& d) const {
    const auto is = [&](const Value<std::string>& text) {
      DeviceName name;
      return text && parse_device_name(*text, name) && name.kind == d.kind && name.index == d.index &&
             d.name.find(name.set) != std::string::npos;
    };
    if (is(d.slot->device)) return d.slot->device.span;
    for (const Value<std::string>& text : d.slot->devices)
      if (is(text)) return text.span;
    return d.slot->span;
  }

  Resolution& r_;
  const ServerModel& s_;
  const PcieTree& tree_;
  std::string_view group_;
  SourceSpan at_;
};

}  // namespace

void check_pcie_places(Resolution& r, const ServerModel& server, std::string_view group, SourceSpan at) {
  if (server.part.pcie.entries.empty()) return;
  const PcieTree tree = pcie_tree(server);
  Places(r, server, tree, group, at).check();
}

}  // namespace clusterc
