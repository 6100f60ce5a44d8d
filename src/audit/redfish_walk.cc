#include "audit/redfish_walk.h"

#include <simdjson.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/printable.h"
#include "base/text.h"

namespace clusterc {
namespace {

using simdjson::dom::element;

constexpr std::size_t kLongestPath = 1024, kLongestWord = 120, kMostUnread = 3, kMostIll = 64;

// A BMC's word for a fact. What firmware writes where it knows nothing is no fact.
std::string word(const element& e, const char* key) {
  std::string_view v;
  if (e[key].get(v) != simdjson::SUCCESS) return {};
  v = trim(v.substr(0, v.find('\0')));
  if (v.size() > kLongestWord) {
    std::size_t cut = kLongestWord;
    while (cut > 0 && (static_cast<unsigned char>(v[cut]) & 0xC0) == 0x80) --cut;  // not within a character
    v = v.substr(0, cut);
  }
  const std::string low = to_lower(v);
  for (const std::string_view nothing : {"nil", "null", "n/a", "na", "none", "unknown", "not specified",
                                         "not available", "to be filled by o.e.m.", "default string", "undefined"})
    if (low == nothing) return {};
  return std::string(v);
}

std::int64_t whole(const element& e, const char* key) {
  std::int64_t v = 0;
  if (e[key].get(v) == simdjson::SUCCESS) return v >= 0 ? v : -1;
  double d = 0;  // some firmware writes 2400.0
  if (e[key].get(d) == simdjson::SUCCESS && d >= 0 && d < 9e15) return static_cast<std::int64_t>(d);
  return -1;
}

std::string_view link_in(const element& e) {
  std::string_view v;
  return e["@odata.id"].get(v) == simdjson::SUCCESS ? v : std::string_view();
}
std::string_view link_at(const element& e, const char* key) {
  element part;
  return e[key].get(part) == simdjson::SUCCESS ? link_in(part) : std::string_view();
}

template <class F>
bool each(const element& e, const char* key, F use) {
  simdjson::dom::array items;
  if (e[key].get(items) != simdjson::SUCCESS) return false;
  for (const element item : items) use(item);
  return true;
}

std::string status(const element& e, const char* key) {
  element part;
  return e["Status"].get(part) == simdjson::SUCCESS ? word(part, key) : std::string();
}
bool absent(const element& e) { return status(e, "State") == "Absent"; }

// Serial numbers that boards have where nobody wrote one.
std::string serial_of(const element& e) {
  std::string serial = word(e, "SerialNumber");
  const std::string low = to_lower(serial);
  for (const std::string_view nothing :
       {"0123456789", "1234567890", "123456789", "system serial number", "chassis serial number", "empty", "invalid"})
    if (low == nothing) return {};
  if (serial.find_first_not_of("0 .-") == std::string::npos) return {};
  return serial;
}

void count_in(SeenParts& parts, std::string model, std::int64_t size) {
  for (SeenKind& k : parts.kinds)
    if (k.size == size && k.model == model) {
      ++k.count;
      return;
    }
  parts.kinds.push_back({std::move(model), size, 1});
}

std::string model_of(const element& e) {
  std::string model = word(e, "Model");
  const std::string number = word(e, "PartNumber");
  if (model.empty()) return number;
  if (!number.empty() && number != model) model += " " + number;
  return model;
}

}  // namespace

std::int64_t SeenParts::count() const {
  std::int64_t n = 0;
  for (const SeenKind& k : kinds) n += k.count;
  return n;
}

struct RedfishParser::Impl {
  simdjson::dom::parser parser;
  std::size_t bytes = 0, depth = 0;
};

RedfishParser::RedfishParser(const RedfishLimits& limits) : impl_(std::make_unique<Impl>()) {
  impl_->bytes = limits.answer_bytes;
  impl_->depth = limits.depth;
}
RedfishParser::~RedfishParser() = default;

std::optional<std::string> redfish_path(std::string_view link) {
  link = link.substr(0, link.find('#'));
  if (!link.starts_with("/redfish/") || link.size() > kLongestPath) return std::nullopt;
  for (const char c : link)
    if (c <= ' ' || c == '\\' || c == '"' || static_cast<unsigned char>(c) >= 0x7F) return std::nullopt;
  const std::string_view path = link.substr(0, link.find('?'));
  std::string low = to_lower(path);
  low = replace_all(low, "%2e", ".");
  for (const std::string_view part : split(low, '/'))
    if (part == ".." || part == ".") return std::nullopt;
  while (link.back() == '/') link.remove_suffix(1);
  return link.starts_with("/redfish/") ? std::optional(std::string(link)) : std::nullopt;
}

// Reads one resource into what was seen, and finds the next ones.
struct RedfishWalk::Reader {
  RedfishWalk& walk;
  HardwareSeen& seen;
  const element& e;
  const std::string& path;

