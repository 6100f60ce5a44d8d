// In the place of libnvidia-ml.so.1, for tests alone: two GPUs, "GPU-1" and "GPU-2". The second gets hotter by 1 C with each reading, is held back by
// its heat from the sixth on, has a corrected memory error each time that somebody asks, and two that
// were not from the seventh reading on. Signatures as the NVML API reference has them.
#include <cstring>

namespace {
struct Gpu {
  unsigned readings = 0;
  unsigned long long errors = 0;
} gpus[2];
constexpr int kSuccess = 0, kNotFound = 6;   // NVML_SUCCESS, NVML_ERROR_NOT_FOUND
}  // namespace

extern "C" {
int nvmlInit_v2() { return kSuccess; }
int nvmlShutdown() { return kSuccess; }
int nvmlDeviceGetHandleByUUID(const char* uuid, Gpu** device) {
  if (std::strcmp(uuid, "GPU-1") == 0) *device = &gpus[0];
  else if (std::strcmp(uuid, "GPU-2") == 0) *device = &gpus[1];
  else return kNotFound;
  return kSuccess;
}
int nvmlDeviceGetClockInfo(Gpu* gpu, int kind, unsigned* mhz) {
  if (kind != 1) return kNotFound;
  *mhz = gpu == &gpus[0] ? 1980 : 1500;
  return kSuccess;
}
int nvmlDeviceGetTemperature(Gpu* gpu, int sensor, unsigned* celsius) {
  if (sensor != 0) return kNotFound;
  *celsius = gpu == &gpus[0] ? 60 : 80 + gpu->readings++;
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
  if (kind == 0) *count = gpu == &gpus[1] ? gpu->errors++ : 0;
  else *count = gpu->readings > 6 ? 2 : 0;
  return kSuccess;
}
}
