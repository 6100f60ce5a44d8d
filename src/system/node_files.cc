#include "system/node_files.h"

#include <algorithm>
#include <set>

#include "base/quantity.h"
#include "base/text.h"
#include "model/gpu_software.h"
#include "model/group_ends.h"
#include "model/nvlink.h"
#include "model/rdma.h"
#include "model/routed.h"
#include "spec/software.h"
#include "system/file_systems.h"
#include "system/gateways.h"
#include "system/interfaces.h"
#include "system/slurm.h"

namespace clusterc {

std::string locked_memory(const Cluster& c, int group) {
  const Software& s = *c.nodes[group].software;
  const std::string memlock = s.limits ? s.limits->memlock.value_or("") : "";
  // RDMA pins what it transfers: locked memory must not be limited where it is used
  if (memlock.empty()) return uses_rdma(c, group) ? "unlimited" : "";
  QuantityError why;
  const std::optional<double> bytes = parse_quantity(memlock, Dimension::bytes, why);
  if (!bytes) return "unlimited";  // that word, or another that limits.conf(5) takes for it
  std::string kib;
  append_int(kib, static_cast<std::int64_t>(*bytes / 1024));
  return kib;
}

// slurmd waits about 20 s for the devices of gres.conf and then ends ("fatal: can't stat gres.conf file"), and the
// units of Debian and of SchedMD start it once. A board of eight GPUs with a fabric to train may take longer, and a GPU
// may come after a reset by hand: it is started behind what makes the device files, and again, for as long as it takes.
// A wait of our own before it (ExecStartPre=) would be the same wait twice, with a limit (TimeoutStartSec=) after which
// the node is lost all the same.
std::string slurmd_settings(const Cluster& c, int group) {
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  const Software& s = *g.software;
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || scheduler->kind.value != SchedulerKind::slurm || !runs_slurmd(c, g)) return {};
  std::vector<std::string> after, wants;
  const auto both = [&](const char* unit) { after.emplace_back(unit), wants.emplace_back(unit); };
  if (has_nvidia_gpus(g)) {
    // It makes /dev/nvidia*; where the spec does without it, whoever uses a GPU first does.
    after.emplace_back("nvidia-persistenced.service");
    if (s.persistence.value_or(true)) wants.emplace_back("nvidia-persistenced.service");
    if (has_nvswitch(g) && g.assembly < 0) both("nvidia-fabricmanager.service");
    if (nvlink_domain_nodes(c, g) > 1) both("nvidia-imex.service");
  } else if (g.server.gpu_count > 0 && g.server.gpu && g.server.gpu->vendor.value_or(Vendor::other) == Vendor::amd) {
    // udev loads the driver beside everything else; this unit (systemd 245 and newer) ends when it has found its GPUs.
    both("modprobe@amdgpu.service");
  }
  // MLNX_OFED and DOCA; rdma-core (rdma-hw.target is for units that need adapters)
  if (uses_rdma(c, group)) after.insert(after.end(), {"openibd.service", "rdma-hw.target"});
  std::string out = "[Unit]\n";
  if (!after.empty()) out += "After=" + join(after, " ") + "\n";
  if (!wants.empty()) out += "Wants=" + join(wants, " ") + "\n";
  out += "StartLimitIntervalSec=0\n\n[Service]\nRestart=on-failure\nRestartSec=10\n";
  // Daemons do not read limits.d: jobs get what slurmd has
  const std::string memlock = locked_memory(c, group);
  if (!memlock.empty())
    out += "LimitMEMLOCK=" + (memlock == "unlimited" ? std::string("infinity") : memlock + "K") + "\n";
  if (s.limits && s.limits->nofile) out += "LimitNOFILE=" + std::to_string(*s.limits->nofile) + "\n";
  if (s.limits && s.limits->nproc) out += "LimitNPROC=" + std::to_string(*s.limits->nproc) + "\n";
  return out;
}

