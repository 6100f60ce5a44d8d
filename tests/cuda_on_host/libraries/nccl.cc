// In the place of libnccl.so.2: collectives between processes of one host, through files in memory. A rank writes what
// it gives as a file that carries the number of the operation; each reads what it needs when all of it is there. So a
// rank that does not come leaves the others waiting in their streams, and none of them blocks.
//
// As NCCL it makes a communicator in the background (ncclInProgress at first), refuses two ranks on one GPU of one
// host, and wants Send and Recv of a group to match.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <nccl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cuda_on_host/libraries/queued.h"

struct ncclComm {
  std::filesystem::path folder;
  int rank = 0, ranks = 0;
  bool blocking = true, made = false, ended = false;
  int looks = 0;
  std::uint64_t operations = 0;
  ncclResult_t error = ncclSuccess;
};

namespace {
namespace fs = std::filesystem;
using clusterc::emulation::queued;

std::size_t bytes_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    default:
      return 8;
  }
}
template <class T>
void add_as(std::byte* to, const std::byte* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    T a{}, b{};
    std::memcpy(&a, to + i * sizeof(T), sizeof(T));
    std::memcpy(&b, from + i * sizeof(T), sizeof(T));
    if constexpr (std::is_same_v<T, __half>)
      a = __float2half(__half2float(a) + __half2float(b));
    else if constexpr (std::is_same_v<T, __nv_bfloat16>)
      a = __float2bfloat16(__bfloat162float(a) + __bfloat162float(b));
    else if constexpr (std::is_integral_v<T>)
      a = static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
      a = a + b;
    std::memcpy(to + i * sizeof(T), &a, sizeof(T));
  }
}
void add(ncclDataType_t type, std::byte* to, const std::byte* from, std::size_t count) {
  switch (type) {
    case ncclInt8:
      return add_as<std::int8_t>(to, from, count);
    case ncclInt32:
      return add_as<std::int32_t>(to, from, count);
    case ncclInt64:
      return add_as<std::int64_t>(to, from, count);
    case ncclUint64:
      return add_as<std::uint64_t>(to, from, count);
    case ncclFloat16:
      return add_as<__half>(to, from, count);
    case ncclBfloat16:
      return add_as<__nv_bfloat16>(to, from, count);
    case ncclFloat32:
      return add_as<float>(to, from, count);
    case ncclFloat64:
      return add_as<double>(to, from, count);
    default:
      std::fprintf(stderr, "emulated CUDA: fault: a sum of type %d\n", type);
      std::abort();
  }
}

// One message of an operation: of a rank to all (`to` -1) or to one.
struct Message {
  int from = 0, to = -1;
};
fs::path name_of(const ncclComm& comm, std::uint64_t operation, Message m) {
  return comm.folder / (std::to_string(operation) + "-" + std::to_string(m.from) + "-" + std::to_string(m.to));
}
void write_whole(const fs::path& path, const void* at, std::size_t bytes) {
  const fs::path part = path.string() + ".part";
  std::ofstream out(part, std::ios::binary);
  out.write(static_cast<const char*>(at), static_cast<std::streamsize>(bytes));
  out.close();
  if (!out) std::fprintf(stderr, "emulated CUDA: fault: '%s' cannot be written\n", part.c_str()), std::abort();
  fs::rename(part, path);
}
std::vector<std::byte> read_whole(const fs::path& path) {
  std::vector<std::byte> out(fs::file_size(path));
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  return out;
}

