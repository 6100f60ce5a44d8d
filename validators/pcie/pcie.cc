// clusterc-pcie: the negotiated links of GPUs, network adapters and NVMe drives against what both ends can do, and
// copies between host and GPUs. README.md says what it proves.
#include <thread>

#include "base/format.h"
#include "harness/cuda_support.h"
#include "harness/fault.h"
#include "harness/loop.h"
#include "harness/run.h"
#include "pcie/acs.h"
#include "pcie/copies.h"
#include "pcie/links.h"

namespace clusterc::pcie {
namespace {
using namespace harness;

constexpr Backend kBackends[] = {Backend::host, Backend::cuda};
constexpr std::string_view kAcs = "off|any";
constexpr ExtraOption kExtra[] = {
    {"--sysfs", harness::Kind::text, "DIR",
     "folder that holds a tree as /sys, for tests and for trees of other machines (default: /)"},
    {"--acs", harness::Kind::choices, kAcs,
     "off: the switches between a GPU and an adapter shall not send what they exchange through the processor; any: "
     "that "
     "is reported alone (default any: machines with guests need ACS)"},
    {"--copies", harness::Kind::toggle, "",
     "host: copies between the memory of NUMA nodes in a GPU's place, instead of the links"},
    {"--timeout", harness::Kind::seconds, "SECONDS", "end when nothing moves for so long (default 300)"}};
constexpr MetricFacts kMetrics[] = {
    {"pcie.link.gpu", "B/s", "one direction after coding: lanes as negotiated, speed as both ends can do"},
    {"pcie.link.nic", "B/s", "as negotiated"},
    {"pcie.link.nvme", "B/s", "as negotiated"},
    {"pcie.copy", "B/s", "cuda: pinned memory of the GPU's own NUMA node to the GPU"},
    {"pcie.copy.to_host", "B/s", "the other way"},
    {"pcie.copy.both", "B/s", "both at once, together"},
    {"pcie.copy.far", "B/s", "to the GPU, from the node that is farthest from it; where there are several"},
    {"pcie.copy.far_to_host", "B/s", "the other way"},
    {"pcie.copy.far_both", "B/s", "both at once, together"}};
std::string wrong_options(const Options& options) {
  if (options.has("--acs") && options.choices("--acs", kAcs).size() != 1) return "'--acs': off or any, one of them";
  const bool copies = options.device == Backend::cuda || options.has("--copies");
  if (options.size && !copies) return "'--size' is of a copy: say --copies, or --device cuda";
  if (options.size && (*options.size < 4096 || *options.size % 8 != 0))
    return "'--size' has at least 4 KiB, in whole 8 bytes: a copy is compared word by word, and smaller ones time the "
           "call";
  return options.wrong_folder("--sysfs");
}
constexpr Program kProgram{.name = "pcie",
                           .summary =
                               "PCI Express links of GPUs, network adapters and NVMe drives: negotiated speed and "
                               "width against what both ends can do; copies between host and GPUs",
                           .size_kind = harness::Kind::bytes,
                           .size_help = "of one copy (default: cuda 256MiB, host 64MiB)",
                           .backends = std::span(kBackends).first(kCudaBuilt ? 2 : 1),
                           .extra = kExtra,
                           .metrics = kMetrics,
                           .stuck_after = harness::kStuckAfter,
                           .wrong_options = wrong_options};
constexpr auto kBetween = std::chrono::milliseconds(100);  // two looks: a link that trains again and again shows

void body(const Options& options, Reporter& report) {
  if (options.device == Backend::cuda || options.has("--copies")) return measure_copies(options, report);
  const std::string root = options.text("--sysfs", "/");
  const std::vector<Link> first = read_links(root);
  if (first.empty())
    throw CouldNotRun(Cause::not_applicable, "no GPU, network adapter or NVMe drive here has a PCI Express link");
  std::this_thread::sleep_for(kBetween);
  check_interrupted();
  std::vector<Link> second = read_links(root);
  if (second.size() != first.size())
    throw CouldNotRun(Cause::device_error,
                      format("{} devices at first, {} a moment later", first.size(), second.size()));
  const std::vector<PeerPath> paths = peer_paths(root, first);
  const bool direct = options.has("--acs") && options.choices("--acs", kAcs).front() == "off";
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (kFaultBuild) fault_flip_bit(&second[i].now.lanes, 0);
    const Link& link = first[i];
    const Rate now =
        link.kind == pcie::Kind::gpu && link.now.known() ? Rate{link.most().transfers, link.now.lanes} : link.now;
    std::string trouble = trouble_of(link);
    if (!now.known()) throw CouldNotRun(Cause::device_error, trouble);
    if (const std::string more = direct ? trouble_of_paths(paths, link.address) : ""; !more.empty())
      trouble += (trouble.empty() ? "" : "; ") + more;
    Measurement m{.metric = std::string("pcie.link.") + (link.kind == pcie::Kind::gpu   ? "gpu"
                                                         : link.kind == pcie::Kind::nic ? "nic"
                                                                                        : "nvme"),
                  .unit = "B/s"};
    m.variant = link.address;
    m.samples = {bytes_per_second(now)};
    m.device = {.backend = Backend::host, .label = format("link{}", i), .name = format("{} {}", link.address, link.id)};
    m.checked = 1;
    m.wrong = link.now.lanes != second[i].now.lanes ||
              (link.kind != pcie::Kind::gpu && link.now.transfers != second[i].now.transfers);
    m.parameters = {{"address", link.address},
                    {"port", link.port},
                    {"negotiated", rate_text(link.now)},
                    {"both_ends", rate_text(link.most())},
                    {"device", rate_text(link.device)},
                    {"errors_corrected", link.errors_corrected},
                    {"errors_uncorrected", link.errors_uncorrected}};
    if (link.upstream.known()) m.parameters.emplace_back("upstream", rate_text(link.upstream));
    if (const std::string text = paths_text(paths, link.address); !text.empty()) m.parameters.emplace_back("acs", text);
    if (!trouble.empty()) m.parameters.emplace_back("slow", trouble);
    report.measurement(m);
  }
}

}  // namespace
}  // namespace clusterc::pcie

int main(int argc, char** argv) {
  return clusterc::harness::run_validator(clusterc::pcie::kProgram, argc, argv, clusterc::pcie::body);
}
