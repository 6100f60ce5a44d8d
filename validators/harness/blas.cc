#include "harness/blas.h"

#include <algorithm>

#include "base/format.h"
#include "harness/machine.h"

namespace clusterc::harness {

Blas::Blas(unsigned threads) {
  std::string why;
  // The reference BLAS may stand behind libblas.so.3, so it is asked last.
  auto found =
      Library::open({"libopenblas.so.0", "libmkl_rt.so.2", "libmkl_rt.so", "libblis.so.4", "libblas.so.3"}, why);
  if (!found) throw CouldNotRun(Cause::library_missing, why);
  library_ = std::make_unique<Library>(*found);
  const auto find = [&](auto*& function, const char* name) {
    function = library_->symbol<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name);
    if (!function) throw CouldNotRun(Cause::library_missing, format("'{}' lacks {}", library_->name(), name));
  };
  find(dgemm, "dgemm_");
  find(sgemm, "sgemm_");
  find(dtrsm, "dtrsm_");
  find(strsm, "strsm_");
  find(dgemv, "dgemv_");
  find(sgemv, "sgemv_");
  for (const NumaNode& node : numa_nodes(allowed_cpus())) cores_ += static_cast<unsigned>(node.cpus.size());
  threads_ = threads > 0 ? threads : cores_;
  if (auto* set = library_->symbol<void(int)>("openblas_set_num_threads"))
    set(static_cast<int>(threads_));
  else if (auto* mkl = library_->symbol<void(int)>("MKL_Set_Num_Threads"))
    mkl(static_cast<int>(threads_));
  else if (auto* blis = library_->symbol<void(long)>("bli_thread_set_num_threads"))
    blis(static_cast<long>(threads_));
  else
    threads_known_ = false;
  // Libraries have limits of their own (OpenBLAS 64 or 128 by how it was built): what is told is what they took.
  if (auto* of_openblas = library_->symbol<int()>("openblas_get_num_threads"))
    threads_ = static_cast<unsigned>(std::max(of_openblas(), 1));
  else if (auto* of_mkl = library_->symbol<int()>("MKL_Get_Max_Threads"))
    threads_ = static_cast<unsigned>(std::max(of_mkl(), 1));
  else if (auto* of_blis = library_->symbol<long()>("bli_thread_get_num_threads"))
    threads_ = static_cast<unsigned>(std::max(of_blis(), 1L));
  version_ = library_->name();
  if (auto* config = library_->symbol<const char*()>("openblas_get_config")) version_ = config();
  if (auto* core = library_->symbol<const char*()>("openblas_get_corename")) kernels_ = core();
}

std::vector<std::pair<std::string, Parameter>> Blas::parameters() const {
  std::vector<std::pair<std::string, Parameter>> out = {{"library", library_->name()}, {"library_version", version_}};
  if (!kernels_.empty()) out.emplace_back("library_kernels", kernels_);
  if (threads_known_) out.emplace_back("threads", std::uint64_t{threads_});
  return out;
}

}  // namespace clusterc::harness
