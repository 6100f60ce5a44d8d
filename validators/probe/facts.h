// Facts of this machine, each group a member of the probe's one JSON object. A fact that cannot be read is absent: no
// function here fails, and none needs more rights than an ordinary user has. `root` is "/" except in tests, which hand
// in a tree of their own.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"

namespace clusterc::probe {

using Path = std::filesystem::path;

// host.cc
void os_facts(JsonWriter&, const Path& root);
void cpu_facts(JsonWriter&, const Path& root);
void memory_facts(JsonWriter&, const Path& root);
void platform_facts(JsonWriter&, const Path& root);  // firmware's names, virtualisation, huge pages
void process_facts(JsonWriter&);  // limits of this process, clock, programs on PATH: of the live system only

// devices.cc
void pci_facts(JsonWriter&, const Path& root);
void nic_facts(JsonWriter&, const Path& root);
void rdma_facts(JsonWriter&, const Path& root);
void drive_facts(JsonWriter&, const Path& root);
void mount_facts(JsonWriter&, const Path& root);

// gpus.cc: by NVML where it is there, else from the PCI tree
void gpu_facts(JsonWriter&, const Path& root);

// The whole object, one line, without a line end.
std::string probe_record(const std::string& host, const std::string& time_utc, const Path& root, bool live);

// The same facts for people: the object with a line for each member.
std::string probe_text(const std::string& host, const std::string& time_utc, const Path& root, bool live);

// helpers of the three
struct PciPlace {
  std::string address;  // "0000:17:00.0"; empty: not a PCI device
  int numa_node = -1;   // -1: the kernel names none
};
// Where the device behind a sysfs `device` link sits.
PciPlace pci_place(const Path& device_link);
bool is_pci_address(const std::string&);
std::vector<std::string> sorted_entries(const Path& folder);
// Writes the field when the file is there and not empty.
void text_field(JsonWriter&, std::string_view name, const Path& file);

}  // namespace clusterc::probe
