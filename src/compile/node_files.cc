#include "compile/node_files.h"

#include <algorithm>

#include "base/quantity.h"
#include "base/text.h"
#include "compile/common.h"
#include "compile/file_systems.h"
#include "compile/gateways.h"
#include "model/rdma.h"

namespace clusterc {

std::string locked_memory(const Cluster& c, int group) {
  const Software& s = c.nodes[group].software;
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

NodeFiles node_files(const Cluster& c, const Plan& plan, int group, const GroupNetwork& network) {
  const Software& s = c.nodes[group].software;
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
  // Daemons do not read limits.d: jobs get what slurmd has
  if (c.spec.software.scheduler && c.spec.software.scheduler->kind.value == SchedulerKind::slurm) {
    if (!memlock.empty())
      out.slurmd += "LimitMEMLOCK=" + (memlock == "unlimited" ? std::string("infinity") : memlock + "K") + "\n";
    if (s.limits && s.limits->nofile) out.slurmd += "LimitNOFILE=" + number(*s.limits->nofile) + "\n";
    if (s.limits && s.limits->nproc) out.slurmd += "LimitNPROC=" + number(*s.limits->nproc) + "\n";
    if (!out.slurmd.empty()) out.slurmd.insert(0, "[Service]\n");
  }
  // Several ports in one subnet: each answers for its own address only, and takes packets that the tables route
  // elsewhere (Linux, Documentation/networking/ip-sysctl.rst)
  if (network.several_in_one_subnet())
    out.sysctl +=
        "net.ipv4.conf.all.arp_ignore = 1\nnet.ipv4.conf.all.arp_announce = 2\nnet.ipv4.conf.all.rp_filter = 2\n";
  else if (may_answer_over_others(c, group))
    out.sysctl += "net.ipv4.conf.all.rp_filter = 2\n";
  if (s.huge_pages) out.sysctl += "vm.nr_hugepages = " + number(*s.huge_pages) + "\n";
  out.lnet = lnet_options(c, plan, group, network);
  return out;
}

}  // namespace clusterc
