#include "nvlink/links.h"

#include <algorithm>

#include "base/format.h"

namespace clusterc::nvlink {
using namespace harness;
namespace {

// Of any GPU; NVML_NVLINK_MAX_LINKS is 18 to driver 580. A link that is not there is refused.
constexpr unsigned kMostLinks = 36;
// NVML API reference: nvmlEnableState_t, nvmlNvLinkCapability_t, nvmlIntNvLinkDeviceType_t.
constexpr int kEnabled = 1, kPeerSupported = 0, kEndIsGpu = 0;

// nvmlPciInfo_t, since driver 387.
struct PciInfo {
  char legacy[16];
  unsigned domain, bus, device, id, subsystem;
  char address[32];
};
static_assert(sizeof(PciInfo) == 68);

std::string address_of(const std::optional<PciInfo>& info) {
  if (!info) return {};
  std::string out(info->address, std::find(std::begin(info->address), std::end(info->address), '\0'));
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c; });
  // What a guest cannot see has an address of zeros.
  return out.find_first_not_of("0:.") == out.npos ? std::string() : out;
}

Link read_link(const Nvml& nvml, NvmlDevice* device, unsigned number, bool up) {
  Link link{.number = number, .up = up};
  if (!up) return link;
  if (const auto carries = nvml.get<unsigned>("nvmlDeviceGetNvLinkCapability", device, number, kPeerSupported))
    link.carries_peers = *carries != 0;
  link.address = address_of(nvml.get<PciInfo>("nvmlDeviceGetNvLinkRemotePciInfo_v2", device, number));
  constexpr int kEndIsUnknown = 255;
  const int type =
      nvml.get<int>("nvmlDeviceGetNvLinkRemoteDeviceType", device, number).value_or(kEndIsUnknown);  // since driver 470
  if (type != kEndIsUnknown) link.end = type == kEndIsGpu ? End::gpu : End::network;
  for (std::size_t i = 0; i < kCounters.size(); ++i)
    link.errors[i] =
        nvml.get<unsigned long long>("nvmlDeviceGetNvLinkErrorCounter", device, number, static_cast<int>(i));
  return link;
}

void append(std::string& list, const std::string& text) { list += (list.empty() ? "" : ", ") + text; }

// "3, 5-7"
std::string numbers_text(const std::vector<unsigned>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    append(out, last == i ? format("{}", numbers[i]) : format("{}-{}", numbers[i], numbers[last]));
    i = last + 1;
  }
  return out;
}

template <class Holds>
std::vector<unsigned> numbers_of(const GpuLinks& gpu, Holds holds) {
  std::vector<unsigned> out;
  for (const Link& link : gpu.links)
    if (holds(link)) out.push_back(link.number);
  return out;
}

std::size_t wired(const GpuLinks& from, const GpuLinks& to) {
  if (to.address.empty()) return 0;
  return static_cast<std::size_t>(std::count_if(
      from.links.begin(), from.links.end(), [&](const Link& link) { return link.up && link.address == to.address; }));
}

bool has_end(const GpuLinks& gpu, End end) {
  return std::any_of(gpu.links.begin(), gpu.links.end(), [&](const Link& link) { return link.up && link.end == end; });
}

}  // namespace

unsigned GpuLinks::up() const {
  return static_cast<unsigned>(std::count_if(links.begin(), links.end(), [](const Link& link) { return link.up; }));
}

bool GpuLinks::counted() const {
  return std::any_of(links.begin(), links.end(), [](const Link& link) {
    return std::any_of(link.errors.begin(), link.errors.end(), [](const auto& e) { return e.has_value(); });
  });
}

std::vector<GpuLinks> read_links(const std::optional<Nvml>& nvml, const std::string& why,
                                 std::span<const std::string> uuids) {
  std::vector<GpuLinks> out;
  for (const std::string& uuid : uuids) {
    GpuLinks& gpu = out.emplace_back();
    NvmlDevice* const device = nvml ? nvml->device(uuid) : nullptr;
    if (!device) {
      gpu.unknown = nvml ? format("NVML does not know {}", uuid) : why;
      continue;
    }
    gpu.address = address_of(nvml->get<PciInfo>("nvmlDeviceGetPciInfo_v3", device));
    for (unsigned number = 0; number < kMostLinks; ++number)
      if (const auto state = nvml->get<int>("nvmlDeviceGetNvLinkState", device, number))
        gpu.links.push_back(read_link(*nvml, device, number, *state == kEnabled));
  }
  // A driver that does not tell what an end is tells where it is: at one of these GPUs, or elsewhere.
  for (GpuLinks& gpu : out)
    for (Link& link : gpu.links)
      if (link.end == End::unknown && !link.address.empty())
        link.end =
            std::any_of(out.begin(), out.end(), [&](const GpuLinks& other) { return other.address == link.address; })
                ? End::gpu
                : End::network;
  return out;
}

Join join_of(std::span<const GpuLinks> gpus, std::size_t first, std::size_t second) {
  const GpuLinks &a = gpus[first], &b = gpus[second];
  if (!a.unknown.empty() || !b.unknown.empty()) return Join::unknown;
  if (has_end(a, End::network) && has_end(b, End::network)) return Join::all;
  const std::size_t there = wired(a, b), back = wired(b, a);
  if (there > 0 && back > 0) return there == a.up() && back == b.up() ? Join::all : Join::part;
  return has_end(a, End::unknown) && has_end(b, End::unknown) ? Join::unknown : Join::none;
}

std::string trouble_of(const GpuLinks& gpu, const std::string& name, unsigned demanded) {
  std::string out;
  const auto say = [&](const std::string& text) { append(out, (out.empty() ? name + " " : "") + text); };
  const std::vector<unsigned> down = numbers_of(gpu, [](const Link&link) { return !link.up; }),
                              mute = numbers_of(gpu, [](const Link&link) { return link.up && !link.carries_peers; });
  const std::string which = down.empty() ? "" : format(" (down: {})", numbers_text(down));
  if (demanded > 0 && gpu.up() < demanded)
    say(format("has {} of {} NVLinks up{}", gpu.up(), demanded, which));
  else if (demanded == 0 && gpu.up() > 0 && !down.empty())
    say(format("has {} of {} NVLinks up{}", gpu.up(), gpu.links.size(), which));
  if (!mute.empty()) say(format("carries no memory accesses of other GPUs over link {}", numbers_text(mute)));
  return out;
}

std::string risen(const GpuLinks& before, const GpuLinks& after) {
  std::string out;
  for (const Link& was : before.links) {
    const auto is =
        std::find_if(after.links.begin(), after.links.end(), [&](const Link& l) { return l.number == was.number; });
    if (is == after.links.end()) continue;
    for (std::size_t i = 0; i < kCounters.size(); ++i)
      if (was.errors[i] && is->errors[i] && *is->errors[i] > *was.errors[i])
        append(out, format("link {} counted {} {}", was.number, *is->errors[i] - *was.errors[i], kCounters[i]));
  }
  return out;
}

}  // namespace clusterc::nvlink
