// Reads thousands of BMCs over a bounded number of connections: one request at a time to each of them, in a session of
// its own, which is ended also where the run is interrupted.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "audit/redfish_walk.h"

namespace clusterc {

struct RedfishAccess {
  std::string user, password;
  std::string ca_file;    // beside the system's; empty: the system's alone
  bool insecure = false;  // certificates are not verified
  std::int64_t connections = 64;
  std::chrono::milliseconds request_timeout{30'000}, connect_timeout{10'000}, bmc_timeout{600'000};
  int retries = 2;                                 // of one request
  std::chrono::milliseconds back_off{1'000};       // before the first retry; doubled for each further one
  std::chrono::milliseconds longest_wait{60'000};  // that a BMC may ask for (Retry-After)
  RedfishLimits limits;
};

struct Bmc {
  std::string address;  // "10.0.0.7", "bmc-n07.lan:8443", "[fd00::7]"
  std::string pin;      // "sha256//…", what CURLOPT_PINNEDPUBLICKEY takes; empty: the certificate is verified
};

struct BmcAnswer {
  HardwareSeen seen;
  std::string failure;  // why it was not read to its end; empty: it was
};

struct RedfishTotals {
  std::int64_t requests = 0, retries = 0;
  double answer_seconds = 0;  // of all requests together
  double wall_seconds = 0;
};

// Answers in the order of the BMCs; false, and why, where nothing could be asked at all. `stop`: sessions are ended,
// and what was not read says that it was interrupted.
bool read_bmcs(const std::vector<Bmc>&, const RedfishAccess&, const std::atomic<bool>& stop, std::vector<BmcAnswer>&,
               RedfishTotals&, std::string& error);

}  // namespace clusterc
