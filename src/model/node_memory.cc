#include "model/node_memory.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "spec/nodes.h"
#include "spec/site.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// What a booted kernel, systemd, slurmd and sshd hold on a small machine.
constexpr std::int64_t kLeastReserveMib = 256;

// Real machines: the kernel's page structures take 64 bytes for each 4 KiB page, 1/64 of all
// (include/linux/mm_types.h), and the firmware some more. `slurmd -C` of published nodes with 2 TiB reports 2063205
// (8 x H100, 2 x 56 cores), 2063853, 2063878 (8 x A100) and 2063916 MiB (DGX B200): 1.6 % less than fitted; with 128
// GiB 128515 MiB, 2 % less (github.com/lyulyul/shine-cluster/pull/82). 1/32 leaves the daemons as much again.
constexpr std::int64_t kRealMachinePart = 32;

// Instances and virtual machines lose what the hypervisor keeps as well, and each provider another part of what it
// names:
//   Azure   a machine with 456 GiB reports 435161 MiB, 6.8 % less; 5 % was too little and 8 % was taken then
//           (github.com/Azure/az-hop/issues/686, pull/687)
//   AWS     ParallelCluster takes 5 % (aws-parallelcluster-cookbook, realmemory_to_ec2memory_ratio 0.95); a machine
//   with
//           64 GiB reports 63622 MiB, 2.9 % less (github.com/aws/aws-parallelcluster/issues/1517)
//   Google  400 MiB and 30 MiB for each GiB (GoogleCloudPlatform/slurm-gcp, util.py, machine_conf.memory)
// Where nothing is published the largest of them is taken.
constexpr std::int64_t kAzurePercent = 8, kAwsPercent = 5, kUnknownPercent = 8;
constexpr std::int64_t kGoogleBaseMib = 400, kGoogleMibPerGib = 30;

struct Share {
  std::int64_t mib = 0;
  std::string why;
};

std::int64_t percent_of(std::int64_t mib, std::int64_t percent) { return (mib * percent + 99) / 100; }

Share system_share(const Cluster& c, const ServerModel& s, std::int64_t fitted) {
  if (!s.virtual_machine && !s.instance)
    return {system_memory_of_real_machine(fitted), format("1/{}, firmware, kernel and daemons", kRealMachinePart)};
  const std::string provider = c.spec.site ? to_lower(c.spec.site->provider.value_or("")) : std::string();
  const auto is = [&](std::string_view word) { return provider.find(word) != std::string::npos; };
  constexpr std::string_view kText = "hypervisor, kernel and daemons";
  if (is("aws") || is("amazon"))
    return {percent_of(fitted, kAwsPercent), format("{} %, {} on AWS", kAwsPercent, kText)};
  if (is("google") || is("gcp"))
    return {kGoogleBaseMib + fitted / 1024 * kGoogleMibPerGib,
            format("{} MiB and {} MiB a GiB, {} at Google", kGoogleBaseMib, kGoogleMibPerGib, kText)};
  if (is("azure") || is("microsoft"))
    return {percent_of(fitted, kAzurePercent), format("{} %, {} on Azure", kAzurePercent, kText)};
  return {percent_of(fitted, kUnknownPercent), format("{} %, {}", kUnknownPercent, kText)};
}

// "512M", as the kernel's memparse reads it: bytes without a suffix. `rest` is what stands behind; nullopt: no number.
std::optional<std::int64_t> read_size(std::string_view& rest) {
  std::size_t digits = 0;
  while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
  const auto number = parse_uint(rest.substr(0, digits));
  if (!number) return std::nullopt;
  rest.remove_prefix(digits);
  int shift = 0;
  if (!rest.empty()) {
    const std::string suffix = to_lower(rest.substr(0, 1));
    shift = suffix == "k" ? 10 : suffix == "m" ? 20 : suffix == "g" ? 30 : suffix == "t" ? 40 : 0;
    if (shift > 0) rest.remove_prefix(1);
  }
  if (*number > (std::uint64_t{1} << (62 - shift))) return std::nullopt;
  return static_cast<std::int64_t>(*number << shift);
}

std::int64_t mib_up(std::int64_t bytes) { return (bytes + kMiB - 1) / kMiB; }

// "1G-4G:192M,4G-64G:256M,64G-:512M": the size of the first range that the memory lies in, from its start to below its
// end (Linux, Documentation/admin-guide/kdump/kdump.rst, "Extended crashkernel syntax").
std::int64_t size_of_ranges(std::string_view ranges, std::int64_t memory_mib) {
  const std::int64_t memory = memory_mib * kMiB;
  while (!ranges.empty()) {
    const auto from = read_size(ranges);
    if (!from || !ranges.starts_with('-')) return 0;
    ranges.remove_prefix(1);
    std::optional<std::int64_t> to;
    if (!ranges.starts_with(':') && !(to = read_size(ranges))) return 0;
    if (!ranges.starts_with(':')) return 0;
    ranges.remove_prefix(1);
    const auto size = read_size(ranges);
    if (!size) return 0;
    if (memory >= *from && (!to || memory < *to)) return mib_up(*size);
    if (!ranges.starts_with(',')) return 0;
    ranges.remove_prefix(1);
  }
  return 0;
}

