// The table of cuBLASLt's functions that we call; open_cublas_lt() of cuda_support.h fills it. Only in builds with
// CUDA.
#pragma once
#include <cublasLt.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/cublas.h"
#include "harness/library.h"

namespace clusterc::harness {

class CublasLt {
 public:
  // Throws CouldNotRun(library_missing).
  explicit CublasLt(std::initializer_list<const char*> names);
  std::vector<std::pair<std::string, Parameter>> parameters() const;  // library and its version

  decltype(cublasLtCreate)* create = nullptr;
  decltype(cublasLtDestroy)* destroy = nullptr;
  decltype(cublasLtGetVersion)* version = nullptr;
  decltype(cublasLtMatmulDescCreate)* make_product = nullptr;
  decltype(cublasLtMatmulDescDestroy)* drop_product = nullptr;
  decltype(cublasLtMatmulDescSetAttribute)* set_product = nullptr;
  decltype(cublasLtMatrixLayoutCreate)* make_layout = nullptr;
  decltype(cublasLtMatrixLayoutDestroy)* drop_layout = nullptr;
  decltype(cublasLtMatmulPreferenceCreate)* make_preference = nullptr;
  decltype(cublasLtMatmulPreferenceDestroy)* drop_preference = nullptr;
  decltype(cublasLtMatmulPreferenceSetAttribute)* set_preference = nullptr;
  decltype(cublasLtMatmulAlgoGetHeuristic)* propose = nullptr;
  decltype(cublasLtMatmul)* multiply = nullptr;

 private:
  std::unique_ptr<Library> library_;
};

}  // namespace clusterc::harness