namespace {

// Addresses that a node of the group may have to resolve to a MAC: of all ports in its own subnets. In a routed network
// there is one, that of the switch.
std::int64_t neighbours_of(const Cluster& c, int group) {
  std::int64_t out = 0;
  std::set<int> seen;
  for (const GroupEnd& at : ends_of_group(c, group)) {
    const NetworkModel& n = c.networks[static_cast<std::size_t>(at.network)];
    if (!n.subnet || has_routed_leaves(c, n) || is_management_port(c, n, n.ends[static_cast<std::size_t>(at.end)]) ||
        !seen.insert(at.network).second)
      continue;
    for (const EndPoints& e : n.ends) out += e.members * e.ports_each;
  }
  return out;
}

std::int64_t power_of_two(std::int64_t least) {
  std::int64_t out = 1;
  while (out < least) out *= 2;
  return out;
}

// The kernel forgets neighbours beyond gc_thresh3 (1024) at once, and hosts then lose packets; below gc_thresh1 it
// forgets none (Linux, Documentation/networking/ip-sysctl.rst). A controller answers all slurmd that speak at the same
// time (https://slurm.schedmd.com/high_throughput.html: somaxconn, tcp_max_syn_backlog). fs.file-max needs no line:
// since Linux 5.1 it has the largest value.
std::string for_many_nodes(const Cluster& c, int group) {
  std::string out;
  const auto set = [&](std::string_view key, std::int64_t value) {
    out += key, out += " = ", append_int(out, value), out += '\n';
  };
  constexpr std::int64_t kKernelKeeps = 512;  // gc_thresh2: above it entries go after five seconds
  if (const std::int64_t neighbours = neighbours_of(c, group); neighbours > kKernelKeeps) {
    const std::int64_t least = power_of_two(neighbours);
    for (const auto& [number, factor] : {std::pair(1, 1), std::pair(2, 2), std::pair(3, 4)})
      set("net.ipv4.neigh.default.gc_thresh" + std::to_string(number), least * factor);
  }
  constexpr std::int64_t kKernelQueues = 4096, kMostQueues = 65535;
  const auto& scheduler = c.spec.software->scheduler;
  const bool slurm = scheduler && scheduler->kind.value == SchedulerKind::slurm;
  if (!slurm || !runs_slurmctld(c, c.nodes[static_cast<std::size_t>(group)])) return out;
  const std::int64_t nodes = c.memo.get("nodes with slurmd", [&] {
    std::int64_t count = 0;
    for (const NodeGroupModel& g : c.nodes)
      if (runs_slurmd(c, g)) count += g.count;
    return count;
  });
  if (nodes > kKernelQueues / 4) {
    const std::int64_t queue = std::min(kMostQueues, std::max(kKernelQueues, power_of_two(nodes)));
    set("net.core.somaxconn", queue);
    set("net.ipv4.tcp_max_syn_backlog", queue);
  }
  return out;
}

}  // namespace

NodeFiles node_files(const System& in, int group, const GroupNetwork& network) {
  const Cluster& c = in.cluster;
  const Software& s = *c.nodes[group].software;
  NodeFiles out;
  const std::string memlock = locked_memory(c, group);
  const auto limit = [&](std::string_view item, std::string_view value) {
    for (std::string_view who : {"*", "root"})
      out.limits += who, out.limits += " - ", out.limits += item, out.limits += ' ', out.limits += one_line(value),
          out.limits += '\n';
  };
  const auto number = [](std::int64_t n) {
    std::string t;
    append_int(t, n);
    return t;
  };
  if (!memlock.empty()) limit("memlock", memlock);
  if (s.limits && s.limits->nofile) limit("nofile", number(*s.limits->nofile));
  if (s.limits && s.limits->nproc) limit("nproc", number(*s.limits->nproc));
  out.slurmd = slurmd_settings(c, group);
  // Several ports in one subnet: each answers for its own address only, and takes packets that the tables route
  // elsewhere (Linux, Documentation/networking/ip-sysctl.rst)
  if (network.several_in_one_subnet())
    out.sysctl +=
        "net.ipv4.conf.all.arp_ignore = 1\nnet.ipv4.conf.all.arp_announce = 2\nnet.ipv4.conf.all.rp_filter = 2\n";
  else if (may_answer_over_others(in, group))
    out.sysctl += "net.ipv4.conf.all.rp_filter = 2\n";
  out.sysctl += for_many_nodes(c, group);
  if (s.huge_pages) out.sysctl += "vm.nr_hugepages = " + number(*s.huge_pages) + "\n";
  out.lnet = lnet_options(c, in.plan, group, network);
  return out;
}

}  // namespace clusterc