  void read(What what) {
    switch (what) {
      case What::root:
        return root();
      case What::systems:
        members(What::systems, What::system);
        return;
      case What::system:
        return system();
      case What::chassis_list:
        members(What::chassis_list, What::chassis);
        return;
      case What::chassis:
        return chassis();
      case What::managers:
        members(What::managers, What::manager);
        return;
      case What::manager:
        return manager();
      case What::processors:
        seen.cpus.listed |= members(What::processors, What::processor);
        return;
      case What::processor:
        return processor();
      case What::memory_list:
        seen.dimms.listed |= members(What::memory_list, What::memory);
        return;
      case What::memory:
        return memory();
      case What::storages:
        members(What::storages, What::storage);
        return;
      case What::storage:
        health(e, path);
        seen.drives.listed |= links("Drives", What::drive);
        return;
      case What::drive:
        return drive();
      case What::adapters:
        seen.nics.listed |= members(What::adapters, What::adapter);
        return;
      case What::adapter:
        return adapter();
      case What::pcie_devices:
        members(What::pcie_devices, What::pcie_device);
        return;
      case What::pcie_device:
        return pcie_device();
      case What::power_subsystem:
        walk.add(What::supplies, link_at(e, "PowerSupplies"));
        return;
      case What::supplies:
        seen.psus.listed |= members(What::supplies, What::supply);
        return;
      case What::supply:
        return supply(seen.psus, e, path);
      case What::power:
        return power();
      case What::updates:
        return walk.add(What::versions, link_at(e, "FirmwareInventory"));
      case What::versions:
        members(What::versions, What::version);
        return;
      case What::version:
        return version();
    }
  }

 private:
  bool links(const char* key, What what) {
    return each(e, key, [&](const element& item) { walk.add(what, link_in(item)); });
  }
  bool members(What list, What member) {
    const bool listed = links("Members", member);
    std::string_view more;
    if (e["Members@odata.nextLink"].get(more) == simdjson::SUCCESS ||
        e["@odata.nextLink"].get(more) == simdjson::SUCCESS)
      walk.add(list, more);
    return listed;
  }

  void root() {
    walk.add(What::systems, link_at(e, "Systems"));
    walk.add(What::chassis_list, link_at(e, "Chassis"));
    walk.add(What::managers, link_at(e, "Managers"));
    if (walk.limits_.firmware) walk.add(What::updates, link_at(e, "UpdateService"));
    element more;
    if (e["Links"].get(more) == simdjson::SUCCESS)
      if (const auto at = redfish_path(link_at(more, "Sessions"))) walk.sessions_ = *at;
    if (walk.sessions_.empty())
      if (const auto at = redfish_path(link_at(e, "SessionService"))) walk.sessions_ = *at + "/Sessions";
  }

