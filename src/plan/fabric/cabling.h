// The parts that join the ports: for every cage the cable or module that is plugged into it, for every link the cable,
// or the fibre between two modules. Chosen from all of the catalogue by what fits: rate, connector at both ends, reach,
// link layer. Of several the cheapest kind wins, in the order of Medium: passive copper, active copper, active optical,
// multimode, single mode; of one kind the shortest reach, then the id. (A spec has no prices for cables; with them this
// order would be theirs.)
//
// Links that share a cage share what is in it, so the choice is made for all cages that hang together over their links:
//   two cages          a straight cable carries all their links (2 x 400 Gb/s of two twin-port cages)
//   one and its tails  a splitter: one head, a tail to each of the others
//   anything else      a module in each cage, a fibre for each link
// A cable is bought in the next longer length that is sold. The longest link of a cable or of a set of modules decides.
#pragma once
#include "plan/fabric/links.h"

namespace clusterc {

struct CableChoice {
  enum class Form : std::uint8_t { none, cable, modules };
  Form form = Form::none;
  std::string why;      // none: why nothing fits
  int part = -1;        // the cable, in Cluster::cables
  Meters length{0};     // of the cable, as sold; of split fibre, which several links share
  int head_group = -1;  // a splitter: cages of this group have the head
  bool shared = false;  // one cable for several links
  std::int64_t links_per_fibre = 1, fibres_per_link = 1;
  std::vector<std::pair<int, int>> modules;  // of each cage group that hangs together, ascending: the module
  int module_of(int group) const;
  std::vector<int> fibres;  // parts that may lie between the modules, the preferred ones first
  Meters reach{0};          // none: the length that is asked for
  Meters offered{0};        // none: the longest reach of what fits but for the length; 0: nothing fits
};

class Cabling {
 public:
  enum class Of : std::uint8_t { all, doubtful };
  // Of a plan whose switches and nodes have their places; keeps nothing of it. `doubtful`: only the fabrics that are
  // not seen at once to have a module for every cage and fibre across the whole floor; `unbuilt` is the same, and
  // linear in the switches where all is well.
  explicit Cabling(const Plan&, Of = Of::all);

  // What one link is made of.
  struct Run {
    const CableModel* cable = nullptr;  // the cable, or the fibre; null: nothing fits, or the length is not known
    Meters length{0};                   // as sold
    const CableModel *near_module = nullptr, *far_module = nullptr;
    bool shared = false;       // the cable carries other links too
    bool head_is_far = false;  // of a shared cable
    bool straight = false;     // of a shared cable: all its links go from one cage to one other
    std::int64_t fibres =
        1;  // of the link between its modules: 800 Gb/s through both ports of a twin-port module are two
    std::int64_t links_each = 0;  // of split fibre: links of one, several of which may be in the head's cage; 0: what
                                  // is shared takes the whole cage
    std::int64_t ports_each = 1;  // numbers of ports that one link takes at the head
  };
  Run run(const PluggedLink&) const;

  // What is bought, in the order of the fabrics.
  struct Lot {
    int part = -1;
    Meters length{0};
    std::string what;
    std::int64_t count = 0;
  };
  const std::vector<Lot>& lots() const { return lots_; }

  // Links that no part of the catalogue makes, by kind and cause.
  struct Unbuilt {
    int fabric = -1;
    std::string what, why;
    std::int64_t count = 0;
    Meters longest{0};
    CableEnd near, far; /* of the first */
    Meters reach{0};    /* of what fits but for the length; 0: nothing fits */
  };
  const std::vector<Unbuilt>& unbuilt() const { return unbuilt_; }
  // Links whose ends have no place, so no length: "compute: gpu to leaf".
  struct Unmeasured {
    std::string what;
    BitsPerSecond rate{0};
    std::int64_t count = 0;
  };
  const std::vector<Unmeasured>& unmeasured() const { return unmeasured_; }

  // Of a shared cable: the cage of its head, and which of that cage's cables it is.
  struct Shared {
    std::int64_t cage = 0;
    unsigned place = 0;
  };
  static Shared shared_cable(const Run& r, const PluggedLink& l) {
    return {r.head_is_far ? l.far_cage : l.near_cage,
            place_of(r.links_each * r.ports_each, r.head_is_far ? l.far_port
                                                  : l.block < 0 ? l.near_port
                                                                : l.port + 1)};
  }

  // "gpu to leaf"
  std::string between(const PluggedLink& l) const { return between(l.near_group, l.far_group); }
  // Ports of a shared cable's head: the first one names the cable (docs/names.md).
  std::int64_t first_port(const Run& r, std::int32_t head, std::int64_t port) const {
    const CageGroup& g = groups_[static_cast<std::size_t>(head)];
    const std::int64_t ports = (r.links_each > 0 ? r.links_each : g.links) * g.ports_each;
    return (port - 1) / ports * ports + 1;
  }
  // The name of the cable of a link with these ends (docs/names.md), in place of what `out` had.
  void name_cable(const Run&, const PluggedLink&, const CableEnd& near, const CableEnd& far, std::string& out) const;

 private:
  struct Slim;
  class Chooser;
  class Counter;
  std::vector<bool> in_doubt(const Plan&, const Links&) const;  // by fabric
  void choose(const Plan&, const std::vector<std::vector<Slim>>& by_fabric);
  void count(const Plan&, const Links&, const std::vector<std::vector<Slim>>& by_fabric);
  std::string between(int near_group, int far_group) const;
  Run run(const CableChoice&, int near_group, int far_group, double length) const;
  static unsigned place_of(std::int64_t ports_of_cable, std::int64_t port) {
    return ports_of_cable > 0 ? static_cast<unsigned>((port - 1) / ports_of_cable) % kCablesOfCage : 0;
  }
  static constexpr unsigned kCablesOfCage = 8;

  const Cluster* cluster_;
  std::vector<CageGroup> groups_;     // as in every Links of this plan
  std::vector<CableChoice> choices_;  // 0: nothing
  std::vector<std::int32_t> choice_of_cage_;
  std::vector<Lot> lots_;
  std::vector<Unbuilt> unbuilt_;
  std::vector<Unmeasured> unmeasured_;
};

// Length as sold: the next of the part's `lengths`; a part that is made to length comes in whole metres up to 10, then
// in steps of 5 up to 100 and of 10 beyond (planning default). 0: none is long enough.
Meters sold_length(const CablePart&, Meters needed);

// Whether a cage takes a plug: QSFP cages take the slower generations too (NVIDIA LinkX 100G-PAM4 product line
// overview: QSFP112 cages "support QSFP56 ... and QSFP28"); OSFP with fins and with a flat top are two things (the
// same, "Integrated" and "Riding Heat Sink"). QSFP-DD cages take QSFP28 and QSFP56 (QSFP-DD MSA:
// backward compatible with QSFP).
bool cage_takes(std::string_view cage, std::string_view plug);

}  // namespace clusterc
