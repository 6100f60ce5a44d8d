#ifdef CLUSTERC_CUDA
#include "harness/cublas_lt.h"

#include "base/format.h"
#include "harness/cuda_support.h"

namespace clusterc::harness {

CublasLt::CublasLt(std::initializer_list<const char*> names) {
  forget_emulation();
  std::string why;
  auto found = Library::open(names, why);
  if (!found) throw CouldNotRun(Cause::library_missing, why);
  library_ = std::make_unique<Library>(*found);
  const auto find = [&](auto*& function, const char* name) {
    function = library_->symbol<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name);
    if (!function) throw CouldNotRun(Cause::library_missing, format("'{}' lacks {}", library_->name(), name));
  };
  find(create, "cublasLtCreate");
  find(destroy, "cublasLtDestroy");
  find(version, "cublasLtGetVersion");
  find(make_product, "cublasLtMatmulDescCreate");
  find(drop_product, "cublasLtMatmulDescDestroy");
  find(set_product, "cublasLtMatmulDescSetAttribute");
  find(make_layout, "cublasLtMatrixLayoutCreate");
  find(drop_layout, "cublasLtMatrixLayoutDestroy");
  find(make_preference, "cublasLtMatmulPreferenceCreate");
  find(drop_preference, "cublasLtMatmulPreferenceDestroy");
  find(set_preference, "cublasLtMatmulPreferenceSetAttribute");
  find(propose, "cublasLtMatmulAlgoGetHeuristic");
  find(multiply, "cublasLtMatmul");
}

std::vector<std::pair<std::string, Parameter>> CublasLt::parameters() const {
  return {{"library", library_->name()}, {"library_version", std::uint64_t{version()}}};
}

std::shared_ptr<CublasLt> open_cublas_lt(std::initializer_list<const char*> names) {
  return std::make_shared<CublasLt>(names);
}

}  // namespace clusterc::harness
#endif
