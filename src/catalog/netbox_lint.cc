#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "catalog/netbox.h"
#include "catalog/netbox_plugs.h"
#include "catalog/netbox_text.h"

namespace clusterc {
namespace {

std::string watts(double w) { return to_text(Watts(w)); }
std::string named(const NetboxItem& item) { return one_line(item.name); }

bool ethernet(std::string_view type) { return type.find("base-") != type.npos; }

// The draws of the power ports against each other and against their plugs.
void lint_draws(const NetboxType& t, Findings& findings) {
  std::set<std::pair<std::string, double>> said;
  std::map<double, std::vector<const NetboxItem*>> equal;
  for (const NetboxItem& port : t.power_ports) {
    if (!port.draw || *port.draw == 0) continue;
    equal[*port.draw].push_back(&port);
    const NetboxPlug* plug = find_plug(port.type);
    const auto most = plug ? plug_power(*plug) : std::nullopt;
    if (!most || *port.draw <= *most || !said.emplace(port.type, *port.draw).second) continue;
    findings
        .error("netbox-draw-over-plug", port.draw_at,
               format("power port '{}' draws {}, but its plug is rated for {}", named(port), watts(*port.draw),
                      watts(*most)))
        .note(port.type_at,
              format("{}: {} A{} at {} V", port.type, plug->amperes, plug->phases == 3 ? " on three phases" : "",
                     std::round(*most / plug->amperes / (plug->phases == 3 ? std::sqrt(3.0) : 1))));
  }
  for (const auto& [draw, ports] : equal)
    if (ports.size() > 1)
      findings
          .warning(
              "netbox-equal-draws", ports[0]->draw_at,
              format("{} power ports draw {} each: the figure may be the rating of a supply, the draw of the whole "
                     "device, or a share of it",
                     ports.size(), watts(draw)))
          .help("write `power` into the part, with the draw in the maker's data sheet: the import leaves it out");
}

}  // namespace

std::optional<std::string> plug_contradiction(const NetboxType& t) {
  if (t.power_ports.size() != 1) return std::nullopt;
  const NetboxItem& port = t.power_ports.front();
  const NetboxPlug* const plug = find_plug(port.type);
  if (!plug || !plug->type.starts_with("iec-60309")) return std::nullopt;
  const double root = plug->phases == 3 ? std::sqrt(3.0) : 1;
  const auto fits = [&](double volts) {
    return (volts >= plug->least && volts <= plug->most) || (volts * root >= plug->least && volts * root <= plug->most);
  };
  const std::string words = t.words();
  const auto volts = stated_volts(words);
  if (!volts.empty() && std::ranges::none_of(volts, fits))
    return format("the `model`, `description` or `comments` of the file say {} V", volts.front());
  for (const StatedRating& r : stated_ratings(words)) {
    const double implied = r.watts / r.amperes / root;
    if (implied < plug->least * 0.93 || implied > plug->most * 1.07)
      return format("the `model`, `description` or `comments` of the file say {} at {} A, which is {:.0f} V",
                    watts(r.watts), r.amperes, implied);
  }
  if (port.draw && plug->phases == 1 && !fits(230))
    for (const double amperes : {16, 32, 63})
      if (std::abs(*port.draw - amperes * 230) < 1)
        return format("the draw of {} is that of {} A at 230 V", watts(*port.draw), amperes);
  return std::nullopt;
}

namespace {

void lint_plug_voltage(const NetboxType& t, Findings& findings) {
  const auto contradiction = plug_contradiction(t);
  if (!contradiction) return;
  const NetboxItem& port = t.power_ports.front();
  const NetboxPlug& plug = *find_plug(port.type);
  findings
      .error("netbox-plug-voltage", port.type_at,
             format("plug {} is made for {}-{} V, but {}", port.type, plug.least, plug.most, *contradiction))
      .note(t.at, "IEC 60309-2: the position of the earth contact (in hours of a clock) gives the voltage");
}

// The outlets of a strip against its plug and its text.
void lint_outlets(const NetboxType& t, Findings& findings) {
  if (t.outlets.empty() || t.power_ports.size() != 1) return;
  const NetboxItem& port = t.power_ports.front();
  const NetboxPlug* plug = find_plug(port.type);
  std::set<std::string> legs;
  for (const NetboxItem& o : t.outlets)
    if (!o.leg.empty()) legs.insert(o.leg);
  if (plug && plug->phases == 3 && t.outlets.size() >= 3 && legs.size() < 2)
    findings
        .error("netbox-outlets-on-one-leg", t.outlets.front().name_at,
               legs.empty()
                   ? format("none of the {} outlets names its leg, but the plug has three phases", t.outlets.size())
                   : format("all {} outlets are on leg {}, but the plug has three phases", t.outlets.size(),
                            one_line(*legs.begin())))
        .note(port.type_at, format("plug {}", port.type));
  if (plug && plug->phases == 1 && legs.size() > 1)
    findings
        .warning("netbox-legs-on-one-phase", t.outlets.front().name_at,
                 format("outlets are on {} legs, but the plug has one phase", legs.size()))
        .note(port.type_at, format("plug {}", port.type))
        .help("the legs are probably banks, each behind a breaker of its own");
  const std::string words = t.words();
  for (const auto& [kind, type] : {std::pair{"C13", "iec-60320-c13"}, {"C19", "iec-60320-c19"}}) {
    const auto stated = stated_outlets(words, kind);
    const auto listed = std::ranges::count(t.outlets, type, &NetboxItem::type);
    if (stated && *stated != listed)
      findings.warning("netbox-outlets-unlike-text", t.outlets.front().name_at,
                       format("the file lists {} {} outlets, but its `model`, `description` or `comments` say {}",
                              listed, kind, *stated));
  }
  if (!plug) return;
  const auto most = plug_power(*plug);
  const auto stated = stated_power(words);
  if (most && stated && *stated > *most * 1.02)
    findings.warning(
        "netbox-rating-over-plug", port.type_at,
        format(
            "the `model`, `description` or `comments` of the file say {:.4g} kVA, but plug {} is rated for {:.4g} kVA",
            *stated / 1000, port.type, *most / 1000));
}

void lint_power(const NetboxType& t, Findings& findings) {
  const std::size_t bays = supply_bays(t), ports = t.power_ports.size();
  if (bays > 0 && ports > 0 && bays != ports)
    findings.warning("netbox-supplies-unlike-bays", t.power_ports.front().name_at,
                     format("the file has {} bays for power supplies, but {} power ports", bays, ports));
  const bool drawn = std::ranges::any_of(t.power_ports, [](const NetboxItem& p) { return p.draw.has_value(); });
  if (t.form == NetboxType::Form::device && t.outlets.empty() && t.powered) {
    if (ports >= 2 && !drawn)
      findings.note("netbox-power-unknown", t.power_ports.front().name_at,
                    format("the file has {} power ports, but states no draw", ports));
    else if (ports == 0 && bays > 0)
      findings.note(
          "netbox-power-unknown", t.at,
          format("the file has {} for power supplies and no power port: the draw depends on the supplies in the bays",
                 bays == 1 ? std::string("1 bay") : format("{} bays", bays)));
    else if (ports == 0 && bays == 0 && t.units && *t.units >= 1 && !t.interfaces.empty())
      findings.note("netbox-power-unknown", t.at, "the device has interfaces and no power at all");
  }
  const bool powered = t.powered && (ports > 0 || bays > 0);
  if (t.form != NetboxType::Form::device || !powered) return;
  if (!t.airflow)
    findings.note("netbox-airflow-unknown", t.at, "the device is powered, but the file states no `airflow`");
  else if (*t.airflow == "passive")
    findings.note("netbox-airflow-unknown", t.airflow.at, "the device is powered, but its `airflow` is 'passive'");
}

void lint_body(const NetboxType& t, Findings& findings) {
  if (t.units && *t.units == 0 && t.outlets.empty() && !t.is_child() && t.form == NetboxType::Form::device)
    findings.warning("netbox-no-height", t.units.at, "a device of 0U has no outlets and is no child")
        .help("write the height in rack units, or `subdevice_role: child`");
  if (t.role && *t.role == "parent" && t.device_bays.empty())
    findings.warning("netbox-parent-without-bays", t.role.at, "the device is a parent and has no device bays");
  if (t.weight && t.units && *t.units >= 1) {
    const double each = *t.weight / *t.units;
    if (each < 0.3 || each > 45)
      findings.warning("netbox-weight", t.weight.at,
                       format("{:.4g} kg in {:.4g}U is {:.3g} kg for each rack unit, usual are 0.3 to 45 kg", *t.weight,
                              *t.units, each));
  }
  if (t.mounting_depth && t.outer_depth && *t.mounting_depth < 0.4 * *t.outer_depth)
    findings.warning("netbox-mounting-depth", t.mounting_depth.at,
                     format("mounting depth {:.4g} mm is less than 40 % of the outer depth of {:.4g} mm",
                            *t.mounting_depth, *t.outer_depth));
}

// A name as its text with the last two numbers cut out, and those: "et-0/0/12" is "et-0/#/#", 0, 12.
struct Numbered {
  std::string shape;
  std::uint64_t before = 0, last = 0;
};
std::optional<Numbered> numbered(std::string_view name) {
  struct Run {
    std::size_t begin, end;
    std::uint64_t value;
  };
  std::vector<Run> runs;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] < '0' || name[i] > '9') continue;
    std::size_t end = i;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
    const auto value = parse_uint(name.substr(i, end - i));
    if (!value || *value > 100000) return std::nullopt;
    runs.push_back({i, end, *value});
    i = end;
  }
  if (runs.empty()) return std::nullopt;
  Numbered out;
  std::size_t from = 0;
  for (std::size_t r = runs.size() > 2 ? runs.size() - 2 : 0; r < runs.size(); ++r) {
    out.shape += std::string(name.substr(from, runs[r].begin - from)) + "#";
    from = runs[r].end;
    out.before = out.last;
    out.last = runs[r].value;
  }
  out.shape += name.substr(from);
  return out;
}