  void system() {
    ++seen.systems;
    if (const std::string power = word(e, "PowerState"); power == "Off" || power == "PoweringOff") {
      walk.off_ = true;
      ill(path, "reports the power state '" + power + "'", false);
    }
    health(e, path);
    const std::string bios = word(e, "BiosVersion"), serial = serial_of(e);
    // NVIDIA's firmware shows the baseboard of the GPUs as a second system, HGX_Baseboard_0: it is no server.
    const bool host = !bios.empty() && !word(e, "Id").starts_with("HGX_");
    if (host && !word(e, "SerialNumber").empty()) ++seen.hosts;
    if (!walk.host_named_ && host) {
      walk.host_named_ = true;
      seen.bios = bios;
      seen.serial = serial;
      seen.manufacturer = word(e, "Manufacturer");
      seen.model = word(e, "Model");
      seen.sku = word(e, "SKU");
      element part;
      if (e["ProcessorSummary"].get(part) == simdjson::SUCCESS) {
        seen.cpu_summary = word(part, "Model");
        seen.cpu_count = whole(part, "Count");
      }
      if (e["MemorySummary"].get(part) == simdjson::SUCCESS) seen.memory_gib = whole(part, "TotalSystemMemoryGiB");
      if (e["Links"].get(part) == simdjson::SUCCESS)
        each(part, "ManagedBy", [&](const element& item) {
          if (const auto at = redfish_path(link_in(item)); at && walk.manager_.empty()) walk.manager_ = *at;
        });
    }
    walk.add(What::processors, link_at(e, "Processors"));
    walk.add(What::memory_list, link_at(e, "Memory"));
    walk.add(What::storages, link_at(e, "Storage"));
  }

  void chassis() {
    health(e, path);
    walk.add(What::adapters, link_at(e, "NetworkAdapters"));
    // Systems come before chassis: where their processors have GPUs, these need not be read twice.
    if (!walk.gpu_met_) walk.add(What::pcie_devices, link_at(e, "PCIeDevices"));
    const std::string type = word(e, "ChassisType");
    if (type == "Module" || type == "Component" || type == "Zone") return;  // what is in them feeds no server
    if (std::string label = serial_of(e); !label.empty() && seen.labels.size() < 8)
      seen.labels.push_back(std::move(label));
    walk.add(What::power_subsystem, link_at(e, "PowerSubsystem"));
    walk.add(What::power, link_at(e, "Power"));
  }

  void manager() {
    health(e, path);
    const std::string firmware = word(e, "FirmwareVersion");
    if (path == walk.manager_ || (seen.bmc_firmware.empty() && word(e, "ManagerType") == "BMC"))
      seen.bmc_firmware = firmware;
  }

  void processor() {
    const std::string type = word(e, "ProcessorType");
    if (type == "GPU") walk.gpu_met_ = true;
    if (!there(e, path)) return;
    if (type == "CPU") count_in(seen.cpus, word(e, "Model"), -1);
    if (type == "GPU") count_in(seen.gpus, word(e, "Model"), -1);
  }

  void memory() {
    if (!there(e, path)) return;
    const std::string kind = word(e, "MemoryDeviceType");
    if (kind.starts_with("HBM") || kind.starts_with("GDDR")) return;  // a GPU's
    count_in(seen.dimms, word(e, "PartNumber"), whole(e, "CapacityMiB"));
  }

  void drive() {
    if (word(e, "Protocol") == "USB" || !there(e, path)) return;
    count_in(seen.drives, word(e, "Model"), whole(e, "CapacityBytes"));
  }

  void adapter() {
    if (absent(e)) return;
    std::string model = model_of(e);
    // The BMC of a DGX H100 lists working adapters as Disabled, without a model.
    if (model.empty())
      health(e, path);
    else if (!there(e, path))
      return;
    count_in(seen.nics, std::move(model), -1);
  }

  // Supermicro's firmware shows the GPUs of an HGX baseboard here alone, as GPU1 to GPU8. What a device is stands in
  // its functions; GPUs are those that the firmware names so, which saves a request for each device.
  void pcie_device() {
    const std::string id = to_lower(word(e, "Id")), name = to_lower(word(e, "Name"));
    if (!id.starts_with("gpu") && !name.starts_with("gpu")) return;
    walk.pcie_gpus_.listed = true;
    if (there(e, path)) count_in(walk.pcie_gpus_, word(e, "Model"), -1);
  }

  void supply(SeenParts& parts, const element& one, const std::string& at) {
    if (!there(one, at)) return;
    std::int64_t watts = whole(one, "PowerCapacityWatts");
    if (watts == 0) watts = -1;
    count_in(parts, word(one, "Model"), watts);
  }

