#include "harness/outcome.h"

#include <new>

namespace clusterc::harness {

std::string_view cause_text(Cause cause) {
  switch (cause) {
    case Cause::no_driver:
      return "no NVIDIA driver";
    case Cause::driver_too_old:
      return "driver too old";
    case Cause::no_gpu:
      return "no GPU";
    case Cause::no_device_code:
      return "no device code";
    case Cause::not_built:
      return "back end not built";
    case Cause::library_missing:
      return "library missing";
    case Cause::busy:
      return "busy";
    case Cause::no_memory:
      return "not enough memory";
    case Cause::timeout:
      return "timeout";
    case Cause::interrupted:
      return "interrupted";
    case Cause::device_error:
      return "device error";
    case Cause::communication:
      return "communication error";
    case Cause::program_missing:
      return "program missing";
    case Cause::no_space:
      return "no space left";
    case Cause::read_only:
      return "read-only file system";
    case Cause::not_applicable:
      return "not applicable";
    case Cause::system:
      return "system error";
  }
  return "unknown";
}

CouldNotRun as_could_not_run(const std::exception& e) {
  if (const auto* known = dynamic_cast<const CouldNotRun*>(&e)) return *known;
  if (dynamic_cast<const std::bad_alloc*>(&e)) return CouldNotRun(Cause::no_memory, "an allocation failed");
  return CouldNotRun(Cause::system, e.what());
}

}  // namespace clusterc::harness
