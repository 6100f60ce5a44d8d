#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "model/nvlink.h"
#include "model/pcie.h"
#include "model/rdma.h"
#include "plan/fabric/routing.h"
#include "spec/ha.h"
#include "spec/target.h"
#include "targets/collectives.h"
#include "targets/expect.h"
#include "targets/paths.h"
#include "targets/published.h"
#include "targets/rdma_ports.h"

namespace clusterc {
namespace {

// A link is there or is not: rates that sysfs rounds may miss the whole by this much, and no slower link reaches it.
constexpr double kWholeLink = 0.999;

}  // namespace

std::optional<std::int64_t> gpu_link_generation(const ServerModel& server) {
  const GpuPart& gpu = *server.gpu;
  if ((gpu.form && *gpu.form == GpuForm::superchip) || !gpu.pcie_generation || !gpu.pcie_lanes) return std::nullopt;
  return server.cpu && server.cpu->pcie_generation ? std::min(*gpu.pcie_generation, *server.cpu->pcie_generation)
                                                   : *gpu.pcie_generation;
}

// The InfiniBand and RoCE ports of a node together: they are there or not, so a plan does not show them.
void Expect::links(const NodeGroupModel& group) {
  if (unnamed_) return;
  const RdmaPortsOfNode ports = rdma_ports(cluster_, static_cast<int>(&group - cluster_.nodes.data()));
  if (ports.ports.empty() && ports.missing.empty()) return;
  ExpectedFigure f{.test = "fabric.links", .group = group.name, .scope = "node", .missing = ports.missing};
  if (!ports.ports.empty()) {
    std::string sum;
    for (const RdmaPorts& p : ports.ports)
      sum += format("{}{} x {}", sum.empty() ? "" : " + ", p.count, to_text(p.rate));
    f.ceiling = {ports.all().value, sum + " / 8", "arithmetic", true};
    f.floor = {ports.all().value * kWholeLink, "a port that is absent, down or slower is not what was bought",
               "arithmetic", true};
  }
  finish(std::move(f), nullptr, std::nullopt);
}

void Expect::pcie_paths(const NodeGroupModel& group, const GpuPart& gpu) {
  const ServerModel& server = group.server;
  // The link itself, which is there or is not: a plan shows what it carries.
  if (!unnamed_ && !server.virtual_machine && !server.instance) {
    ExpectedFigure f{.test = "pcie.link.gpu", .group = group.name, .scope = "gpu"};
    if (const auto generation = gpu_link_generation(server)) {
      const double rate = pcie_link_rate(*generation, *gpu.pcie_lanes).value;
      f.ceiling = {rate, format("PCIe generation {} x{}", *generation, *gpu.pcie_lanes), gpu.pcie_generation.source,
                   gpu.pcie_generation.confirmed && gpu.pcie_lanes.confirmed};
      f.floor = {rate * kWholeLink, "a link that negotiates less is not the one that was bought", "arithmetic", true};
    } else {
      f.missing = format("pcie_generation or pcie_lanes of {} is not in the catalogue", server.gpu_model);
    }
    finish(std::move(f), nullptr, std::nullopt);
  }
  Figure copy;
  std::string copy_missing = format("pcie_generation or pcie_lanes of {} is not in the catalogue", server.gpu_model),
              copy_row;
  if (gpu.form && *gpu.form == GpuForm::superchip) {
    copy_missing =
        format("the rate between processor and {} is not in the catalogue: they are one module", server.gpu_model);
  } else if (const auto known = gpu_link_generation(server)) {
    const std::int64_t generation = *known;
    copy = {pcie_copy_ceiling(generation, *gpu.pcie_lanes).value,
            format("PCIe generation {} x{}, {} of {} bytes are payload", generation, *gpu.pcie_lanes, kPciePayload,
                   kPciePayload + kPcieOverhead),
            gpu.pcie_generation.source, gpu.pcie_generation.confirmed && gpu.pcie_lanes.confirmed};
    if (*gpu.pcie_lanes == 16)
      copy_row = format("gen{} {}", generation, server.instance || server.virtual_machine ? "virtual" : "bare");
  }
  path(group, "pcie.copy", "gpu", std::move(copy), std::move(copy_missing), find_published("pcie.copy", copy_row),
       wish(group.name, &TestTargets::pcie), "", true);
}

void Expect::nvlink_paths(const NodeGroupModel& group) {
  const ServerModel& server = group.server;
  const Value<BytesPerSecond>& link = gpu_link_of(server);
  Figure nvlink;
  const bool linked = link && link->value > 0, joined = gpus_joined_by_nvlink(cluster_, group) > 1;
  if (linked && joined) nvlink = from(link, 1, "all links of one GPU, one way");
  std::string no_nvlink = !link ? format("gpu_link of {} is not in the catalogue", server.gpu_model)
                                : format("{} has no links to other GPUs", server.gpu_model);
  if (linked && !joined)
    no_nvlink = server.gpu_count > 1 ? format("no bridge joins the {} cards of {}: `nvlink_bridge` says what it joins",
                                              server.gpu_count, server.gpu_model)
                                     : format("{} is alone in its node", server.gpu_model);
  const bool measured = has_nvlink_pairs(server);
  path(group, "nvlink.copy", "gpu", std::move(nvlink), std::move(no_nvlink),
       find_published("nvlink.copy", server.gpu_model), wish(group.name, &TestTargets::nvlink), "", measured);
  if (measured && !unnamed_) {  // the links themselves, as above
    ExpectedFigure f{.test = "nvlink.links", .group = group.name, .scope = "gpu"};
    if (const auto wished = wish(group.name, &TestTargets::nvlink); wished && wished->skip) f.skip = *wished->skip;
    if (const auto links = nvlinks_of_gpu(server)) {
      f.ceiling = {
          link->value,
          format("{} NVLinks of {}", *links, to_text(BytesPerSecond(link->value / static_cast<double>(*links)))),
          link.source, link.confirmed};
      f.floor = {link->value * kWholeLink, "a link that is down is missing", "arithmetic", true};
    } else {
      f.missing =
          format("how many NVLinks a {} has is not known: gpu_link or sm is not in the catalogue", server.gpu_model);
    }
    finish(std::move(f), nullptr, std::nullopt);
  }
}

}  // namespace clusterc