// What the distribution's installer reserves where nobody says otherwise.
//   RHEL and its rebuilds: docs.redhat.com, "Memory requirements for kdump" of RHEL 8, 9 and 10; 64-bit ARM with the
//     sizes of 64 KiB pages, the largest.
//   Ubuntu from 24.10 on: documentation.ubuntu.com/server/how-to/software/kernel-crash-dump, "KDump enabled by
//     default": at least 6 GB and less than 2 TB; the sizes are those of /proc/cmdline of published 25.04 and 25.10.
std::string_view default_ranges(const Software& s, std::int64_t memory_mib) {
  if (!s.os) return {};
  const std::string os = to_lower(*s.os);
  const std::size_t dash = os.rfind('-');
  if (dash == os.npos) return {};
  const std::string name = os.substr(0, dash), release = os.substr(dash + 1);
  const std::string major = release.substr(0, release.find('.'));
  const auto number = parse_uint(major);
  if (!number) return {};
  for (const std::string_view rebuild : {"rhel", "rocky", "almalinux", "centos", "centos-stream", "oracle"})
    if (name == rebuild && *number >= 8)
      return s.arch && *s.arch == Arch::aarch64 ? "1G-4G:356M,4G-64G:420M,64G-:676M"
                                                : "1G-4G:192M,4G-64G:256M,64G-:512M";
  if (name == "ubuntu" && (*number > 24 || release.starts_with("24.10")) && memory_mib >= 6 * 1024 &&
      memory_mib < 2 * 1024 * 1024)
    return "2G-4G:320M,4G-32G:512M,32G-64G:1024M,64G-128G:2048M,128G-:4096M";
  return {};
}

// The value of the last argument KEY=…; nullopt: none.
std::optional<std::string_view> last_argument(const Software& s, std::string_view key) {
  std::optional<std::string_view> out;
  for (const Value<std::string>& a : s.kernel_arguments)
    if (a && a->size() > key.size() && a->starts_with(key) && (*a)[key.size()] == '=')
      out = std::string_view(*a).substr(key.size() + 1);
  return out;
}

}  // namespace

// Linux, Documentation/admin-guide/kernel-parameters.txt, crashkernel=: of each form the last one counts; a size that
// is reserved high takes 256 MiB low as well unless `,low` says how much. The kernel refuses another sign behind the
// size ("50%") and reserves nothing (kernel/crash_reserve.c, parse_crashkernel_simple).
std::int64_t crash_kernel_mib(const Software& s, std::int64_t memory_mib) {
  constexpr std::int64_t kLowWithHigh = 256;
  std::optional<std::int64_t> plain, high, low;
  bool by_distribution = true;
  for (const Value<std::string>& a : s.kernel_arguments) {
    constexpr std::string_view kKey = "crashkernel=";
    if (!a || !a->starts_with(kKey)) continue;
    std::string_view value = std::string_view(*a).substr(kKey.size());
    if (value == "auto") continue;  // RHEL 8: the distribution's table
    by_distribution = false;
    if (value.substr(0, value.find(',')).find('-') != value.npos) {
      plain = size_of_ranges(value.substr(0, value.find('@')), memory_mib);
      continue;
    }
    const auto size = read_size(value);
    if (!size || !(value.empty() || value[0] == ',' || value[0] == '@')) continue;
    if (value == ",high")
      high = mib_up(*size);
    else if (value == ",low")
      low = mib_up(*size);
    else if (value != ",cma")  // programs may use that memory
      plain = mib_up(*size);
  }
  if (by_distribution) return size_of_ranges(default_ranges(s, memory_mib), memory_mib);
  if (plain) return *plain;
  return high ? *high + low.value_or(kLowWithHigh) : 0;
}

std::int64_t system_memory_of_real_machine(std::int64_t fitted) {
  return (fitted + kRealMachinePart - 1) / kRealMachinePart;
}

NodeMemory node_memory(const Cluster& c, const NodeGroupModel& g) {
  NodeMemory out;
  if (!g.server.memory) return out;
  out.fitted = static_cast<std::int64_t>(g.server.memory->value) / kMiB;
  if (auto limit = last_argument(g.software, "mem"))
    if (const auto bytes = read_size(*limit); bytes && *bytes > 0) out.fitted = std::min(out.fitted, *bytes / kMiB);
  Share system = system_share(c, g.server, out.fitted);
  if (system.mib < kLeastReserveMib) system = {kLeastReserveMib, "kernel and daemons at least"};
  out.system = system.mib;
  out.crash = crash_kernel_mib(g.software, out.fitted);
  out.jobs = out.fitted - out.system - out.crash;
  if (const Value<Bytes>* stated = g.spec ? &g.spec->job_memory : nullptr; stated && *stated) {
    out.jobs = static_cast<std::int64_t>((*stated)->value) / kMiB;
    out.system = std::max<std::int64_t>(0, out.fitted - out.crash - out.jobs);
    out.least_usable = out.jobs * kLeastMemoryPercent / 100;
    out.formula = format("{} MiB of {} MiB (job_memory)", out.jobs, out.fitted);
    return out;
  }
  // A real machine shows more than RealMemory, or a module is missing. What a hypervisor keeps is not known so well.
  out.least_usable = g.server.virtual_machine || g.server.instance ? out.jobs * kLeastMemoryPercent / 100 : out.jobs;
  out.formula = format("{} MiB, less {} MiB ({})", out.fitted, out.system, system.why);
  if (out.crash > 0) out.formula += format(", less {} MiB (crash kernel)", out.crash);
  return out;
}

}  // namespace clusterc
