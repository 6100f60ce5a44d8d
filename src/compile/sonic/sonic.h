// sonic/NETWORK-N/SWITCH/: what a switch that runs SONiC reads. Each file has a writer of its own; sonic.cc calls them
// for one switch after another.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compile/output.h"
#include "compile/sonic/qos.h"
#include "model/sonic_ports.h"
#include "system/switches.h"

namespace clusterc {

inline constexpr std::string_view kFrrFile = "frr.conf", kConfigFile = "config_db.json";

// `extra:` lines of the spec for the frr.conf of every switch, with their line ends.
std::string frr_extra(const CompileInput&, Findings&);
// frr.conf of a routed switch, into this folder of the bundle. `extra`: of frr_extra.
void write_frr(const CompileInput&, const ConfiguredFabric&, const ConfiguredSwitch&, std::string_view folder,
               std::string_view extra, Bundle&);

// SONiC has no management address without a gateway.
bool has_management_address(const ConfiguredSwitch&);

// Tables of the spec for the config_db.json of every switch: {table: {row: {field: texts}}}, as written. They may
// replace the compiled WRED_PROFILE, and ACL_TABLE with ACL_RULE; others that are compiled follow from the spec.
struct SonicTable {
  struct Field {
    std::string name;
    std::vector<std::string> values;
    bool list = false;
  };
  struct Row {
    std::string key;
    std::vector<Field> fields;
  };
  std::string name;
  std::vector<Row> rows;
};
std::vector<SonicTable> sonic_tables(const CompileInput&, Findings&);

// The spec has an access list, in place of ours.
bool has_own_access(const std::vector<SonicTable>&);

// config_db.json of a switch, and neighbours.csv, with which check-neighbours compares what it sees (templates/sonic).
void write_config_db(const ConfiguredSwitch&, const SonicPortMap&, const std::vector<SwitchClass>&,
                     const std::vector<SonicTable>& extra, std::string_view folder, Bundle&);
void write_neighbours(const ConfiguredSwitch&, std::string_view folder, Bundle&);

// What is wrong with a switch under SONiC, for all switches of a fabric together.
class SonicChecks {
 public:
  explicit SonicChecks(const CompileInput& in) : in_(in) {}
  // What the files of all its switches leave undone.
  void look(const ConfiguredFabric&, const std::vector<SwitchClass>&, Findings&) const;
  // map: null, where the model has none, and why.
  void look(const ConfiguredSwitch&, const SonicPortMap* map, const std::vector<SwitchClass>&, const std::string& why);
  void say(Findings&) const;

 private:
  struct Said {
    std::string rule, message, help;
    const NetworkModel* network = nullptr;
    std::int64_t switches = 0;
    std::string first;  // host name of the first of them
  };
  void add(const ConfiguredSwitch&, std::string_view rule, std::string message, std::string help);
  const CompileInput& in_;
  std::vector<Said> said_;
};

}  // namespace clusterc
