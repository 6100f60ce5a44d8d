// What one BMC says of its server over Redfish (DMTF DSP0266, DSP0268), and the way through its resources. No network
// is in here: whoever has one asks next() what to read, and hands the answer in.
//
//   RedfishWalk walk(parser, limits);
//   while (auto path = walk.next()) walk.answer(text of GET *path)    // or walk.failed(reason), walk.missing()
//   HardwareSeen seen = walk.take();
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clusterc {

// Parts that a BMC calls by the same words, so that a server of 32 memory modules is one entry.
struct SeenKind {
  std::string model;       // empty: not read
  std::int64_t size = -1;  // MiB of a memory module, bytes of a drive, W of a power supply; -1: not read
  std::int64_t count = 0;
};

struct SeenParts {
  bool listed = false;   // a collection of them was read
  bool complete = true;  // false: a collection or one of its members could not be read
  std::vector<SeenKind> kinds;
  std::int64_t count() const;
};

struct HardwareSeen {
  std::string manufacturer, model, serial, sku, bios, bmc_firmware;  // empty: not read
  std::vector<std::string> labels;               // serial numbers of its chassis, one of which people see
  std::string cpu_summary;                       // ProcessorSummary.Model
  std::int64_t cpu_count = -1, memory_gib = -1;  // the summaries of the system; -1: not read
  std::int64_t power_limit = -1;                 // W
  std::int64_t systems = 0;                      // that were read, the baseboard of GPUs among them
  std::int64_t hosts = 0;  // systems with processors or memory of their own: several where one BMC has several nodes
  SeenParts cpus, gpus, dimms, drives, nics, psus;
  struct Ill {
    std::string part, words;  // "Chassis/DGX/PowerSubsystem/PowerSupplies/PSU2", "reports health 'Critical'"
    bool critical = false;
  };
  std::vector<Ill> ill;
  std::vector<std::pair<std::string, std::string>> firmware;  // "HGX_FW_GPU_SXM_1", "96.00.5E.00.01"; by name
  std::vector<std::string> unread;                            // "/redfish/v1/Systems/1: is no JSON", the first of them
  std::int64_t unread_count = 0, resources = 0;
};

struct RedfishLimits {
  std::size_t answer_bytes = std::size_t{4} << 20;
  std::size_t depth = 64;        // of nested JSON
  std::size_t resources = 4000;  // of one BMC: a DGX H100 has about 140 that are read here, 220 with `firmware`
  bool firmware = false;         // the versions of all parts too
};

// Parses one answer at a time. One serves any number of walks of one thread.
class RedfishParser {
 public:
  explicit RedfishParser(const RedfishLimits&);
  ~RedfishParser();
  RedfishParser(const RedfishParser&) = delete;
  RedfishParser& operator=(const RedfishParser&) = delete;

 private:
  friend class RedfishWalk;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The path of a link if it may be followed: absolute, below /redfish/, on no other host, without a fragment.
std::optional<std::string> redfish_path(std::string_view link);

class RedfishWalk {
 public:
  RedfishWalk(RedfishParser&, const RedfishLimits&);

  // The resource to read, until answer() or failed() was called; nullopt: everything was read.
  std::optional<std::string> next() const;
  // False: the text is no JSON object that can be used, which was noted as failed() does.
  bool answer(std::string_view json);
  void failed(std::string_view reason);
  void missing();  // the BMC has no such resource, though it names it: what it would say is not read, no more
  bool at_root() const { return read_ == 0; }
  // Known once the service root was read; empty: it has none.
  const std::string& sessions() const { return sessions_; }
  HardwareSeen take();

 private:
  enum class What : std::uint8_t {
    root,
    systems,
    system,
    chassis_list,
    chassis,
    managers,
    manager,
    processors,
    processor,
    memory_list,
    memory,
    storages,
    storage,
    drive,
    adapters,
    adapter,
    pcie_devices,
    pcie_device,
    power_subsystem,
    supplies,
    supply,
    power,
    updates,
    versions,
    version
  };
  struct Step {
    What what;
    std::string path;
  };
  struct Reader;
  friend struct Reader;
  void incomplete(What);
  void explain_roll_ups();
  void add(What, std::string_view link);

  RedfishParser& parser_;
  RedfishLimits limits_;
  std::deque<Step> steps_;  // the first is the one to read
  std::deque<Step> found_;  // by the answer that is being read
  SeenParts older_psus_;    // of Power, where PowerSubsystem has none
  SeenParts pcie_gpus_;     // of PCIeDevices, where no list of processors has a GPU
  std::set<std::string, std::less<>> met_;
  std::string sessions_;
  std::string manager_;  // path of the BMC that the host's system names
  bool host_named_ = false, over_limit_ = false;
  bool gpu_met_ = false;                      // in a list, be it absent or disabled
  bool off_ = false;                          // the server is switched off: its parts may be called offline
  bool in_power_ = false;                     // the supplies of Power are being read
  std::vector<HardwareSeen::Ill> older_ill_;  // of the supplies of Power
  std::vector<HardwareSeen::Ill> roll_ups_;   // reported where no part is as ill
  std::size_t read_ = 0;
  HardwareSeen seen_;
};

}  // namespace clusterc