void lint_names(const std::vector<NetboxItem>& items, std::string_view what, Findings& findings) {
  std::map<std::string, std::vector<std::pair<Numbered, const NetboxItem*>>> series;
  for (const NetboxItem& item : items)
    if (const auto n = numbered(item.name)) series[n->shape].emplace_back(*n, &item);
  for (const auto& [shape, ports] : series) {
    if (ports.size() < 8) continue;
    std::set<std::pair<std::uint64_t, std::uint64_t>> there;
    std::uint64_t first[2] = {~0ull, ~0ull}, last[2] = {0, 0};
    for (const auto& [n, item] : ports) {
      there.emplace(n.before, n.last);
      first[0] = std::min(first[0], n.before), last[0] = std::max(last[0], n.before);
      first[1] = std::min(first[1], n.last), last[1] = std::max(last[1], n.last);
    }
    const std::uint64_t whole = (last[0] - first[0] + 1) * (last[1] - first[1] + 1);
    if (whole <= there.size() || whole - there.size() > 2) continue;
    std::string missing;
    for (std::uint64_t a = first[0]; a <= last[0]; ++a)
      for (std::uint64_t b = first[1]; b <= last[1]; ++b)
        if (!there.contains({a, b}))
          missing += (missing.empty() ? "" : ", ") + (first[0] == last[0] ? format("{}", b) : format("{}.{}", a, b));
    findings.warning("netbox-number-missing", ports.front().second->name_at,
                     format("the file has {} of {} {} of the series that starts at '{}': it lacks {}", there.size(),
                            whole, what, named(*ports.front().second), missing));
  }
}

