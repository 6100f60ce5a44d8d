// Two hosts of a pair measure each other: every port that both have, each direction, bandwidth and latency, by
// perftest.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fabric/gpus.h"
#include "fabric/partner.h"
#include "fabric/ports.h"
#include "harness/pulse.h"
#include "harness/report.h"

namespace clusterc::fabric {

struct PairSettings {
  std::filesystem::path root = "/";       // of sysfs
  unsigned tcp_port = 0;                  // of the word between the hosts; perftest's follow it
  std::uint64_t size = 0;                 // bytes of a message of the bandwidth test
  unsigned repetitions = 5, seconds = 1;  // of each test; length of one of bandwidth
  double timeout = 30;                    // seconds that one may last beyond its length
  std::optional<Maker> gpus;              // from their memory to that of the other host's; none: the host's memory
};

struct Neighbour {
  std::string name;
  bool we_are_first = false;
};  // the other host of the pair

// Reports what this host wrote to the other. What could not be measured comes back in words; the rest is measured all
// the same. Throws CouldNotRun where the other has gone, does not answer, or one of both has no perftest.
std::vector<std::string> measure_pair(Partner&, bool first, const std::vector<Port>&, const std::vector<Chosen>&,
                                      const PairSettings&, harness::Reporter&);

}  // namespace clusterc::fabric
