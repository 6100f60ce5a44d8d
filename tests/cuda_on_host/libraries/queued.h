// How a stand-in of a library puts work into a stream of the emulation, whose functions the program exports. In a
// program without the emulation (tests/fakes/cuda_host.cc) work is done at once.
#pragma once
#include <cuda_runtime_api.h>

#include <functional>

extern "C" [[gnu::weak]] void emulated_cuda_enqueue(cudaStream_t stream, int (*work)(void*), void* argument,
                                                    void (*drop)(void*));

extern "C" [[gnu::weak]] void emulated_cuda_asked(const char* function);
extern "C" [[gnu::weak]] void emulated_cuda_collective(cudaStream_t stream);

namespace clusterc::emulation {

// `work` returns true when it is done; false: it is tried again.
inline void queued(cudaStream_t stream, std::function<bool()> work) {
  using Function = std::function<bool()>;
  if (!emulated_cuda_enqueue) {
    while (!work()) {
    }
    return;
  }
  emulated_cuda_enqueue(
      stream, [](void* held) { return (*static_cast<Function*>(held))() ? 1 : 0; }, new Function(std::move(work)),
      [](void* held) { delete static_cast<Function*>(held); });
}

}  // namespace clusterc::emulation
