#include "report/plan_svg.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/index.h"
#include "base/xml_writer.h"
#include "report/device_names.h"
#include "spec/names.h"

namespace clusterc {
namespace {

constexpr double kUnit = 15;                            // pixels of a rack unit: 44.45 mm (EIA-310)
constexpr double kPixels = kUnit / 0.04445;             // of a metre
constexpr double kMounting = 0.4826;                    // m between the outer edges of the rails (EIA-310)
constexpr double kFloorScale = 60;                      // pixels of a metre of the floor
constexpr double kUsualWidth = 0.6, kUsualDepth = 1.2;  // m, where the part states none

std::string number(double v) { return format("{:.4g}", std::round(v * 100) / 100); }

struct Frame {
  double width = kUsualWidth, depth = kUsualDepth;
  std::int64_t units = 0;
};
Frame frame_of(const Cluster& c, std::int64_t rack) {
  Frame out;
  const auto take = [&](const auto* part) {
    if (!part) return;
    if (part->width) out.width = part->width->value;
    if (part->depth) out.depth = part->depth->value;
    out.units = part->units.value_or(0);
  };
  if (const int group = c.rack_group_of(rack); group >= 0) {
    take(c.racks[at(group)].part);
  } else {
    for (const AssemblyGroupModel& a : c.assemblies)
      if (rack >= a.first && rack < a.first + a.count) take(a.part);
  }
  return out;
}

class Drawing {
 public:
  Drawing(double width, double height, std::string_view title) {
    const std::string w = number(width), h = number(height);
    xml_.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                      {"width", w},
                      {"height", h},
                      {"viewBox", "0 0 " + w + " " + h},
                      {"font-family", "sans-serif"},
                      {"role", "img"}});
    xml_.open("title").text(title).close();
    box(0, 0, width, height, "#ffffff", "none");
  }
  void box(double x, double y, double width, double height, std::string_view fill, std::string_view stroke) {
    xml_.empty("rect", {{"x", number(x)},
                        {"y", number(y)},
                        {"width", number(width)},
                        {"height", number(height)},
                        {"fill", fill},
                        {"stroke", stroke}});
  }
  void text(double x, double y, double size, std::string_view what, std::string_view anchor = "middle",
            std::string_view fill = "#10202f") {
    xml_.open(
        "text",
        {{"x", number(x)}, {"y", number(y)}, {"font-size", number(size)}, {"text-anchor", anchor}, {"fill", fill}});
    xml_.text(what).close();
  }
  std::string take() {
    xml_.close();
    return xml_.take();
  }

 private:
  XmlWriter xml_;
};

// White for nothing, the darkest blue on which black text is still read for the most.
std::string shade(double share) {
  const auto part = [&](int from, int to) {
    return static_cast<int>(std::lround(from + (to - from) * std::clamp(share, 0.0, 1.0)));
  };
  return format("#{:02x}{:02x}{:02x}", part(255, 120), part(255, 172), part(255, 220));
}

std::string floor_plan(const Cluster& c, const Plan& p) {
  double right = 0, bottom = 0, most = 0;
  for (std::size_t r = 0; r < p.racks.size(); ++r) {
    const Frame frame = frame_of(c, static_cast<std::int64_t>(r));
    right = std::max(right, static_cast<double>(p.racks[r].x) + frame.width);
    bottom = std::max(bottom, static_cast<double>(p.racks[r].y) + frame.depth);
    most = std::max(most, p.racks[r].power.value);
  }
  constexpr double kMargin = 20, kHead = 30;
  Drawing out(std::max(right * kFloorScale + 2 * kMargin, 420.0), bottom * kFloorScale + 2 * kMargin + kHead,
              format("{}: floor plan", *c.spec.name));
  out.text(kMargin, 26, 14, format("{}: racks and their highest power", *c.spec.name), "start");
  for (std::size_t r = 0; r < p.racks.size(); ++r) {
    const RackPlan& rack = p.racks[r];
    const Frame frame = frame_of(c, static_cast<std::int64_t>(r));
    const double x = kMargin + static_cast<double>(rack.x) * kFloorScale;
    const double y = kMargin + kHead + static_cast<double>(rack.y) * kFloorScale;
    out.box(x, y, frame.width * kFloorScale, frame.depth * kFloorScale, shade(most > 0 ? rack.power.value / most : 0),
            "#35577d");
    const double middle = x + frame.width * kFloorScale / 2;
    const std::string name = c.rack_name(static_cast<std::int64_t>(r));
    out.text(
        middle, y + frame.depth * kFloorScale / 2 - 3,
        std::min(12.0, frame.width * kFloorScale / (0.62 * static_cast<double>(std::max<std::size_t>(4, name.size())))),
        name);
    out.text(middle, y + frame.depth * kFloorScale / 2 + 11, std::min(8.5, frame.width * kFloorScale / 5.2),
             to_text(rack.power, 3));
  }
  return out.take();
}

