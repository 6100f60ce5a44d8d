// The CUDA back end: NCCL, found at run time, one GPU a rank, timed with device events on one stream. Compiled, never
// run on a GPU.
//
// A communicator that does not block (ncclConfig_t, `blocking`) launches each group in a thread of its own (NCCL 2.30,
// src/group.cc), and a stream may be used again only when a poll of it has said so: both would lie between the two
// events. So the communicator is of the usual kind, whose calls return when the work is queued, and the second event
// directly follows the collective. Nothing waits without a deadline: what waits for the stream asks NCCL for errors and
// `alive` whether the run is to end, and the guard of the rank (mpi/guard.h), a thread that makes no call of NCCL, ends
// the process where a call of NCCL does not return. The end of the process frees a kernel that spins for a rank that
// does not come.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <algorithm>
#include <cstdlib>

#include "base/format.h"
#include "harness/cuda_support.h"
#include "harness/fault.h"
#include "harness/library.h"
#include "mpi/gpus.h"
#include "nccl/backend.h"
#include "nccl/data.h"

namespace clusterc::nccl {
namespace {
using namespace harness;

// Every function that we call, under its own name.
#define CLUSTERC_NCCL_FUNCTIONS(each)                                                                          \
  each(GetVersion) each(GetUniqueId) each(CommInitRankConfig) each(CommGetAsyncError) each(CommAbort)          \
      each(GetErrorString) each(GroupStart) each(GroupEnd) each(AllReduce) each(AllGather) each(ReduceScatter) \
          each(Broadcast) each(Reduce) each(Send) each(Recv)
struct Functions {
  std::unique_ptr<Library> library;
#define CLUSTERC_DECLARE(name) decltype(::nccl##name)* name = nullptr;
  CLUSTERC_NCCL_FUNCTIONS(CLUSTERC_DECLARE)
#undef CLUSTERC_DECLARE

