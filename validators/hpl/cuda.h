// The CUDA back end. Only in builds with CUDA.
#pragma once
#include <memory>

#include "harness/cuda_support.h"
#include "hpl/backend.h"
#include "hpl/mixed_part.h"

namespace clusterc::hpl {

std::unique_ptr<LocalPart> cuda_part(int gpu, std::shared_ptr<harness::Cublas>);
std::unique_ptr<MixedPart> mixed_cuda_part(int gpu, std::shared_ptr<harness::Cublas>);
double free_memory_of_gpu(int gpu);  // bytes

}  // namespace clusterc::hpl
