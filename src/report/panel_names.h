// The ports of a link as the fronts of its devices say them, and the units that these stand at: what people read who
// plug the cable.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/sonic_ports.h"
#include "report/link_rows.h"

namespace clusterc {

struct PanelEnds {
  std::string near_port, far_port, near_unit,
      far_unit;  // "17/2", "swp17s1", "etp17b", "cage4/1"; a unit is empty where none is known
  // All ports that the plug covers: "30/1+30/2" of a cable that carries the links of both; else the port. Labels have
  // them.
  std::string near_plug, far_plug;
};

class PanelNames {
 public:
  PanelNames(const Plan&, const Links&);  // both must live as long as this
  void of(const LinkRow&, PanelEnds&) const;

 private:
  // Of the links of one straight cable: the cable, and the ports at both ends.
  struct Strand {
    std::int64_t cable;
    std::int32_t near, far;
  };
  static std::int64_t cable_of(const Cabling::Run&, const PluggedLink&);
  void near_name(const PluggedLink&, std::int64_t port, const std::string& name, std::string& out) const;
  void far_name(const PluggedLink&, std::int64_t port, const std::string& name, std::string& out) const;
  void switch_port(int fabric, int tier, int cage_group, std::int64_t port, std::string& out) const;
  const std::string& of_member(int fabric, int block, std::int64_t port, const std::string& name) const;

  const Plan& p_;
  const Links& links_;
  std::vector<std::vector<std::vector<std::string>>> cages_;     // by fabric, block, port
  std::vector<std::vector<std::optional<SonicPortMap>>> sonic_;  // by fabric, tier: of switches that run SONiC
  std::vector<Strand> strands_;                                  // by cable, then in the order of the links
};

}  // namespace clusterc