struct Out {
  Message message;
  const std::byte* at;
  std::size_t bytes;
};
struct In {
  Message message;
  std::byte* at;
  std::size_t bytes;
};
// Sends all, then waits for what it gets. What it sent in the operation before the last is removed: all ranks have
// begun the last one, and so have read it.
void operation(ncclComm* comm, cudaStream_t stream, std::vector<Out> out, std::vector<In> in,
               std::function<void(std::vector<std::vector<std::byte>>)> finish = {}) {
  const std::uint64_t number = comm->operations++;
  if (emulated_cuda_collective) emulated_cuda_collective(stream);
  bool sent = false;
  queued(stream, [=]() mutable {
    if (comm->ended) return true;
    if (!sent)
      for (const Out& o : out) write_whole(name_of(*comm, number, o.message), o.at, o.bytes);
    if (!sent)
      write_whole(comm->folder / ("begun-" + std::to_string(number) + "-" + std::to_string(comm->rank)), "", 0);
    sent = true;
    for (int r = 0; r < comm->ranks; ++r)
      if (!fs::exists(comm->folder / ("begun-" + std::to_string(number) + "-" + std::to_string(r)))) return false;
    for (const In& i : in)
      if (!fs::exists(name_of(*comm, number, i.message))) return false;
    std::vector<std::vector<std::byte>> got;
    for (const In& i : in) {
      got.push_back(read_whole(name_of(*comm, number, i.message)));
      if (got.back().size() != i.bytes) {
        std::fprintf(stderr, "emulated CUDA: fault: rank %d gets %zu B of rank %d and has room for %zu B\n", comm->rank,
                     got.back().size(), i.message.from, i.bytes);
        std::abort();
      }
      // EMULATED_NCCL_LOSES: from the second operation on the last byte of what a rank gets does not arrive.
      const std::size_t lost = number > 0 && i.bytes > 0 && std::getenv("EMULATED_NCCL_LOSES") ? 1 : 0;
      if (i.at) std::memcpy(i.at, got.back().data(), i.bytes - lost);
    }
    if (finish) finish(std::move(got));
    std::error_code ignored;
    if (number > 1)
      for (const auto& entry : fs::directory_iterator(comm->folder, ignored)) {
        const std::string name = entry.path().filename();
        const std::string before = std::to_string(number - 2) + "-" + std::to_string(comm->rank);
        if (name.starts_with(before + "-") || name == "begun-" + before) fs::remove(entry.path(), ignored);
      }
    return true;
  });
}

struct Group {
  bool open = false;
  ncclComm* comm = nullptr;
  cudaStream_t stream = nullptr;
  std::vector<Out> out;
  std::vector<In> in;
};
Group& group() {
  static Group the;
  return the;
}
ncclResult_t result_of(const ncclComm* comm) { return comm->blocking ? ncclSuccess : ncclInProgress; }
const std::byte* as_bytes(const void* at) { return static_cast<const std::byte*>(at); }
std::byte* as_bytes(void* at) { return static_cast<std::byte*>(at); }

// Who is there: each rank writes its host and its GPU.
ncclResult_t look_for_all(ncclComm* comm) {
  std::set<std::string> places;
  for (int r = 0; r < comm->ranks; ++r) {
    const fs::path there = comm->folder / ("rank-" + std::to_string(r));
    if (!fs::exists(there)) return ncclInProgress;
    const std::vector<std::byte> content = read_whole(there);
    places.emplace(reinterpret_cast<const char*>(content.data()), content.size());
  }
  if (places.size() < static_cast<std::size_t>(comm->ranks)) {
    std::fprintf(stderr, "emulated NCCL: two ranks of one host are on one GPU\n");
    return ncclInvalidUsage;
  }
  comm->made = true;
  return ncclSuccess;
}

}  // namespace