std::string_view fill_of(DeviceKind k) {
  switch (k) {
    case DeviceKind::switch_:
      return "#f7dfc7";
    case DeviceKind::storage:
      return "#d6ecd9";
    case DeviceKind::occupied:
      return "#dcdcdc";
    case DeviceKind::node:
    case DeviceKind::tray:
      break;
  }
  return "#dbe7f3";
}

std::string elevation(const Cluster& c, const Plan& p, std::int64_t r, const std::vector<std::string>& alike) {
  const RackPlan& rack = p.racks[at(r)];
  const Frame frame = frame_of(c, r);
  std::int64_t units = frame.units;
  for (const RackedDevice& d : rack.devices) units = std::max<std::int64_t>(units, d.unit + d.units - 1);
  constexpr double kLeft = 30, kTop = 44;
  const double outer = frame.width * kPixels, mounting = kMounting * kPixels, left = kLeft + (outer - mounting) / 2;
  const double height = static_cast<double>(units) * kUnit;
  const std::string name = c.rack_name(r);
  Drawing out(kLeft + outer + 16, kTop + height + 26, format("Front elevation of rack {}", name));
  out.text(kLeft, 18, 14, name, "start");
  if (alike.size() > 1) {
    const std::string others = fold_names(alike);
    out.text(kLeft, 34, std::min(10.0, outer / (0.55 * static_cast<double>(others.size() + 10))), "alike: " + others,
             "start", "#555d66");
  }
  if (std::any_of(rack.devices.begin(), rack.devices.end(), [](const RackedDevice& d) { return d.unit < 1; }))
    out.text(kLeft, kTop + height + 20, 9, "trays in their order: the maker states the units", "start", "#555d66");
  out.box(kLeft, kTop - 6, outer, height + 12, "#f3f5f7", "#555d66");
  out.box(left, kTop, mounting, height, "#ffffff", "#cdd3d9");
  const auto top = [&](std::int64_t unit, std::int64_t n) {
    return kTop + static_cast<double>(units - unit - n + 1) * kUnit;
  };
  for (std::int64_t u = 1; u <= units; ++u)
    if (u == 1 || u % 5 == 0) out.text(kLeft - 5, top(u, 1) + kUnit - 4, 9, format("{}", u), "end", "#555d66");
  std::vector<RackedDevice> devices = rack.devices;
  std::stable_sort(devices.begin(), devices.end(), [](const RackedDevice& a, const RackedDevice& b) {
    return a.unit < 1 && b.unit < 1 && a.index < b.index;
  });
  std::int64_t next = 1;  // trays of an assembly: their maker decides on the units, so they are drawn in their order
  for (const RackedDevice& d : devices) {
    const std::int64_t unit = d.unit > 0 ? d.unit : std::exchange(next, next + d.units);
    const double y = top(unit, d.units), tall = static_cast<double>(d.units) * kUnit;
    out.box(left + 0.5, y + 0.5, mounting - 1, tall - 1, fill_of(d.kind), "#35577d");
    const std::string label = d.kind == DeviceKind::occupied ? "standing here already" : device_name(c, p, d);
    out.text(left + mounting / 2, y + tall / 2 + 3.5,
             std::min(11.0, (mounting - 8) / (0.58 * static_cast<double>(std::max<std::size_t>(1, label.size())))),
             label);
  }
  return out.take();
}

}  // namespace

void render_svg_drawings(const Cluster& c, const Plan& p,
                         const std::function<void(std::string_view, std::string_view)>& take) {
  if (p.racks.empty()) return;
  take("floor.svg", floor_plan(c, p));
  std::map<std::string, std::vector<std::int64_t>> kinds;
  std::vector<const std::vector<std::int64_t>*> order;  // values of a map stay where they are
  for (std::int64_t r = 0; r < static_cast<std::int64_t>(p.racks.size()); ++r) {
    std::string kind = format("{} {}", c.rack_group_of(r), frame_of(c, r).units);
    for (const RackedDevice& d : p.racks[at(r)].devices)
      kind += format(" {}/{}/{}/{}", static_cast<int>(d.kind), d.group, d.unit, d.units);
    const auto [found, fresh] = kinds.try_emplace(std::move(kind));
    found->second.push_back(r);
    if (fresh) order.push_back(&found->second);
  }
  for (const std::vector<std::int64_t>* racks : order) {
    const std::string name = c.rack_name(racks->front());
    if (!is_group_name(name)) continue;  // a plan is made in spite of errors, and so of a rack called '../x'
    std::vector<std::string> alike;
    for (const std::int64_t r : *racks) alike.push_back(c.rack_name(r));
    take(format("elevation-{}.svg", name), elevation(c, p, racks->front(), alike));
  }
}

std::string render_rack_elevation(const Cluster& c, const Plan& p, std::int64_t rack) {
  return elevation(c, p, rack, {});
}

}  // namespace clusterc
