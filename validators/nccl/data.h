// The data of a collective, made and compared on the GPU where it lies. Whatever the number of ranks, an element costs
// four random numbers at most; a check reads the result once. All work is queued on `stream`; counting waits for it.
// Builds with CUDA only.
#pragma once
#include <cuda_runtime_api.h>

#include "nccl/operation.h"
#include "nccl/types.h"

namespace clusterc::nccl {

// Elements [first, first + count) of what the rank of `shape` gives. `at` holds the first of them.
void make_given(void* at, Type, const Shape& shape, std::uint64_t seed, std::uint64_t first, std::uint64_t count,
                cudaStream_t stream);
// What no element of a result can be.
void make_poison(void* at, Type, std::uint64_t count, cudaStream_t stream);
// Compares elements [first, first + count) of what the rank of `shape` must get. `counters`: room on the device for two
// words of 64 bits, which are set when the stream comes to it. The first is the number
// of elements that were looked at, the second that of wrong ones.
void begin_check(const void* at, Type, const Shape& shape, std::uint64_t seed, std::uint64_t first, std::uint64_t count,
                 void* counters, cudaStream_t stream);

}  // namespace clusterc::nccl
