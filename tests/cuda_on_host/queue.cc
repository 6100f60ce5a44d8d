// Streams and events. Work that is asked for is written down with what must be done before it: the work before it in
// its stream, the events that its stream waits for, and between the default stream and the blocking streams of a device
// all that was asked for before. It runs when the host waits: for the rest of its queue a real GPU may be as late.
// Which of the pieces that may run goes first, and whether pieces run that nobody waits for, follows from the seed:
// seeds are even (the newest first, only what must) or odd (any, and others with them).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <set>
#include <thread>

#include "cuda_on_host/emulation.h"

namespace clusterc::emulation {
namespace {

constexpr std::size_t kMostPending = 512;  // as a launch waits on a GPU whose queue is full

struct Stream {
  int device = 0;
  bool non_blocking = false;
  Ticket last;
};
struct Work {
  std::function<bool()> step;
  std::vector<Ticket> before;
  std::vector<int> devices;
  Ticket ticket;
};
struct Queue {
  std::vector<std::unique_ptr<Work>> pending;  // in the order of the asking
  std::map<const void*, Stream> streams;       // those that were made
  std::map<int, Stream> defaults;
  std::mt19937_64 random;
  bool adversary = false, running = false;
  double seconds = 0;  // that a kernel or a copy takes at least

  Queue() {
    const char* const wish = std::getenv("EMULATED_CUDA_SEED");
    const std::uint64_t seed = wish ? std::strtoull(wish, nullptr, 10) : 1;
    begin(seed);
  }
  void begin(std::uint64_t seed) {
    random.seed(seed);
    adversary = seed % 2 == 0;
  }
};
Queue& queue() {
  static Queue* const the = new Queue;
  return *the;
}

Stream& find(cudaStream_t stream) {
  Queue& q = queue();
  if (!stream) {
    Stream& s = q.defaults[current_device()];
    s.device = current_device();
    return s;
  }
  const auto found = q.streams.find(stream);
  if (found == q.streams.end()) end("fault: work in a stream that is none, or was destroyed");
  return found->second;
}

bool can_run(const Work& work) {
  return std::all_of(work.before.begin(), work.before.end(), [](const Ticket& t) { return t->done; });
}

bool run(std::size_t index) {
  Queue& q = queue();
  Work& work = *q.pending[index];
  q.running = true;
  bool finished = false;
  {
    const Open open(work.devices, true);
    finished = work.step();
  }
  q.running = false;
  if (!finished) return false;
  work.ticket->done = true;
  work.ticket->at = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  ++counts().work;
  q.pending.erase(q.pending.begin() + static_cast<std::ptrdiff_t>(index));
  return true;
}

// The pieces that must be done for this one, and it.
std::set<const Done*> needed_for(const Ticket& ticket) {
  const Queue& q = queue();
  std::set<const Done*> out{ticket.get()};
  for (auto work = q.pending.rbegin(); work != q.pending.rend(); ++work)
    if (out.contains((*work)->ticket.get()))
      for (const Ticket& before : (*work)->before)
        if (!before->done) out.insert(before.get());
  return out;
}

// Runs one piece; false: none that may run can be done yet.
bool advance(const Ticket& ticket) {
  Queue& q = queue();
  const std::set<const Done*> needed = needed_for(ticket);
  const bool any = !q.adversary && q.random() % 2 == 0;
  std::vector<std::size_t> able;
  for (std::size_t i = 0; i < q.pending.size(); ++i)
    if (can_run(*q.pending[i]) && (any || needed.contains(q.pending[i]->ticket.get()))) able.push_back(i);
  if (q.adversary)
    std::reverse(able.begin(), able.end());
  else
    std::shuffle(able.begin(), able.end(), q.random);
  for (const std::size_t index : able)
    if (run(index)) return true;
  if (able.empty() && !any) end("fault: a wait that nothing can end");
  return false;
}

}  // namespace

namespace {
struct Timed {
  std::thread::id thread;
  bool began = false;  // a collective has followed the event
};
std::map<cudaStream_t, Timed>& timed() {
  static std::map<cudaStream_t, Timed> all;
  return all;
}
}  // namespace

void event_recorded(cudaStream_t stream) {
  const auto found = timed().find(stream);
  if (found != timed().end() && found->second.began)
    timed().erase(found);
  else
    timed()[stream] = {std::this_thread::get_id()};
}
void collective_queued(cudaStream_t stream) {
  const auto found = timed().find(stream);
  if (found == timed().end()) return;
  found->second.began = true;
  if (found->second.thread != std::this_thread::get_id())
    end("fault: a collective was queued by another thread than the event before it");
}
void asked(const char* function) {
  for (const auto& [stream, one] : timed())
    if (one.began) end(std::string("fault: ") + function + " between the events of a measurement");
}

std::mt19937_64& random_numbers() { return queue().random; }
void begin_again(std::uint64_t seed) { queue().begin(seed); }
void last_at_least(double seconds) { queue().seconds = seconds; }
void take_time() {
  if (queue().seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(queue().seconds));
}

Ticket enqueue(cudaStream_t stream, std::function<bool()> step, std::vector<int> devices) {
  Queue& q = queue();
  Stream& s = find(stream);
  auto work = std::make_unique<Work>();
  work->step = std::move(step);
  work->ticket = std::make_shared<Done>();
  work->devices = std::move(devices);
  work->devices.push_back(s.device);
  const auto after = [&](const Ticket& t) {
    if (t && !t->done) work->before.push_back(t);
  };
  after(s.last);
  if (!stream) {
    for (const auto& [name, other] : q.streams)
      if (other.device == s.device && !other.non_blocking) after(other.last);
  } else if (!s.non_blocking) {
    after(q.defaults[s.device].last);
  }
  const Ticket ticket = s.last = work->ticket;
  q.pending.push_back(std::move(work));
  if (q.pending.size() > kMostPending && !q.running) wait_for(q.pending.front()->ticket);
  return ticket;
}

void wait_for(const Ticket& ticket) {
  while (ticket && !ticket->done)
    if (!advance(ticket)) std::this_thread::sleep_for(std::chrono::microseconds(50));
}
// A GPU may need a while for what is short: now and then nothing runs.
bool poll(const Ticket& ticket) {
  while (ticket && !ticket->done) {
    if (queue().random() % 4 == 0) return false;
    if (!advance(ticket)) return false;
  }
  return true;
}

Ticket last_of(cudaStream_t stream) { return find(stream).last; }
void wait_on(cudaStream_t stream, const Ticket& ticket) {
  Stream& s = find(stream);
  if (ticket->done) return;
  // A piece of the stream that does nothing, after both.
  auto work = std::make_unique<Work>();
  work->step = [] { return true; };
  work->ticket = std::make_shared<Done>();
  work->before = {ticket};
  if (s.last && !s.last->done) work->before.push_back(s.last);
  s.last = work->ticket;
  queue().pending.push_back(std::move(work));
}

void wait_for_device(int device) {
  Queue& q = queue();
  std::vector<Ticket> all;
  for (const auto& [name, stream] : q.streams)
    if (stream.device == device) all.push_back(stream.last);
  all.push_back(q.defaults[device].last);
  std::shuffle(all.begin(), all.end(), q.random);
  for (const Ticket& ticket : all) wait_for(ticket);
}

cudaStream_t new_stream(bool non_blocking) {
  auto* const name = new char;
  queue().streams[name] = {.device = current_device(), .non_blocking = non_blocking, .last = {}};
  return reinterpret_cast<cudaStream_t>(name);
}
bool known_stream(cudaStream_t stream) { return !stream || queue().streams.contains(stream); }
int device_of(cudaStream_t stream) { return find(stream).device; }
void drop_stream(cudaStream_t stream) {
  wait_for(find(stream).last);  // it returns at once on a GPU, and the work is done all the same
  queue().streams.erase(stream);
  delete reinterpret_cast<char*>(stream);
}

}  // namespace clusterc::emulation
