#include "compile/sonic/qos.h"

#include <algorithm>
#include <functional>

namespace clusterc {
namespace {

using Layout = JsonWriter::Layout;

constexpr std::int64_t kCodePoints = 64, kClasses = 8;
// Congestion notification packets of mlx5: DSCP 48, in a queue of its own before all others (NVIDIA, "RoCE
// Configuration" of Cumulus Linux and of Onyx: traffic class 6, strict).
constexpr std::int64_t kNotification = 48;
// SONiC's own figures (sonic-buildimage, files/build_templates/qos_config.j2: AZURE_LOSSLESS, scheduler.0 and
// scheduler.1): bytes in a queue from which packets are marked, and up to which with rising probability; percent there;
// shares of the wire.
constexpr std::int64_t kMinThreshold = 1'048'576, kMaxThreshold = 2'097'152, kProbability = 5;
constexpr std::int64_t kShareLossless = 15, kShareOthers = 14;
// Of `pfcwd start_default` (sonic-utilities, pfcwd/main.py): 200 ms for each 32 ports, drop. The model of PFC_WD takes
// a poll interval up to 1000 ms and times up to 5000 ms.
constexpr std::int64_t kWatchdogMs = 200, kWatchdogPorts = 32, kMostPollMs = 1000;

std::string number(std::int64_t n) { return std::to_string(n); }

const SwitchClass* class_of(const std::vector<SwitchClass>& classes, std::int64_t priority) {
  const auto found =
      std::find_if(classes.begin(), classes.end(), [&](const SwitchClass& c) { return c.priority == priority; });
  return found == classes.end() ? nullptr : &*found;
}

// A row of 8 fields, {"0": f(0), …}.
void identity(JsonWriter& j, std::string_view table, const std::function<std::int64_t(std::int64_t)>& f) {
  j.object(table).object(kQosMap, Layout::line);
  for (std::int64_t i = 0; i < kClasses; ++i) j.field(number(i), number(f(i)));
  j.end_object().end_object();
}

std::string priorities(const std::vector<SwitchClass>& classes) {
  std::string out;
  for (const SwitchClass& c : classes)
    if (c.pfc) out += (out.empty() ? "" : ",") + number(c.priority);
  return out;
}

bool any_pause(const std::vector<SwitchClass>& classes) {
  return std::any_of(classes.begin(), classes.end(), [](const SwitchClass& c) { return c.pfc; });
}

bool any_marks(const std::vector<SwitchClass>& classes) {
  return std::any_of(classes.begin(), classes.end(), [](const SwitchClass& c) { return c.ecn; });
}

// The class of notifications; -1: it is that of ordinary packets, or lossless.
std::int64_t notification_class(const std::vector<SwitchClass>& classes) {
  const std::vector<std::int64_t> all = classes_of_code_points(classes);
  const std::int64_t of = all[kNotification];
  return of < kNotification / kClasses || class_of(classes, of) ? -1 : of;
}

void write_maps(JsonWriter& j, const SwitchQos& q) {
  const std::vector<std::int64_t> of = classes_of_code_points(q.classes);
  j.object("DSCP_TO_TC_MAP").object(kQosMap);
  for (std::int64_t d = 0; d < kCodePoints; ++d) j.field(number(d), number(of[static_cast<std::size_t>(d)]));
  j.end_object().end_object();
  const auto same = [](std::int64_t i) { return i; };
  identity(j, "TC_TO_QUEUE_MAP", same);
  // A priority group holds what arrives until it leaves: the lossless ones have their own, the rest share one, 0
  // where that is none of them.
  std::int64_t lossy = 0;
  while (lossy < kClasses - 1 && class_of(q.classes, lossy)) ++lossy;
  identity(j, "TC_TO_PRIORITY_GROUP_MAP", [&](std::int64_t i) { return class_of(q.classes, i) ? i : lossy; });
  identity(j, "MAP_PFC_PRIORITY_TO_QUEUE", same);
  if (!q.maps_pause_to_group || !any_pause(q.classes)) return;
  j.object("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP").object(kQosMap, Layout::line);
  for (const SwitchClass& c : q.classes)
    if (c.pfc) j.field(number(c.priority), number(c.priority));
  j.end_object().end_object();
}

void write_port_maps(JsonWriter& j, const SwitchQos& q) {
  const std::string pause = priorities(q.classes);
  j.object("PORT_QOS_MAP");
  // What has no port of its own here, as its own template does.
  j.object("global", Layout::line).field("dscp_to_tc_map", kQosMap).end_object();
  for (const std::string& port : q.ports) {
    j.object(port, Layout::line);
    j.field("dscp_to_tc_map", kQosMap).field("tc_to_queue_map", kQosMap).field("tc_to_pg_map", kQosMap);
    j.field("pfc_to_queue_map", kQosMap);
    if (q.maps_pause_to_group && !pause.empty()) j.field("pfc_to_pg_map", kQosMap);
    j.field("pfc_enable", pause).field("pfcwd_sw_enable", pause).end_object();
  }
  j.end_object();
}

void write_queues(JsonWriter& j, const SwitchQos& q) {
  const std::int64_t notify = notification_class(q.classes);
  if (any_marks(q.classes) && q.own_profile) {
    j.object("WRED_PROFILE").object(kQosMap).field("ecn", "ecn_all");
    for (const char* colour : {"green", "yellow", "red"}) {
      const std::string c = colour;
      j.field("wred_" + c + "_enable", "true").field(c + "_min_threshold", number(kMinThreshold));
      j.field(c + "_max_threshold", number(kMaxThreshold)).field(c + "_drop_probability", number(kProbability));
    }
    j.end_object().end_object();
  }
  j.object("SCHEDULER");
  j.object("lossless", Layout::line).field("type", "DWRR").field("weight", number(kShareLossless)).end_object();
  if (notify >= 0) j.object("notifications", Layout::line).field("type", "STRICT").end_object();
  j.object("others", Layout::line).field("type", "DWRR").field("weight", number(kShareOthers)).end_object();
  j.end_object();
  // A row for each queue, as SONiC's own template has them: one of several would stand beside those, not over them.
  j.object("QUEUE");
  for (const std::string& port : q.ports)
    for (std::int64_t i = 0; i < kClasses; ++i) {
      const SwitchClass* c = class_of(q.classes, i);
      j.object(port + "|" + number(i), Layout::line);
      j.field("scheduler", c ? "lossless" : i == notify ? "notifications" : "others");
      if (c && c->ecn) j.field("wred_profile", kQosMap);
      j.end_object();
    }
  j.end_object();
}

void write_watchdog(JsonWriter& j, const SwitchQos& q) {
  if (!any_pause(q.classes)) return;
  const std::int64_t times = std::max<std::int64_t>(1, (q.all_ports - 1) / kWatchdogPorts + 1);
  const std::string ms = number(kWatchdogMs * times);
  j.object("PFC_WD");
  j.object("GLOBAL", Layout::line)
      .field("POLL_INTERVAL", number(std::min(kMostPollMs, kWatchdogMs * times)))
      .end_object();
  for (const std::string& port : q.ports)
    j.object(port, Layout::line)
        .field("action", "drop")
        .field("detection_time", ms)
        .field("restoration_time", ms)
        .end_object();
  j.end_object();
}

}  // namespace

std::vector<std::int64_t> classes_of_code_points(const std::vector<SwitchClass>& classes) {
  std::int64_t lossy = 0;
  while (lossy < kClasses - 1 && class_of(classes, lossy)) ++lossy;
  std::vector<std::int64_t> out;
  for (std::int64_t d = 0; d < kCodePoints; ++d) out.push_back(class_of(classes, d / kClasses) ? lossy : d / kClasses);
  if (class_of(classes, kNotification / kClasses) && !class_of(classes, kClasses - 1))
    out[kNotification] = kClasses - 1;
  for (const SwitchClass& c : classes)
    for (const std::int64_t d : c.dscps)
      if (d >= 0 && d < kCodePoints) out[static_cast<std::size_t>(d)] = c.priority;
  return out;
}

void write_qos(JsonWriter& j, const SwitchQos& q) {
  if (q.classes.empty() || q.ports.empty()) return;
  write_maps(j, q);
  write_port_maps(j, q);
  write_queues(j, q);
  write_watchdog(j, q);
}

}  // namespace clusterc
