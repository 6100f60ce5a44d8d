// What a device with memory of its own must do for hpl: arrays, copies, the work of device_work.h, and a few routines
// of a BLAS, each in a stream. Work of one stream is done in its order; between streams only events order anything.
// Every pointer is the device's unless it says host.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/report.h"
#include "hpl/device_work.h"
#include "hpl/memory.h"
#include "hpl/narrow.h"

namespace clusterc::hpl {

enum class Stream : std::uint8_t { compute, exchange, copy };
inline constexpr int kStreams = 3;

// A X = B with L of a square that holds L and U, or X A = B with its U.
enum class Triangle : std::uint8_t { unit_lower_from_the_left, upper_from_the_right };

using Work = std::variant<CopyRows, CopyBlock, ToColumns, CopyUpper, FillMatrix, FillSmall, PartialProducts, FillFloats,
                          CopyFloats, RoundBlock, FillRounded>;

class Accelerator {
 public:
  using Event = std::size_t;

  virtual ~Accelerator() = default;
  virtual harness::Device device() const = 0;
  virtual std::vector<std::pair<std::string, harness::Parameter>> parameters() const = 0;

  template <class T>
  T* allocate(Index count) {
    return static_cast<T*>(allocate_bytes(count * static_cast<Index>(sizeof(T))));
  }
  virtual Array host_memory(std::size_t count) = 0;  // that copies reach without a detour
  virtual Event make_event() = 0;
  virtual void record(Event, Stream) = 0;  // it stands for all work that the stream has now
  virtual void wait(
      Stream, Event) = 0;  // what the stream gets from here on comes after it; nothing where it was never recorded
  virtual void finish(Event) = 0;                    // returns when that is done
  virtual double seconds_between(Event, Event) = 0;  // both recorded in one stream, and done

  template <class T>
  void upload(Stream stream, T* to, const T* host, Index count) {
    upload_bytes(stream, to, host, count * static_cast<Index>(sizeof(T)));
  }  // `host` stays as it is until then
  template <class T>
  void download(Stream stream, T* host, const T* from, Index count) {
    download_bytes(stream, host, from, count * static_cast<Index>(sizeof(T)));
  }
  virtual void run(Stream, const Work&) = 0;

  // As the BLAS has them, all by columns: U := U L^-T with L (width x width) unit and lower, U n x width.
  virtual void dtrsm(Stream, Index n, Index width, const double* l, Index ld_l, double* u, Index ld_u) = 0;
  // C -= U L^T: C n x rows, U n x width, L rows x width.
  virtual void dgemm(Stream, Index n, Index rows, Index width, const double* u, Index ld_u, const double* l, Index ld_l,
                     double* c, Index ld_c) = 0;
  // y := A^T x, A m x n.
  virtual void dgemv(Stream, Index m, Index n, const double* a, Index ld_a, const double* x, double* y) = 0;

  // Of the mixed-precision mode. B := what solves it, m x n.
  virtual void strsm(Stream, Triangle, Index m, Index n, const float* square, Index ld_square, float* b,
                     Index ld_b) = 0;
  // C += factor A B: C m x n in FP32, A m x k and B k x n of the precision, sums in FP32.
  virtual void gemm(Stream, Precision, Index m, Index n, Index k, float factor, const void* a, Index ld_a,
                    const void* b, Index ld_b, float* c, Index ld_c) = 0;
  // y := A x, A m x n.
  virtual void sgemv(Stream, Index m, Index n, const float* a, Index ld_a, const float* x, float* y) = 0;

  virtual void* allocate_bytes(Index bytes) = 0;  // lives as long as this; throws CouldNotRun(no_memory)
  virtual void upload_bytes(Stream, void* to, const void* host, Index bytes) = 0;
  virtual void download_bytes(Stream, void* host, const void* from, Index bytes) = 0;
};

}  // namespace clusterc::hpl
