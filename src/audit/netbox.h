// What NetBox documents of a cluster, as its CSV exports (or the files for its import) have it, against the plan.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "diag/finding.h"
#include "plan/plan.h"

namespace clusterc {

struct SeenNetbox {
  struct Device {
    std::string name, rack;
    std::int64_t unit = 0;  // 0: none
    SourceSpan span;
  };
  struct Cable {
    std::string a, b;  // devices
    SourceSpan span;
  };
  bool has_devices = false, has_racks = false, has_positions = false, has_cables = false;
  std::map<std::string, Device> devices;  // by name in small letters
  std::vector<Cable> cables;
  FileId file = kNoFile;  // the first one
};

// Adds one file. False: it is no export of devices or cables. Rows without a device are findings. Linear in the text.
bool read_netbox(const Sources&, FileId, SeenNetbox&, Findings&);

struct NetboxCounts {
  std::int64_t devices = 0, same_devices = 0;  // of the plan
  std::int64_t cables = 0, same_cables = 0;
};
NetboxCounts compare_netbox(const Plan&, const SeenNetbox&, Findings&);

}  // namespace clusterc
