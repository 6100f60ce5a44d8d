#ifdef CLUSTERC_CUDA
#include "harness/cublas.h"

#include <cstdlib>

#include "base/format.h"
#include "harness/cuda_support.h"

namespace clusterc::harness {

void forget_emulation() {
  for (const char* wish :
       {"CUBLAS_EMULATE_DOUBLE_PRECISION", "CUBLAS_EMULATE_SINGLE_PRECISION", "NVIDIA_TF32_OVERRIDE"})
    ::unsetenv(wish);
}

Cublas::Cublas(std::initializer_list<const char*> names) {
  forget_emulation();
  std::string why;
  auto found = Library::open(names, why);
  if (!found) throw CouldNotRun(Cause::library_missing, why);
  library_ = std::make_unique<Library>(*found);
  const auto find = [&](auto*& function, const char* name) {
    function = library_->symbol<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name);
    if (!function) throw CouldNotRun(Cause::library_missing, format("'{}' lacks {}", library_->name(), name));
  };
  find(create, "cublasCreate_v2");
  find(destroy, "cublasDestroy_v2");
  find(version, "cublasGetVersion_v2");
  find(set_stream, "cublasSetStream_v2");
  find(gemm, "cublasGemmEx");
  find(dgemm, "cublasDgemm_v2");
  find(dtrsm, "cublasDtrsm_v2");
  find(strsm, "cublasStrsm_v2");
  find(dgemv, "cublasDgemv_v2");
  find(sgemv, "cublasSgemv_v2");
}

std::vector<std::pair<std::string, Parameter>> Cublas::parameters(cublasHandle_t handle) const {
  int number = 0;
  version(handle, &number);
  return {{"library", library_->name()}, {"library_version", std::uint64_t{static_cast<unsigned>(number)}}};
}

std::shared_ptr<Cublas> open_cublas(std::initializer_list<const char*> names) {
  return std::make_shared<Cublas>(names);
}

void cublas_check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw CouldNotRun(status == CUBLAS_STATUS_ALLOC_FAILED ? Cause::no_memory : Cause::device_error,
                      format("{}: cuBLAS status {}", what, static_cast<int>(status)));
}

}  // namespace clusterc::harness
#endif
