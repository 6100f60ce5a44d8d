// In the place of libnvidia-ml.so.1, for tests alone: four GPUs, "GPU-1" to "GPU-4". The second gets hotter by 1 C with
// each reading, is held back by its heat from the sixth on, has a corrected memory error each time that somebody asks,
// and two that were not from the seventh reading on; with FAKE_NVML_COOL it stays as it is. Signatures as the NVML API
// reference has them.
//
// NVLinks are what FAKE_NVLINK says, GPU after GPU: "18s;17s,1d" has eighteen links to switches on the first, seventeen
// and one that is down on the second. Each item is a number and a letter: s to a switch, g0 to g3 to a GPU, d down, e
// to a switch with a replay each time that somebody asks, m to a switch without memory accesses between GPUs, u to what
// nobody tells, f to a switch and down from the second look on. A '-' in front: an old driver, which tells addresses
// and no kinds of ends.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {
constexpr unsigned kMostLinks = 18;
struct Gpu {
  unsigned readings = 0;
  unsigned long long errors = 0;
  unsigned long long replays[kMostLinks] = {};
  unsigned looks[kMostLinks] = {};
} gpus[4];
constexpr int kSuccess = 0, kInvalid = 2, kNotSupported = 3, kNotFound = 6,
              kInsufficientSize = 7;        // NVML_SUCCESS, NVML_ERROR_INVALID_ARGUMENT, _NOT_SUPPORTED,
                                            // _NOT_FOUND, _INSUFFICIENT_SIZE
constexpr int kEndGpu = 0, kEndSwitch = 2;  // nvmlIntNvLinkDeviceType_t

struct PciInfo {  // nvmlPciInfo_t
  char legacy[16];
  unsigned domain, bus, device, id, subsystem;
  char address[32];
};

// The letter of a link, and the GPU that it leads to; 0: there is no such link.
char link_of(const Gpu* gpu, unsigned number, unsigned& target) {
  const char* at = std::getenv("FAKE_NVLINK");
  if (!at) return 0;
  if (*at == '-') ++at;
  for (const Gpu* g = gpus; at && g != gpu; ++g)
    if ((at = std::strchr(at, ';'))) ++at;
  for (unsigned first = 0; at && *at && *at != ';';) {
    char* letter = nullptr;
    const auto count = static_cast<unsigned>(std::strtoul(at, &letter, 10));
    const char kind = *letter++;
    if (kind == 'g') target = static_cast<unsigned>(*letter++ - '0');
    if (number < first + count) return kind;
    first += count;
    at = *letter == ',' ? letter + 1 : letter;
  }
  return 0;
}
bool is_old() {
  const char* const text = std::getenv("FAKE_NVLINK");
  return text && *text == '-';
}
void write_address(PciInfo* info, unsigned bus) {
  std::snprintf(info->address, sizeof info->address, "00000000:%02X:00.0", bus);
}
constexpr unsigned kFirstBus = 0x1A, kSwitchBus = 0xC0;
// Who computes on the first GPU: FAKE_NVML_USER is the number of a process, or "self", or "sibling" (another child of
// the same parent: another rank), or "many" (from number 5001 on), or a number behind "mps " of a client of MPS; then
// the server of MPS, number 99, is in the other list.
struct ProcessInfo {  // nvmlProcessInfo_t
  unsigned process;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};
// Drivers 535.43 to 535.86 write these where everybody expects the others.
struct LongProcessInfo : ProcessInfo {
  unsigned long long protected_bytes;
};
constexpr unsigned kServer = 99, kMany = 300;
unsigned sibling() {
  for (const auto& at : std::filesystem::directory_iterator("/proc")) {
    const auto number = static_cast<unsigned>(std::atoi(at.path().filename().c_str()));
    std::ifstream file(at.path() / "stat");
    std::string text(std::istreambuf_iterator<char>(file), {});
    text.erase(0, text.rfind(')') + 1);  // " S 4711 …": state, parent
    if (number > 0 && number != static_cast<unsigned>(::getpid()) && text.size() > 3 &&
        std::atoi(text.c_str() + 3) == ::getppid())
      return number;
  }
  return 1;
}
template <class Info>
int list_users(const Gpu* gpu, bool of_mps, unsigned* count, Info* infos) {
  const char* const user = std::getenv("FAKE_NVML_USER");
  const bool mps = user && std::strncmp(user, "mps ", 4) == 0;
  const unsigned room = *count;
  *count = user && gpu == &gpus[0] && (mps || !of_mps) ? std::strcmp(user, "many") == 0 ? kMany : 1 : 0;
  if (*count > room) return kInsufficientSize;
  for (unsigned i = 0; i < *count; ++i) {
    const unsigned number = mps ? (of_mps ? static_cast<unsigned>(std::atoi(user + 4)) : kServer)
                            : std::strcmp(user, "sibling") == 0 ? sibling()
                            : std::strcmp(user, "self") == 0    ? static_cast<unsigned>(::getpid())
                            : *count > 1                        ? 5001 + i
                                                                : static_cast<unsigned>(std::atoi(user));
    infos[i] = {};
    infos[i].process = number;
    infos[i].bytes = 512ull << 20;
  }
  return kSuccess;
}
}  // namespace