extern "C" {
ncclResult_t ncclGetVersion(int* version) { return *version = NCCL_VERSION_CODE, ncclSuccess; }
const char* ncclGetErrorString(ncclResult_t result) {
  return result == ncclInvalidUsage ? "invalid usage" : "an error of the emulation";
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  char name[] = "/dev/shm/clusterc-emulated-nccl-XXXXXX";
  if (!mkdtemp(name)) return ncclSystemError;
  static_assert(sizeof name <= sizeof id->internal);
  std::memcpy(id->internal, name, sizeof name);
  return ncclSuccess;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* out, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config) {
  if (rank < 0 || rank >= ranks) return ncclInvalidArgument;
  auto* const comm = new ncclComm;
  comm->folder = id.internal;
  comm->rank = rank;
  comm->ranks = ranks;
  comm->blocking = config->blocking != 0;
  int device = 0;
  char gpu[32] = {}, host[256] = {};
  cudaGetDevice(&device);
  cudaDeviceGetPCIBusId(gpu, sizeof gpu, device);
  gethostname(host, sizeof host - 1);
  const char* const wish = std::getenv("NCCL_HOSTID");
  const std::string place = std::string(wish ? wish : host) + " " + gpu;
  write_whole(comm->folder / ("rank-" + std::to_string(rank)), place.data(), place.size());
  *out = comm;
  if (!comm->blocking) return ncclInProgress;
  while ((comm->error = look_for_all(comm)) == ncclInProgress)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return comm->error;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  if (emulated_cuda_asked) emulated_cuda_asked("ncclCommGetAsyncError");
  if (!comm->made && comm->error == ncclSuccess) {
    const ncclResult_t now = look_for_all(comm);
    if (now != ncclInProgress) comm->error = now;
    return *state = now, ncclSuccess;
  }
  // Of a communicator that does not block a launch is in progress when it is looked at for the first time.
  *state = comm->error == ncclSuccess && !comm->blocking && comm->looks++ % 2 == 0 ? ncclInProgress : comm->error;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  comm->ended = true;
  std::error_code ignored;
  write_whole(comm->folder / ("gone-" + std::to_string(comm->rank)), "", 0);
  bool all = true;
  for (int r = 0; r < comm->ranks; ++r) all &= fs::exists(comm->folder / ("gone-" + std::to_string(r)));
  if (all) fs::remove_all(comm->folder, ignored);
  return ncclSuccess;  // the communicator itself stays: work in a stream may still look at it
}
ncclResult_t ncclGroupStart() { return group().open = true, ncclSuccess; }
ncclResult_t ncclGroupEnd() {
  Group g = std::move(group());
  group() = {};
  if (!g.comm) return ncclSuccess;
  operation(g.comm, g.stream, std::move(g.out), std::move(g.in));
  return result_of(g.comm);
}
ncclResult_t ncclSend(const void* at, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  if (!group().open || peer < 0 || peer >= comm->ranks) return ncclInvalidUsage;
  group().comm = comm;
  group().stream = stream;
  group().out.push_back({{comm->rank, peer}, as_bytes(at), count * bytes_of(type)});
  return result_of(comm);
}
ncclResult_t ncclRecv(void* at, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream) {
  if (!group().open || peer < 0 || peer >= comm->ranks) return ncclInvalidUsage;
  group().comm = comm;
  group().stream = stream;
  group().in.push_back({{peer, comm->rank}, as_bytes(at), count * bytes_of(type)});
  return result_of(comm);
}

ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  const std::size_t bytes = count * bytes_of(type);
  std::vector<In> in;
  for (int r = 0; r < comm->ranks; ++r)
    in.push_back({{r, -1}, as_bytes(to) + static_cast<std::size_t>(r) * bytes, bytes});
  operation(comm, stream, {{{comm->rank, -1}, as_bytes(from), bytes}}, std::move(in));
  return result_of(comm);
}
ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  const std::size_t bytes = count * bytes_of(type);
  std::vector<Out> out;
  if (comm->rank == root) out.push_back({{root, -1}, as_bytes(from), bytes});
  operation(comm, stream, std::move(out), {{{root, -1}, as_bytes(to), bytes}});
  return result_of(comm);
}
// Each gives all of its vector; the sum over the ranks, in their order, of [first, first + part) goes to `to`.
static ncclResult_t sum(const void* from, void* to, size_t count, size_t first, size_t part, ncclDataType_t type,
                        ncclRedOp_t how, bool gets, ncclComm_t comm, cudaStream_t stream) {
  if (how != ncclSum) return ncclInvalidArgument;
  const std::size_t width = bytes_of(type), bytes = count * width;
  std::vector<In> in;
  for (int r = 0; r < comm->ranks && gets; ++r) in.push_back({{r, -1}, nullptr, bytes});
  operation(comm, stream, {{{comm->rank, -1}, as_bytes(from), bytes}}, std::move(in),
            [=](std::vector<std::vector<std::byte>> all) {
              if (!gets) return;
              std::vector<std::byte> total(all[0].begin() + static_cast<std::ptrdiff_t>(first * width),
                                           all[0].begin() + static_cast<std::ptrdiff_t>((first + part) * width));
              for (std::size_t r = 1; r < all.size(); ++r) add(type, total.data(), all[r].data() + first * width, part);
              std::memcpy(to, total.data(), total.size());
            });
  return result_of(comm);
}
ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t how,
                           ncclComm_t comm, cudaStream_t stream) {
  return sum(from, to, count, 0, count, type, how, true, comm, stream);
}
ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t how, int root,
                        ncclComm_t comm, cudaStream_t stream) {
  return sum(from, to, count, 0, count, type, how, comm->rank == root, comm, stream);
}
ncclResult_t ncclReduceScatter(const void* from, void* to, size_t part, ncclDataType_t type, ncclRedOp_t how,
                               ncclComm_t comm, cudaStream_t stream) {
  const auto ranks = static_cast<std::size_t>(comm->ranks), rank = static_cast<std::size_t>(comm->rank);
  return sum(from, to, part * ranks, rank * part, part, type, how, true, comm, stream);
}
}