  Functions() {
    std::string why, missing;
    auto found = Library::open({"libnccl.so.2"}, why);
    if (!found) throw CouldNotRun(Cause::library_missing, why);
    library = std::make_unique<Library>(*found);
#define CLUSTERC_LOAD(name) \
  if (!(name = library->symbol<decltype(::nccl##name)>("nccl" #name))) missing = "nccl" #name;
    CLUSTERC_NCCL_FUNCTIONS(CLUSTERC_LOAD)
#undef CLUSTERC_LOAD
    if (!missing.empty()) throw CouldNotRun(Cause::library_missing, format("'{}' has no {}", library->name(), missing));
  }
};
#undef CLUSTERC_NCCL_FUNCTIONS

ncclDataType_t datatype(Type type) {
  switch (type) {
    case Type::float32:
      return ncclFloat32;
    case Type::float64:
      return ncclFloat64;
    case Type::int8:
      return ncclInt8;
    case Type::int32:
      return ncclInt32;
    case Type::int64:
      return ncclInt64;
    case Type::float16:
      return ncclFloat16;
    case Type::bfloat16:
      return ncclBfloat16;
  }
  return ncclFloat32;
}

class DeviceBytes {
 public:
  void resize(std::size_t bytes) {
    if (bytes <= size_) return;
    cudaFree(at_);
    at_ = nullptr;
    size_ = 0;
    cuda_check(cudaMalloc(&at_, bytes), "cudaMalloc");
    size_ = bytes;
  }
  ~DeviceBytes() { cudaFree(at_); }
  DeviceBytes() = default;
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  std::byte* at(std::size_t offset = 0) const { return static_cast<std::byte*>(at_) + offset; }

 private:
  void* at_ = nullptr;
  std::size_t size_ = 0;
};

class NcclTransport final : public Transport {
 public:
  NcclTransport(const mpi::Job& job, const Teams& teams, const Options& options, const std::function<void()>& alive)
      : teams_(teams), alive_(alive) {
    const std::vector<std::string> visible = visible_gpus();
    const mpi::GpuChoice choice = mpi::choose_gpu(job, visible);
    gpu_ = choice.gpu;
    mpi::refuse_used_gpu(job, options, gpu_, visible[static_cast<std::size_t>(gpu_)]);
    cuda_check(cudaSetDevice(gpu_), "cudaSetDevice");
    shared_ = choice.ranks > 1;
    // NCCL refuses two ranks of one host on one GPU; with host names of their own they talk through the network
    // transport. For tests of the logic alone: the figures say `gpus_shared` (NCCL's src/misc/utils.cc, getHostHash).
    if (shared_) {
      setenv("NCCL_HOSTID", format("clusterc-rank-{}", job.rank).c_str(), 0);
      for (const auto& [name, value] : {std::pair{"NCCL_P2P_DISABLE", "1"},
                                        {"NCCL_SHM_DISABLE", "1"},
                                        {"NCCL_NVLS_ENABLE", "0"},
                                        {"NCCL_MNNVL_ENABLE", "0"}})
        setenv(name, value, 0);
    }
    try {
      cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
      cuda_check(cudaEventCreate(&begin_), "cudaEventCreate");
      cuda_check(cudaEventCreate(&end_), "cudaEventCreate");
      connect();
    } catch (...) {
      release();
      throw;
    }
  }
  ~NcclTransport() override { release(); }

  Device device() const override {
    Device gpu = gpu_device(gpu_);
    gpu.label = "ranks";  // the figure is of all of them
    gpu.uuid.clear();
    return gpu;
  }
  bool has(Type) const override { return true; }
  // As nccl-tests: an exchange between neighbours or all needs two buffers.
  bool has(Collective c, bool in_place) const override {
    return !in_place || (c != Collective::sendrecv && c != Collective::all_to_all);
  }

  void prepare(const Shape& shape, Type type, bool in_place, std::uint64_t seed) override {
    shape_ = shape;
    type_of_elements_ = type;
    type_ = datatype(type);
    element_ = size_of(type);
    in_place_ = in_place;
    seed_ = seed;
    const std::size_t inputs = in_place ? 0 : shape.given();
    outputs_ = std::max({shape.got(), in_place ? shape.given() : 0, std::size_t{1}});
    input_.resize(std::max<std::size_t>(inputs, 1) * element_);
    output_.resize(outputs_ * element_);
    counters_.resize(2 * sizeof(std::uint64_t));
    make_given(input_.at(), type, shape, seed, 0, inputs, stream_);
    reset();
  }

  void reset() override {
    make_poison(output_.at(), type_of_elements_, outputs_, stream_);
    if (in_place_) make_given(output_.at(in_offset()), type_of_elements_, shape_, seed_, 0, shape_.given(), stream_);
    wait_for_stream("making the data");
  }

  double run(unsigned batch) override {
    cuda_check(cudaEventRecord(begin_, stream_), "cudaEventRecord");
    for (unsigned i = 0; i < batch; ++i) enqueue();
    cuda_check(cudaEventRecord(end_, stream_), "cudaEventRecord");
    wait_for_stream(facts_of(shape_.collective).name);
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return milliseconds * 1e-3 / batch;
  }

  Checked check_output(bool flip) override {
    if (shape_.got() == 0) return {};
    if (flip && kFaultBuild) {
      std::byte one{};
      std::byte* const at = output_.at(out_offset()) + shape_.got() / 2 * element_;
      cuda_check(cudaMemcpy(&one, at, 1, cudaMemcpyDeviceToHost), "cudaMemcpy");
      fault_flip_bit(&one, 0);
      // In our stream, which does not wait for the default one.
      cuda_check(cudaMemcpyAsync(at, &one, 1, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
    }
    begin_check(output_.at(out_offset()), type_of_elements_, shape_, seed_, 0, shape_.got(), counters_.at(), stream_);
    wait_for_stream("comparing a result");
    std::uint64_t counted[2] = {};
    cuda_check(cudaMemcpy(counted, counters_.at(), sizeof counted, cudaMemcpyDeviceToHost), "cudaMemcpy");
    if (counted[0] != shape_.got())
      throw CouldNotRun(Cause::device_error, format("a check looked at {} of {} elements", counted[0], shape_.got()));
    return {.elements = counted[0], .wrong = counted[1]};
  }

  std::vector<std::pair<std::string, Parameter>> parameters() const override {
    int version = 0;
    nccl_.GetVersion(&version);
    std::vector<std::pair<std::string, Parameter>> out = {{"transport", std::string("NCCL")},
                                                          {"library", nccl_.library->name()},
                                                          {"library_version", static_cast<std::uint64_t>(version)},
                                                          {"gpus_shared", shared_}};
    for (const char* name : {"NCCL_ALGO", "NCCL_PROTO", "NCCL_NET", "NCCL_IB_HCA"})
      if (const char* value = std::getenv(name)) out.emplace_back(name, std::string(value));
    return out;
  }

 private:
  void check(ncclResult_t result, const char* what) const {
    if (result != ncclSuccess)
      throw CouldNotRun(Cause::device_error, format("{}: {}", what, nccl_.GetErrorString(result)));
  }

  void wait_for_stream(std::string_view what) const {
    for (unsigned turns = 0;; ++turns) {
      const cudaError_t state = cudaStreamQuery(stream_);
      if (state == cudaSuccess) return;
      if (state != cudaErrorNotReady) cuda_check(state, "waiting for the stream");
      if (turns % 1024 != 1023) continue;
      ncclResult_t error = ncclSuccess;
      check(nccl_.CommGetAsyncError(comm_, &error), "ncclCommGetAsyncError");
      check(error, std::string(what).c_str());
      alive_();
    }
  }

  void connect() {
    ncclUniqueId id{};
    if (teams_.rank() == 0) check(nccl_.GetUniqueId(&id), "ncclGetUniqueId");
    mpi::check(MPI_Bcast(&id, sizeof id, MPI_CHAR, 0, teams_.comm()), "MPI_Bcast");
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    check(nccl_.CommInitRankConfig(&comm_, teams_.ranks(), id, teams_.rank(), &config), "ncclCommInitRankConfig");
  }

  std::size_t in_offset() const {
    return shape_.collective == Collective::all_gather ? shape_.rank * shape_.count * element_ : 0;
  }
  std::size_t out_offset() const {
    return in_place_ && shape_.collective == Collective::reduce_scatter ? shape_.rank * shape_.count * element_ : 0;
  }

  void enqueue() const {
    const std::size_t n = shape_.count;
    std::byte* const out = output_.at(out_offset());
    const std::byte* const in = in_place_ ? output_.at(in_offset()) : input_.at();
    switch (shape_.collective) {
      case Collective::all_reduce:
        check(nccl_.AllReduce(in, out, n, type_, ncclSum, comm_, stream_), "ncclAllReduce");
        break;
      case Collective::all_gather:
        check(nccl_.AllGather(in, out, n, type_, comm_, stream_), "ncclAllGather");
        break;
      case Collective::reduce_scatter:
        check(nccl_.ReduceScatter(in, out, n, type_, ncclSum, comm_, stream_), "ncclReduceScatter");
        break;
      case Collective::broadcast:
        check(nccl_.Broadcast(in, out, n, type_, 0, comm_, stream_), "ncclBroadcast");
        break;
      case Collective::reduce:
        check(nccl_.Reduce(in, out, n, type_, ncclSum, 0, comm_, stream_), "ncclReduce");
        break;
      case Collective::all_to_all:
        check(nccl_.GroupStart(), "ncclGroupStart");
        for (unsigned peer = 0; peer < shape_.ranks; ++peer) {
          check(nccl_.Send(in + peer * n * element_, n, type_, static_cast<int>(peer), comm_, stream_), "ncclSend");
          check(nccl_.Recv(out + peer * n * element_, n, type_, static_cast<int>(peer), comm_, stream_), "ncclRecv");
        }
        check(nccl_.GroupEnd(), "ncclGroupEnd");
        break;
      case Collective::sendrecv:
        check(nccl_.GroupStart(), "ncclGroupStart");
        check(nccl_.Send(in, n, type_, static_cast<int>(shape_.next()), comm_, stream_), "ncclSend");
        check(nccl_.Recv(out, n, type_, static_cast<int>(shape_.previous()), comm_, stream_), "ncclRecv");
        check(nccl_.GroupEnd(), "ncclGroupEnd");
        break;
    }
  }

  void release() {
    if (comm_) nccl_.CommAbort(comm_);  // also what ends a communicator that is well: nothing is under way
    if (begin_) cudaEventDestroy(begin_);
    if (end_) cudaEventDestroy(end_);
    if (stream_) cudaStreamDestroy(stream_);
  }

  Functions nccl_;
  const Teams& teams_;
  std::function<void()> alive_;
  int gpu_ = 0;
  bool shared_ = false;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  ncclComm_t comm_ = nullptr;
  Shape shape_;
  ncclDataType_t type_ = ncclFloat32;
  Type type_of_elements_ = Type::float32;
  std::size_t element_ = 1, outputs_ = 0;
  std::uint64_t seed_ = 0;
  bool in_place_ = false;
  DeviceBytes input_, output_, counters_;
};

}  // namespace

std::unique_ptr<Transport> open_nccl(const mpi::Job& job, const Teams& teams, const Options& options,
                                     const std::function<void()>& alive) {
  return std::make_unique<NcclTransport>(job, teams, options, alive);
}

}  // namespace clusterc::nccl