extern "C" {
// FAKE_NVML_HANGS: what never answers, "init" or "handle".
void hang_at(const char* where) {
  const char* const wish = std::getenv("FAKE_NVML_HANGS");
  while (wish && std::strcmp(wish, where) == 0) ::pause();
}
int nvmlInit_v2() {
  hang_at("init");
  return kSuccess;
}
int nvmlShutdown() { return kSuccess; }
int nvmlDeviceGetHandleByUUID(const char* uuid, Gpu** device) {
  hang_at("handle");
  const char number = uuid[std::strlen(uuid) - 1];  // of "GPU-1", and of a whole one that ends so
  // FAKE_NVML_SLICES: what is there are slices.
  if (std::strncmp(uuid, std::getenv("FAKE_NVML_SLICES") ? "MIG-" : "GPU-", 4) != 0 || number < '1' || number > '4')
    return kNotFound;
  *device = &gpus[number - '1'];
  return kSuccess;
}
int nvmlDeviceGetClockInfo(Gpu* gpu, int kind, unsigned* mhz) {
  if (kind != 1) return kNotFound;
  *mhz = gpu == &gpus[0] ? 1980 : 1500;
  return kSuccess;
}
int nvmlDeviceGetTemperature(Gpu* gpu, int sensor, unsigned* celsius) {
  if (sensor != 0) return kNotFound;
  *celsius = gpu == &gpus[0] || std::getenv("FAKE_NVML_COOL") ? 60 : 80 + gpu->readings++;
  return kSuccess;
}
int nvmlDeviceGetPowerUsage(Gpu*, unsigned* milliwatts) {
  *milliwatts = 650500;
  return kSuccess;
}
// Before driver 535 under this name only.
int nvmlDeviceGetCurrentClocksThrottleReasons(Gpu* gpu, unsigned long long* reasons) {
  *reasons = gpu == &gpus[0] ? 0x4 : gpu->readings > 5 ? 0x44 : 0x4;
  return kSuccess;
}
int nvmlDeviceGetTotalEccErrors(Gpu* gpu, int kind, int counter, unsigned long long* count) {
  if (counter != 0) return kNotFound;
  if (kind == 0)
    *count = gpu == &gpus[1] ? gpu->errors++ : 0;
  else
    *count = gpu->readings > 6 ? 2 : 0;
  return kSuccess;
}
int nvmlDeviceGetPciInfo_v3(Gpu* gpu, PciInfo* info) {
  write_address(info, kFirstBus + static_cast<unsigned>(gpu - gpus));
  return kSuccess;
}
int nvmlDeviceGetNvLinkState(Gpu* gpu, unsigned link, int* active) {
  unsigned target = 0;
  const char kind = link_of(gpu, link, target);
  if (kind == 0) return link < kMostLinks ? kNotSupported : kInvalid;
  *active = kind != 'd' && !(kind == 'f' && gpu->looks[link]++ > 0);
  return kSuccess;
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(Gpu* gpu, unsigned link, PciInfo* info) {
  unsigned target = 0;
  const char kind = link_of(gpu, link, target);
  if (kind == 'u') return kNotSupported;
  write_address(info, kind == 'g' ? kFirstBus + target : kSwitchBus);
  return kSuccess;
}
int nvmlDeviceGetNvLinkRemoteDeviceType(Gpu* gpu, unsigned link, int* type) {
  unsigned target = 0;
  const char kind = link_of(gpu, link, target);
  if (kind == 'u' || is_old()) return kNotSupported;
  *type = kind == 'g' ? kEndGpu : kEndSwitch;
  return kSuccess;
}
int nvmlDeviceGetNvLinkCapability(Gpu* gpu, unsigned link, int capability, unsigned* has) {
  unsigned target = 0;
  if (capability != 0) return kInvalid;
  *has = link_of(gpu, link, target) != 'm';
  return kSuccess;
}
// The fifth counter is one that this driver does not have.
int nvmlDeviceGetNvLinkErrorCounter(Gpu* gpu, unsigned link, int counter, unsigned long long* count) {
  unsigned target = 0;
  if (counter > 3) return kNotSupported;
  *count = counter == 0 && link_of(gpu, link, target) == 'e' ? 40 + gpu->replays[link]++ : 3;
  return kSuccess;
}
int nvmlDeviceGetEnforcedPowerLimit(Gpu*, unsigned* milliwatts) {
  *milliwatts = 700000;
  return kSuccess;
}
int nvmlDeviceGetComputeRunningProcesses_v2(Gpu* gpu, unsigned* count, ProcessInfo* infos) {
  return list_users(gpu, false, count, infos);
}
int nvmlDeviceGetComputeRunningProcesses_v3(Gpu* gpu, unsigned* count, LongProcessInfo* infos) {
  return list_users(gpu, false, count, infos);
}
int nvmlDeviceGetMPSComputeRunningProcesses_v2(Gpu* gpu, unsigned* count, ProcessInfo* infos) {
  return list_users(gpu, true, count, infos);
}
int nvmlSystemGetProcessName(unsigned process, char* name, unsigned length) {
  if (process != kServer && process != 4711) return kNotFound;
  std::snprintf(name, length, "%s", process == kServer ? "nvidia-cuda-mps-server" : "/usr/bin/python3 train.py");
  return kSuccess;
}
// The third has had rows replaced, and one waits; the others have none, the fourth is too old for it.
int nvmlDeviceGetRemappedRows(Gpu* gpu, unsigned* corrected, unsigned* uncorrected, unsigned* pending,
                              unsigned* failed) {
  if (gpu == &gpus[3]) return kNotSupported;
  *corrected = *failed = 0;
  *uncorrected = *pending = gpu == &gpus[2] ? 1 : 0;
  return kSuccess;
}
}
