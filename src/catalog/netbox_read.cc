#include <algorithm>
#include <charconv>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "catalog/netbox.h"
#include "catalog/netbox_plugs.h"

namespace clusterc {
namespace {

// Those of devices, modules and racks together; the schema lets items have any key.
constexpr std::string_view kKeys[] = {
    "airflow",        "comments",    "console-ports", "console-server-ports", "desc_units",  "description",
    "device-bays",    "form_factor", "front-ports",   "front_image",          "interfaces",  "inventory-items",
    "is_full_depth",  "is_powered",  "manufacturer",  "max_weight",           "model",       "module-bays",
    "mounting_depth", "outer_depth", "outer_height",  "outer_unit",           "outer_width", "part_number",
    "power-outlets",  "power-ports", "rear-ports",    "rear_image",           "slug",        "starting_unit",
    "subdevice_role", "u_height",    "weight",        "weight_unit",          "width"};
class Reader {
 public:
  Reader(const Document& document, Findings& findings) : d_(document), findings_(findings) {}

  std::string text(NodeId in, std::string_view key) const {
    const NodeId n = d_.find(in, key);
    return n != kNoNode && d_.is_scalar(n) ? std::string(d_.scalar(n)) : std::string();
  }
  NetboxField<std::string> word(NodeId in, std::string_view key) const {
    const NodeId n = d_.find(in, key);
    if (n == kNoNode || !d_.is_scalar(n)) return {};
    return {std::string(d_.scalar(n)), d_.span(n)};
  }
  NetboxField<double> number(NodeId in, std::string_view key) const {
    const NodeId n = d_.find(in, key);
    if (n == kNoNode || !d_.is_scalar(n)) return {};
    const std::string_view digits = d_.scalar(n);
    double value = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failed != std::errc() || end != digits.data() + digits.size() || !(value >= 0 && value < 1e9)) return {};
    return {value, d_.span(n)};
  }
  bool truth(NodeId in, std::string_view key, bool otherwise) const {
    const std::string word = to_lower(text(in, key));
    return word == "true" ? true : word == "false" ? false : otherwise;
  }

  void keys(NodeId root) {
    for (std::size_t i = 0; i < d_.size(root); ++i) {
      const NodeId key = d_.key(root, i);
      const std::string_view name = d_.scalar(key);
      if (std::ranges::find(kKeys, name) == std::end(kKeys))
        findings_.error("netbox-unknown-key", d_.span(key),
                        format("'{}' is not a key of a device type in NetBox's library", one_line(name)));
    }
  }

  std::vector<NetboxItem> items(NodeId root, std::string_view list, bool (*known_type)(std::string_view),
                                std::string_view what) {
    std::vector<NetboxItem> out;
    const NodeId n = d_.find(root, list);
    if (n == kNoNode || !d_.is_sequence(n)) return out;
    std::set<std::string, std::less<>> names;
    for (NodeId item = d_.first_child(n); item != kNoNode; item = d_.next_sibling(item)) {
      if (!d_.is_mapping(item)) continue;
      const auto name = word(item, "name"), type = word(item, "type");
      NetboxItem made;
      made.name = name.value.value_or("");
      made.name_at = name ? name.at : d_.span(item);
      made.type = type.value.value_or("");
      made.type_at = type ? type.at : made.name_at;
      made.leg = text(item, "feed_leg");
      const auto draw = number(item, "maximum_draw");
      made.draw = draw.value;
      made.draw_at = draw.at;
      made.management = truth(item, "mgmt_only", false);
      if (name && !names.insert(made.name).second && said_.insert(std::string(list) + "/" + made.name).second)
        findings_.error("netbox-name-twice", made.name_at,
                        format("two items of {} are called '{}'", list, one_line(made.name)));
      if (known_type && type && !known_type(made.type) && said_.insert(made.type).second)
        findings_.error("netbox-unknown-type", made.type_at,
                        format("'{}' is not a type of {} in NetBox", one_line(made.type), what));
      out.push_back(std::move(made));
    }
    return out;
  }

 private:
  const Document& d_;
  Findings& findings_;
  std::set<std::string, std::less<>> said_;
};

void scale(NetboxField<double>& field, double factor) {
  if (field) field.value = *field * factor;
}

}  // namespace

std::optional<NetboxType> read_netbox(const Document& d, Findings& findings) {
  const NodeId root = d.root();
  Reader r(d, findings);
  const auto model = d.is_mapping(root) ? r.word(root, "model") : NetboxField<std::string>{};
  const std::string maker = model ? r.text(root, "manufacturer") : std::string();
  if (maker.empty()) {
    findings
        .error("netbox-no-type", d.is_mapping(root) && d.size(root) > 0 ? d.span(d.key(root, 0)) : d.span(root),
               "this is no device, module or rack type: it has no manufacturer and model")
        .help("files of NetBox's library begin with `manufacturer: …` and `model: …`");
    return std::nullopt;
  }
  NetboxType t;
  t.at = model.at;
  t.maker = maker;
  t.model = *model;
  t.slug = r.text(root, "slug");
  t.comments = r.text(root, "comments");
  t.description = r.text(root, "description");
  t.airflow = r.word(root, "airflow");
  t.role = r.word(root, "subdevice_role");
  t.units = r.number(root, "u_height");
  t.powered = r.truth(root, "is_powered", true);
  const auto has = [&](std::string_view key) { return d.find(root, key) != kNoNode; };
  t.form = has("form_factor") || has("outer_depth") || has("mounting_depth") ? NetboxType::Form::rack
           : has("u_height") || has("slug")                                  ? NetboxType::Form::device
                                                                             : NetboxType::Form::module;
  const std::string unit = r.text(root, "weight_unit");
  const double kilograms = unit == "lb" ? 0.45359237 : unit == "oz" ? 0.028349523125 : unit == "g" ? 0.001 : 1;
  t.weight = r.number(root, "weight");
  t.maximum_load = r.number(root, "max_weight");
  scale(t.weight, kilograms);
  scale(t.maximum_load, kilograms);
  const double millimetres = r.text(root, "outer_unit") == "in" ? 25.4 : 1;
  t.outer_width = r.number(root, "outer_width");
  t.outer_depth = r.number(root, "outer_depth");
  t.outer_height = r.number(root, "outer_height");
  t.mounting_depth = r.number(root, "mounting_depth");  // always mm
  for (auto* length : {&t.outer_width, &t.outer_depth, &t.outer_height}) scale(*length, millimetres);
  r.keys(root);
  t.interfaces = r.items(root, "interfaces", known_interface_type, "interface");
  t.power_ports = r.items(root, "power-ports", known_plug_type, "power port");
  t.outlets = r.items(root, "power-outlets", known_outlet_type, "power outlet");
  t.module_bays = r.items(root, "module-bays", nullptr, "bay");
  t.device_bays = r.items(root, "device-bays", nullptr, "bay");
  return t;
}

std::size_t supply_bays(const NetboxType& t) {
  return static_cast<std::size_t>(std::ranges::count_if(t.module_bays, [](const NetboxItem& bay) {
    std::string word;
    for (const char c : to_lower(bay.name)) {
      if (c < 'a' || c > 'z') break;
      word += c;
    }
    return word == "psu" || word == "ps" || word == "pem" || word == "pwr" || word == "pm" || word == "power";
  }));
}

}  // namespace clusterc
