// The BLAS of the machine, found at run time through the Fortran names that all of them export.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/library.h"
#include "harness/report.h"

namespace clusterc::harness {

class Blas {
 public:
  template <class T>
  using Gemm = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                    const T*, const int*, const T*, T*, const int*);
  template <class T>
  using Trsm = void(const char*, const char*, const char*, const char*, const int*, const int*, const T*, const T*,
                    const int*, T*, const int*);
  template <class T>
  using Gemv = void(const char*, const int*, const int*, const T*, const T*, const int*, const T*, const int*, const T*,
                    T*, const int*);

  // `threads` of 0: one for each core that this process may use. Throws CouldNotRun(library_missing).
  explicit Blas(unsigned threads);

  unsigned cores() const { return cores_; }
  std::vector<std::pair<std::string, Parameter>> parameters() const;  // library, its version and kernels, threads

  Gemm<double>* dgemm = nullptr;
  Gemm<float>* sgemm = nullptr;
  Trsm<double>* dtrsm = nullptr;
  Trsm<float>* strsm = nullptr;
  Gemv<double>* dgemv = nullptr;
  Gemv<float>* sgemv = nullptr;

 private:
  std::unique_ptr<Library> library_;
  std::string version_, kernels_;
  unsigned cores_ = 0, threads_ = 0;
  bool threads_known_ = true;
};

}  // namespace clusterc::harness
