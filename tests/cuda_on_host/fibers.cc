// A grid on one OS thread. A fiber runs one thread of a block after another, as long as none of them stops; at a
// barrier, and now and then at an atomic operation, another fiber goes on. So a grid without barriers needs few fibers,
// and each interleaving follows from the seed.
//
// ThreadSanitizer takes fibers for threads (its fiber interface): two threads of a grid that ran on different fibers
// and touch the same word without order are a race to it. Only the begin and the end of a grid and barriers order
// anything; in a grid with barriers the blocks, too, which share the words of their shared memory here.
#include <dlfcn.h>
#include <ucontext.h>

#include <algorithm>
#include <numeric>

#include "cuda_on_host/emulation.h"
#include "cuda_on_host/sanitizers.h"

namespace clusterc::emulation {
namespace {

constexpr std::size_t kStack = 256u << 10;
constexpr unsigned kFewFibers = 6;          // among which the threads of a block are spread
constexpr std::uint64_t kTurns = 1u << 15;  // of fibers in a grid, under ThreadSanitizer
constexpr unsigned kSwitches = 4;           // an atomic operation in so many lets another fiber go on
enum class State { idle, ready, waiting };

// The C library's own: AddressSanitizer puts a warning in front of it, which does not know that fibers tell it of their
// stacks.
const auto swap_contexts = reinterpret_cast<int (*)(ucontext_t*, const ucontext_t*)>(
    dlsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "swapcontext"));

struct Fiber {
  ucontext_t context{};
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(kStack);
  void *of_tsan = nullptr, *fake_stack = nullptr;
  State state = State::idle;
  Indices indices;
};

class Team {
 public:
  void run(dim3 blocks, dim3 threads, const std::function<void()>& thread, std::mt19937_64& random) {
    random_ = &random;
    thread_ = &thread;
    blocks_ = blocks;
    threads_ = threads;
    size_ = threads.x * threads.y * threads.z;
    order_.resize(size_);
    std::iota(order_.begin(), order_.end(), 0u);
    std::vector<std::uint64_t> order(std::uint64_t{blocks.x} * blocks.y * blocks.z);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    barriers_ = false;
    spread_ = std::max<std::uint64_t>(2, order.size() * size_ / kTurns);
    host_ = tsan_current();
    tsan_release(this);
    for (const std::uint64_t b : order) {
      block_ = {static_cast<unsigned>(b % blocks.x), static_cast<unsigned>(b / blocks.x % blocks.y),
                static_cast<unsigned>(b / blocks.x / blocks.y)};
      run_block();
      if (!barriers_) continue;
      tsan_acquire(&end_);
      tsan_release(this);
    }
    tsan_acquire(&end_);
  }

  const Indices& indices() const {
    if (!running_) end("threadIdx was read outside of a kernel");
    return running_->indices;
  }
  void barrier() {
    if (!running_) end("__syncthreads() outside of a kernel");
    running_->state = State::waiting;
    barriers_ = true;
    tsan_release(&barrier_);
    leave();
    tsan_acquire(&barrier_);
  }
  void may_switch() {
    if (running_ && (*random_)() % kSwitches == 0) leave();
  }

 private:
  static void main_of_fiber() {
    team().arrived(nullptr);
    team().work();
  }
  // The threads that nobody has begun, one after another; under ThreadSanitizer few of them, so that all fibers get
  // some.
  void work() {
    Fiber& self = *running_;
    for (;;) {
      tsan_acquire(this);
      while (next_ < size_) {
        const unsigned t = order_[next_++];
        self.indices = {.thread = {t % threads_.x, t / threads_.x % threads_.y, t / (threads_.x * threads_.y)},
                        .block = block_,
                        .threads = threads_,
                        .blocks = blocks_};
        (*thread_)();
        ++finished_;
        if (under_tsan() && (*random_)() % spread_ == 0) break;
      }
      tsan_release(&end_);
      self.state = State::idle;
      leave();
    }
  }

  // To the scheduler, and back when it is this fiber's turn.
  void leave() {
    Fiber& self = *running_;
    start_switch(&self.fake_stack, host_stack_, host_size_);
    tsan_switch(host_);
    swap_contexts(&self.context, &scheduler_);
    arrived(self.fake_stack);
  }
  void arrived(void* fake) { finish_switch(fake, &host_stack_, &host_size_); }  // on a fiber, from the host's stack
  void go_on(Fiber& fiber) {
    running_ = &fiber;
    void* fake = nullptr;
    start_switch(&fake, fiber.stack.get(), kStack);
    tsan_switch(fiber.of_tsan);
    swap_contexts(&scheduler_, &fiber.context);
    finish_switch(fake);
    running_ = nullptr;
  }
  Fiber& fresh() {
    auto fiber = std::make_unique<Fiber>();
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack.get();
    fiber->context.uc_stack.ss_size = kStack;
    makecontext(&fiber->context, main_of_fiber, 0);
    fiber->of_tsan = tsan_fiber();
    fibers_.push_back(std::move(fiber));
    return *fibers_.back();
  }

  void run_block() {
    std::shuffle(order_.begin(), order_.end(), *random_);
    fill_shared(*random_);
    next_ = 0;
    finished_ = 0;
    while (finished_ < size_) {
      std::vector<Fiber*> able, idle;
      std::size_t waiting = 0;
      for (const auto& f : fibers_) {
        if (f->state == State::ready) able.push_back(f.get());
        if (f->state == State::idle) idle.push_back(f.get());
        waiting += f->state == State::waiting;
      }
      if (next_ < size_) {
        if (idle.empty() || fibers_.size() < kFewFibers) idle.push_back(&fresh());
        able.push_back(idle[(*random_)() % idle.size()]);
      }
      if (able.empty()) {
        if (finished_ > 0)
          end("a barrier was reached by " + std::to_string(waiting) + " of " + std::to_string(size_) +
              " threads of a block, the others have returned");
        for (const auto& f : fibers_)
          if (f->state == State::waiting) f->state = State::ready;
        continue;
      }
      Fiber& chosen = *able[(*random_)() % able.size()];
      chosen.state = State::ready;
      go_on(chosen);
    }
  }

 public:
  static Team& team() {
    static Team* const the_team = new Team;  // never destroyed: programs end in the middle of things
    return *the_team;
  }

 private:
  std::vector<std::unique_ptr<Fiber>> fibers_;
  Fiber* running_ = nullptr;
  ucontext_t scheduler_{};
  void* host_ = nullptr;
  const void* host_stack_ = nullptr;
  std::size_t host_size_ = 0;
  std::mt19937_64* random_ = nullptr;
  const std::function<void()>* thread_ = nullptr;
  dim3 blocks_, threads_;
  uint3 block_{};
  std::uint64_t spread_ = 2;
  unsigned size_ = 0, next_ = 0, finished_ = 0;
  std::vector<unsigned> order_;
  bool barriers_ = false;  // in this grid
  char barrier_ = 0, end_ = 0;
};

}  // namespace

const Indices& indices() { return Team::team().indices(); }
void barrier() { Team::team().barrier(); }
void may_switch() { Team::team().may_switch(); }
void run_grid(dim3 blocks, dim3 threads, const std::function<void()>& thread, std::mt19937_64& random) {
  Team::team().run(blocks, threads, thread, random);
}

}  // namespace clusterc::emulation
