// Device, module and rack types of NetBox's community library, made into parts: one file of YAML each, as
// github.com/netbox-community/devicetype-library writes them. What such a file says of current and power is not
// trustworthy; the lint says where it contradicts itself, and no figure of it counts as confirmed.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "yaml/document.h"

namespace clusterc {

// A port, an outlet or a bay.
struct NetboxItem {
  std::string name, type, leg;
  SourceSpan name_at, type_at, draw_at;
  std::optional<double> draw;  // W: `maximum_draw`
  bool management = false;
};

// A number or text of the file, and where it stands.
template <class T>
struct NetboxField {
  std::optional<T> value;
  SourceSpan at;
  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
};

struct NetboxType {
  enum class Form { device, module, rack };
  Form form = Form::device;
  SourceSpan at;  // of `model`
  std::string maker, model, slug;
  std::string comments, description;
  NetboxField<std::string> airflow, role;
  NetboxField<double> units, weight, maximum_load;                             // rack units, kg
  NetboxField<double> outer_width, outer_depth, outer_height, mounting_depth;  // mm
  bool powered = true;
  std::vector<NetboxItem> interfaces, power_ports, outlets, module_bays, device_bays;

  bool is_child() const { return role && *role == "child"; }
  std::string words() const { return model + "\n" + description + "\n" + comments; }
};

// Bays of a device that take power supplies: "PSU1", "PS 2", "PEM 0", "PWR1", "PM0".
std::size_t supply_bays(const NetboxType&);

// nullopt for what is no such file, with a finding. Unknown keys, unknown types and names that occur twice are findings
// and are passed over.
std::optional<NetboxType> read_netbox(const Document&, Findings&);

// Why the voltage that the only plug is made for cannot be right, where the file says or implies another.
std::optional<std::string> plug_contradiction(const NetboxType&);

// What the file contradicts itself in.
void lint_netbox(const NetboxType&, Findings&);

// The power supply of a module type.
struct NetboxSupply {
  std::string name, inlet;  // "c14"
  std::optional<double> power;
};
std::optional<NetboxSupply> supply_of(const NetboxType&);

struct NetboxPart {
  PartKind kind = PartKind::server;
  std::string id, text;              // the part as a file of a `parts:` folder
  std::vector<std::string> unknown;  // facts that rules need and the file does not have
};

// nullopt, with a note, for what no kind of part describes: a transfer switch, a chassis without its modules, a patch
// panel. `origin` is the source of each figure.
std::optional<NetboxPart> part_of(const NetboxType&, std::string_view origin, const std::optional<NetboxSupply>&,
                                  Findings&);

// A note that a part of this id was made from another file, at `first`, before.
void report_part_again(const NetboxType&, const NetboxPart&, SourceSpan first, Findings&);

// A warning where the catalogue has the part and says something else.
void compare_with_catalog(const NetboxType&, const NetboxPart&, Catalog&, Findings&);

}  // namespace clusterc
