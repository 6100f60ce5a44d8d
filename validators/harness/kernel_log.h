// What NVIDIA's driver tells of its GPUs in the kernel's log: Xid, the number of an event that it could not settle
// (NVIDIA "Xid Errors": "NVRM: Xid (PCI:0000:17:00): 94, pid=…").
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc::harness {

struct Xid {
  std::string address;  // of the GPU, "0000:17:00"
  unsigned number = 0;
};
// Of one record of /dev/kmsg or one line of dmesg; nothing where it tells of none.
std::optional<Xid> parse_xid(std::string_view line);

// Reads what the kernel says from its making on.
class KernelLog {
 public:
  explicit KernelLog(const char* path = "/dev/kmsg");
  ~KernelLog();
  KernelLog(const KernelLog&) = delete;
  KernelLog& operator=(const KernelLog&) = delete;
  bool readable() const { return file_ >= 0; }  // by root, and where the kernel gives it to everybody
  // The Xids since the last call.
  std::vector<Xid> xids();

 private:
  int file_ = -1;
};

// Those of the GPU at this address ("0000:17:00.0"): what another GPU of the machine has is not held against this one.
std::vector<Xid> xids_of(std::vector<Xid>, std::string_view address);

// "94 on 0000:17:00, 63 on 0000:18:00"
std::string xids_text(const std::vector<Xid>&);

}  // namespace clusterc::harness