void lint_infiniband(const NetboxType& t, Findings& findings) {
  const auto begins = [&](std::string_view with) { return t.model.starts_with(with); };
  if (t.form != NetboxType::Form::device || !(begins("QM") || begins("SB7") || begins("SX6") || begins("Q3"))) return;
  std::size_t count = 0;
  const NetboxItem* first = nullptr;
  for (const NetboxItem& port : t.interfaces)
    if (!port.management && ethernet(port.type) && port.type.find("base-x") != port.type.npos) {
      if (!first) first = &port;
      ++count;
    }
  if (count > 1)
    findings.warning("netbox-infiniband-as-ethernet", first->type_at,
                     format("{} is an InfiniBand switch, but {} of its ports have the Ethernet type {}",
                            one_line(t.model), count, one_line(first->type)));
}

}  // namespace

void lint_netbox(const NetboxType& t, Findings& findings) {
  lint_draws(t, findings);
  lint_plug_voltage(t, findings);
  lint_outlets(t, findings);
  if (t.form != NetboxType::Form::module) lint_power(t, findings);
  lint_body(t, findings);
  lint_names(t.interfaces, "interfaces", findings);
  lint_names(t.outlets, "outlets", findings);
  lint_infiniband(t, findings);
}

}  // namespace clusterc
