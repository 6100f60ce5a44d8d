// CUDA on the host, for tests: what device code, the runtime's functions and the libraries' stand-ins share.
//
//   fibers.cc    runs a grid: blocks in random order, the threads of a block as fibers in random order
//   queue.cc     streams and events: work runs when somebody waits for it, in a random order that the streams allow
//   memory.cc    the memories of the devices: apart from the host's, filled with noise, with guards around each piece
//   runtime.cc   the functions of the CUDA runtime
//
// All of it is one OS thread's work at a time and follows from EMULATED_CUDA_SEED (default 1).
#pragma once
#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace clusterc::emulation {

// A thread of a grid, as the code that it runs sees it.
struct Indices {
  uint3 thread{}, block{};
  dim3 threads, blocks;
};
const Indices& indices();  // of the thread that runs; ends the process where none does
void barrier();            // __syncthreads()
void may_switch();         // at an atomic operation: another thread of the block may go on

// Runs the grid to its end.
void run_grid(dim3 blocks, dim3 threads, const std::function<void()>& thread, std::mt19937_64& random);

// One piece of work in a stream. `step` does it and returns true; false: it cannot be done yet (other processes).
struct Done {
  bool done = false;
  double at = 0;  // seconds of the steady clock
};
using Ticket = std::shared_ptr<Done>;
Ticket enqueue(cudaStream_t stream, std::function<bool()> step, std::vector<int> devices = {});
void wait_for(const Ticket& ticket);  // runs what must run for it, and perhaps more
bool poll(const Ticket& ticket);      // may run work; true when it is done
Ticket last_of(cudaStream_t stream);  // of a stream's work; nullptr: it has none
void wait_for_device(int device);
void wait_on(cudaStream_t stream, const Ticket& ticket);
// A measurement of a collective: an event, the collective, an event, in one stream and one thread. What waits or asks
// between the two events would be part of the time.
void event_recorded(cudaStream_t stream);
void collective_queued(cudaStream_t stream);
void asked(const char* function);  // ends the process between the two
cudaStream_t new_stream(bool non_blocking);
bool known_stream(cudaStream_t stream);
int device_of(cudaStream_t stream);
void drop_stream(cudaStream_t stream);
std::mt19937_64& random_numbers();
void begin_again(std::uint64_t seed);  // for tests: as a process with this seed begins; nothing may be pending
void last_at_least(double seconds);    // for tests: each kernel and copy from here on
void take_time();                      // called by what a kernel or a copy does

// Memories. The host's own is `kHost`; pinned memory is the host's that was registered.
inline constexpr int kHost = -1;
int current_device();
void set_current_device(int device);
void* allocate(int device, std::size_t bytes);  // nullptr: no room
bool release(void* at);                         // false: not what allocate() gave
std::size_t room_left(int device);
int owner(const void* at);                             // a device, or kHost
bool within_one_piece(const void* at, std::size_t n);  // of a device's memory
std::vector<std::span<std::byte>> pieces(int device);  // in the order of the asking
void pin(const void* at, std::size_t bytes);
bool unpin(const void* at);
bool pinned(const void* at, std::size_t bytes);
bool reachable_by_kernels(const void* at);  // a device's, pinned, or null
void let_access(int device, int other);     // peer access
void end_access(int device, int other);
int accesses_of(int device);  // how many others it may access
bool may_access(int device, int other);

// The memories of these devices, and of the peers that they may access, can be touched while one of these lives.
class Open {
 public:
  explicit Open(const std::vector<int>& devices, bool with_peers = false);
  ~Open();
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;

 private:
  std::vector<int> opened_;
};

cudaError_t launch_kernel(const void* address, std::function<void()> thread, std::size_t argument_bytes, dim3 blocks,
                          dim3 threads, std::size_t shared, cudaStream_t stream);

// Wrong use that a GPU would not name, or not each time: said on standard error as "emulated CUDA: …".
void say(const std::string& text);
cudaError_t refuse(const std::string& text);  // says it; cudaErrorInvalidValue
[[noreturn]] void end(const std::string& text);

// What happened in this process, appended to the file that EMULATED_CUDA_REPORT names, when it ends.
struct Counts {
  std::uint64_t launches = 0, threads = 0, work = 0, allocations = 0, unwritten = 0, words = 0;
  std::vector<std::pair<std::size_t, std::size_t>>
      pieces;                                       // bytes, and words that were never written, if there are any
  std::map<std::uintptr_t, std::uint64_t> kernels;  // launches, by the distance of a kernel from the program's begin
};
Counts& counts();

}  // namespace clusterc::emulation

// For stand-ins of libraries, which are loaded later: queues `work(argument)`, which gives 1 when it is done and 0 when
// it has to be tried again.
extern "C" void emulated_cuda_asked(const char* function);
extern "C" void emulated_cuda_collective(cudaStream_t stream);
extern "C" void emulated_cuda_enqueue(cudaStream_t stream, int (*work)(void*), void* argument, void (*drop)(void*));