  void power() {
    std::size_t n = 0;
    walk.in_power_ = true;
    walk.older_psus_.listed |= each(e, "PowerSupplies", [&](const element& one) {
      const std::string_view own = link_in(one);
      supply(walk.older_psus_, one, own.empty() ? path + "#/PowerSupplies/" + std::to_string(n) : std::string(own));
      ++n;
    });
    walk.in_power_ = false;
    each(e, "PowerControl", [&](const element& one) {
      element limit;
      if (seen.power_limit < 0 && one["PowerLimit"].get(limit) == simdjson::SUCCESS)
        seen.power_limit = whole(limit, "LimitInWatts");
    });
  }

  void version() {
    std::string id = word(e, "Id"), is = word(e, "Version");
    if (!id.empty() && !is.empty()) seen.firmware.emplace_back(std::move(id), std::move(is));
  }

  // Whether a part counts as present; its health is noted.
  bool there(const element& one, std::string_view at) {
    if (absent(one)) return false;
    const std::string state = status(one, "State");
    const bool offline = state == "StandbyOffline" || state == "UnavailableOffline";
    if (state != "Disabled" && !(offline && !walk.off_)) return health(one, at), true;
    ill(at, "reports the state '" + state + "', so it does not count as present", false);
    return false;
  }

  void health(const element& one, std::string_view at) {
    const std::string is = status(one, "Health"), below = status(one, "HealthRollup");
    bool fails = false;
    if (!is.empty() && is != "OK")
      ill(at, "reports health '" + printable(is) + "'", is == "Critical");
    else if (one["FailurePredicted"].get(fails) == simdjson::SUCCESS && fails)
      ill(at, "reports that a failure is predicted", false);
    else if ((below == "Critical" || below == "Warning") && walk.roll_ups_.size() < kMostIll)
      walk.roll_ups_.push_back(
          {place_of(at), "reports health roll-up '" + below + "', and no part of it as ill", below == "Critical"});
  }

  static std::string place_of(std::string_view at) {
    if (at.starts_with("/redfish/v1/")) at.remove_prefix(12);
    return printable(at.substr(0, 200));
  }

