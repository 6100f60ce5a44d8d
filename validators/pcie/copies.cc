#include "pcie/copies.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "harness/cuda_support.h"
#include "harness/gpu_users.h"
#include "harness/load.h"
#include "harness/loop.h"
#include "harness/run.h"

namespace clusterc::pcie {
using namespace harness;
namespace {

constexpr std::uint64_t kCudaBytes = 256ull << 20, kHostBytes = 64ull << 20;
constexpr unsigned kCopies = 20, kWarmup = 3;
// mbind(2), get_mempolicy(2): numaif.h belongs to a library that nodes may lack.
constexpr int kBind = 2;                         // MPOL_BIND
constexpr unsigned long kNodeOfAddress = 1 | 2;  // MPOL_F_NODE | MPOL_F_ADDR
constexpr std::size_t kMostNodes = 1024;         // MAX_NUMNODES of the kernel

void measure_path(const CopyPath& path, Copier& copier, const Options& options, Reporter& report) {
  for (const Way way : {Way::to_device, Way::to_host, Way::both}) {
    const std::string metric = metric_of(path, way);
    const Loop loop = loop_from(options, kCopies, kWarmup, format("{} on {}", metric, copier.device().label));
    copier.poison();
    LoadMeter meter;
    const std::vector<double> seconds = measure(
        loop, [&] { return copier.run(way); }, [&] { copier.poison(); });
    Measurement m{.metric = metric, .unit = "B/s"};
    m.other_load = meter.share();
    refuse_busy(m.other_load, options, "during " + metric);
    const std::uint64_t moved = way == Way::both ? 2 * copier.bytes() : copier.bytes();
    m.samples = rates(seconds, static_cast<double>(moved));
    m.warmup = loop.warmup;
    m.size_bytes = copier.bytes();
    m.device = copier.device();
    m.checked = moved / sizeof(std::uint64_t);
    m.wrong = copier.count_wrong(way);
    m.parameters = copier.parameters();
    m.parameters.emplace_back("own_node", path.own);
    report.measurement(m);
  }
}

std::unique_ptr<Copier> open(Backend backend, const CopyPath& path, std::uint64_t bytes, std::uint64_t seed) {
#ifdef CLUSTERC_CUDA
  if (backend == Backend::cuda) return open_cuda(path, bytes, seed);
#endif
  (void)backend;
  return open_host(path, bytes, seed);
}

std::vector<int> devices_of(Backend backend) {
  if (backend == Backend::host) return host_devices();
  const int count = require_gpus();
#ifdef CLUSTERC_CUDA
  return cuda_devices(count);
#else
  return std::vector<int>(static_cast<std::size_t>(count), -1);
#endif
}

}  // namespace

void measure_copies(const Options& options, Reporter& report) {
#ifdef CLUSTERC_CUDA
  if (options.device == Backend::cuda) refuse_used_gpus(options, visible_gpus());
#endif
  const std::vector<int> devices = devices_of(options.device);
  const std::uint64_t bytes = options.size.value_or(options.device == Backend::cuda ? kCudaBytes : kHostBytes);
  refuse_busy(load_at_rest(kWatchSeconds), options, "before the run");
  for (const CopyPath& path : plan_paths(devices, memory_nodes()))
    measure_path(path, *open(options.device, path, bytes, options.seed), options, report);
}

NodeMemory::NodeMemory(std::uint64_t bytes, int node) : bytes_(bytes) {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto fail = [&](Cause cause, const std::string& why) {
    if (at != MAP_FAILED) ::munmap(at, bytes);
    throw CouldNotRun(cause, why);
  };
  if (at == MAP_FAILED) fail(Cause::no_memory, format("{} were refused", bytes_text(static_cast<double>(bytes))));
  if (node >= 0) {
    std::array<unsigned long, kMostNodes / (8 * sizeof(unsigned long))> mask{};
    constexpr std::size_t kBits = 8 * sizeof(unsigned long);
    const auto which = static_cast<std::size_t>(node);
    if (which >= kMostNodes) fail(Cause::system, format("there is no NUMA node {}", node));
    mask[which / kBits] |= 1ul << which % kBits;
    if (::syscall(SYS_mbind, at, bytes, kBind, mask.data(), kMostNodes, 0u) != 0)
      fail(Cause::system, format("memory on NUMA node {} was refused: {}", node, std::strerror(errno)));
  }
  words_ = static_cast<std::uint64_t*>(at);
  std::fill(words_, words_ + bytes / sizeof(std::uint64_t), kPoison);
  if (::syscall(SYS_get_mempolicy, &node_, nullptr, 0ul, at, kNodeOfAddress) != 0) node_ = -1;
  if (node >= 0 && node_ != node)
    fail(Cause::system, format("memory that was to lie on NUMA node {} lies on {}", node, node_));
}

NodeMemory::~NodeMemory() { ::munmap(words_, bytes_); }

}  // namespace clusterc::pcie