  void ill(std::string_view at, std::string words, bool critical) {
    // The older Power may list the supplies that PowerSubsystem has, by other names.
    std::vector<HardwareSeen::Ill>& ill = walk.in_power_ ? walk.older_ill_ : seen.ill;
    if (ill.size() >= kMostIll) return;
    std::string place = place_of(at);
    if (std::ranges::none_of(ill, [&](const auto& i) { return i.part == place && i.words == words; }))
      ill.push_back({std::move(place), std::move(words), critical});
  }
};

RedfishWalk::RedfishWalk(RedfishParser& parser, const RedfishLimits& limits) : parser_(parser), limits_(limits) {
  steps_.push_back({What::root, "/redfish/v1/"});
  met_.insert("/redfish/v1");
}

std::optional<std::string> RedfishWalk::next() const {
  return steps_.empty() ? std::nullopt : std::optional(steps_.front().path);
}

void RedfishWalk::add(What what, std::string_view link) {
  if (link.empty()) return;
  std::optional<std::string> path = redfish_path(link);
  if (!path) {
    incomplete(what);
    ++seen_.unread_count;
    if (seen_.unread.size() < kMostUnread)
      seen_.unread.push_back("a link to '" + printable(link.substr(0, 80)) + "' leads out of /redfish/");
    return;
  }
  if (met_.size() >= limits_.resources) {
    incomplete(what);
    if (!over_limit_) {
      ++seen_.unread_count;
      seen_.unread.push_back("more than " + std::to_string(limits_.resources) + " resources");
    }
    over_limit_ = true;
    return;
  }
  if (met_.insert(*path).second) found_.push_back({what, std::move(*path)});
}

bool RedfishWalk::answer(std::string_view json) {
  if (steps_.empty()) return false;
  auto& impl = *parser_.impl_;
  element e;
  if (json.size() > impl.bytes) return failed("is larger than the limit"), false;
  const std::size_t room = std::max<std::size_t>(json.size(), 64);
  if (impl.parser.capacity() < room || impl.parser.max_depth() != impl.depth)
    if (impl.parser.allocate(std::max(room, std::size_t{1} << 16), impl.depth) != simdjson::SUCCESS)
      return failed("does not fit into memory"), false;
  const simdjson::error_code wrong = impl.parser.parse(json.data(), json.size(), true).get(e);
  if (wrong == simdjson::DEPTH_ERROR) return failed("is nested too deep"), false;
  if (wrong != simdjson::SUCCESS || !e.is_object()) return failed("is no JSON object"), false;
  const Step step = std::move(steps_.front());
  steps_.pop_front();
  ++read_;
  ++seen_.resources;
  Reader{*this, seen_, e, step.path}.read(step.what);
  // Depth first: all of a system before the managers, one of which it names.
  steps_.insert(steps_.begin(), std::make_move_iterator(found_.begin()), std::make_move_iterator(found_.end()));
  found_.clear();
  return true;
}

void RedfishWalk::failed(std::string_view reason) {
  if (steps_.empty()) return;
  const Step step = std::move(steps_.front());
  steps_.pop_front();
  ++read_;
  incomplete(step.what);
  ++seen_.unread_count;
  if (seen_.unread.size() < kMostUnread) seen_.unread.push_back(step.path + " " + std::string(reason));
}

void RedfishWalk::missing() {
  if (steps_.empty()) return;
  incomplete(steps_.front().what);
  steps_.pop_front();
  ++read_;
}

// Of what a resource that was not read might have had, nothing can be counted.
void RedfishWalk::incomplete(What what) {
  const auto mark = [](auto&... parts) { ((parts.complete = false), ...); };
  switch (what) {
    case What::root:
    case What::systems:
    case What::system:
      return mark(seen_.cpus, seen_.gpus, seen_.dimms, seen_.drives);
    case What::processors:
    case What::processor:
      return mark(seen_.cpus, seen_.gpus);
    case What::memory_list:
    case What::memory:
      return mark(seen_.dimms);
    case What::storages:
    case What::storage:
    case What::drive:
      return mark(seen_.drives);
    case What::chassis_list:
    case What::chassis:
      return mark(seen_.nics, seen_.psus, pcie_gpus_);
    case What::pcie_devices:
    case What::pcie_device:
      return mark(pcie_gpus_);
    case What::adapters:
    case What::adapter:
      return mark(seen_.nics);
    case What::power_subsystem:
    case What::supplies:
    case What::supply:
      return mark(seen_.psus);
    case What::power:
      return mark(older_psus_);
    case What::managers:
    case What::manager:
    case What::updates:
    case What::versions:
    case What::version:
      return;
  }
}

// A roll-up is the worst health of all below: it is news only where no part is as ill. The longest path is the nearest
// to the cause.
void RedfishWalk::explain_roll_ups() {
  std::ranges::sort(roll_ups_, [](const auto& a, const auto& b) {
    return std::tuple(!a.critical, b.part.size(), a.part) < std::tuple(!b.critical, a.part.size(), b.part);
  });
  for (HardwareSeen::Ill& r : roll_ups_)
    if (std::ranges::none_of(seen_.ill, [&](const auto& i) { return i.critical || !r.critical; }))
      seen_.ill.push_back(std::move(r));
}

HardwareSeen RedfishWalk::take() {
  if (!seen_.psus.listed || seen_.psus.count() == 0) std::ranges::move(older_ill_, std::back_inserter(seen_.ill));
  explain_roll_ups();
  std::ranges::sort(seen_.firmware);
  if (seen_.psus.count() == 0 && older_psus_.count() > 0) seen_.psus = std::move(older_psus_);
  // Many BMCs list no GPU at all: none in a list of processors says nothing.
  seen_.gpus.listed = gpu_met_;
  if (!gpu_met_ && pcie_gpus_.listed) {
    const bool complete = seen_.gpus.complete && pcie_gpus_.complete;
    seen_.gpus = std::move(pcie_gpus_);
    seen_.gpus.complete = complete;
  }
  for (SeenParts* parts : {&seen_.cpus, &seen_.gpus, &seen_.dimms, &seen_.drives, &seen_.nics, &seen_.psus})
    std::ranges::sort(parts->kinds, [](const SeenKind& a, const SeenKind& b) {
      return std::tie(a.model, a.size) < std::tie(b.model, b.size);
    });
  return std::move(seen_);
}

}  // namespace clusterc
