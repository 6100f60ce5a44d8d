// An accelerator in this process's memory, as hostile as CUDA's rules allow: what a stream is given is done when somebody waits for it and no
// sooner, or, by a seed, any time before. An order that is not asked for by an event does not happen; what is read too early is NaN.
#pragma once
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>

#include "hpl/accelerator.h"
#include "harness/blas.h"

namespace clusterc::hpl {

class FakeAccelerator final : public Accelerator {
 public:
  // `seed` 0: always as late as it may be.
  FakeAccelerator(std::shared_ptr<harness::Blas> blas, std::uint64_t seed) : blas_(std::move(blas)), seed_(seed) {}

  harness::Device device() const override { return {.backend = harness::Backend::host, .label = "fake", .name = "a fake accelerator"}; }
  std::vector<std::pair<std::string, harness::Parameter>> parameters() const override { return {}; }

  double* allocate(Index count) override {
    arrays_.emplace_back(static_cast<std::size_t>(count), std::numeric_limits<double>::quiet_NaN());
    return arrays_.back().data();
  }
  Array host_memory(std::size_t count) override {
    Array out = hpl::allocate(count);
    std::fill(out.get(), out.get() + count, std::numeric_limits<double>::quiet_NaN());
    return out;
  }
  Event make_event() override {
    tickets_.push_back(0);
    return tickets_.size() - 1;
  }
  void record(Event event, Stream stream) override {
    const std::uint64_t ticket = ++last_ticket_;
    tickets_[event] = ticket;
    stream_of_[ticket] = stream;
    enqueue(stream, {.ticket = ticket});
  }
  void wait(Stream stream, Event event) override { enqueue(stream, {.awaited = tickets_.at(event)}); }
  void finish(Event event) override {
    // Others may be as far as they like.
    for (std::uint64_t turns = seed_ == 0 ? 0 : random() % 8; turns > 0; --turns) one_of(static_cast<Stream>(random() % kStreams));
    complete(tickets_.at(event));
  }
  double seconds_between(Event begin, Event end) override {
    if (pending(tickets_.at(begin)) || pending(tickets_.at(end))) throw std::logic_error("an event was read before it was done");
    return 1e-3;
  }

  void upload(Stream stream, double* to, const double* host, Index count) override { later(stream, [=] { std::copy(host, host + count, to); }); }
  void download(Stream stream, double* host, const double* from, Index count) override { later(stream, [=] { std::copy(from, from + count, host); }); }
  void run(Stream stream, const Work& work) override {
    later(stream, [work] {
      std::visit([](const auto& body) { for (Index i = body.count(); i-- > 0;) body(i); }, work);   // in no order that a kernel has
    });
  }
  void dtrsm(Stream stream, Index n, Index width, const double* l, Index ld_l, double* u, Index ld_u) override {
    later(stream, [=, this] {
      const int a = int(n), b = int(width), ll = int(ld_l), lu = int(ld_u);
      const double one = 1;
      blas_->dtrsm("R", "L", "T", "U", &a, &b, &one, l, &ll, u, &lu);
    });
  }
  void dgemm(Stream stream, Index n, Index rows, Index width, const double* u, Index ld_u, const double* l, Index ld_l, double* c, Index ld_c) override {
    later(stream, [=, this] {
      const int a = int(n), b = int(rows), k = int(width), lu = int(ld_u), ll = int(ld_l), lc = int(ld_c);
      const double one = 1, minus = -1;
      blas_->dgemm("N", "T", &a, &b, &k, &minus, u, &lu, l, &ll, &one, c, &lc);
    });
  }
  void dgemv(Stream stream, Index m, Index n, const double* a, Index ld_a, const double* x, double* y) override {
    later(stream, [=, this] {
      const int rows = int(m), columns = int(n), ld = int(ld_a), step = 1;
      const double one = 1, zero = 0;
      blas_->dgemv("T", &rows, &columns, &one, a, &ld, x, &step, &zero, y, &step);
    });
  }
  std::uint64_t left() const { return queues_[0].size() + queues_[1].size() + queues_[2].size(); }

 private:
  struct Entry {
    std::function<void()> work = {};
    std::uint64_t ticket = 0, awaited = 0;   // an event that is recorded, or waited for
  };
  void later(Stream stream, std::function<void()> work) { enqueue(stream, {.work = std::move(work)}); }
  void enqueue(Stream stream, Entry entry) { queues_[static_cast<std::size_t>(stream)].push_back(std::move(entry)); }
  bool pending(std::uint64_t ticket) const { return stream_of_.contains(ticket); }
  void one_of(Stream stream) {
    auto& queue = queues_[static_cast<std::size_t>(stream)];
    if (queue.empty()) return;
    const Entry entry = std::move(queue.front());
    queue.pop_front();
    if (entry.work) entry.work();
    else if (entry.ticket != 0) stream_of_.erase(entry.ticket);
    else complete(entry.awaited);
  }
  void complete(std::uint64_t ticket) {
    while (ticket != 0 && pending(ticket)) one_of(stream_of_.at(ticket));
  }
  std::uint64_t random() { return harness::random_bits(seed_, draws_++); }

  std::shared_ptr<harness::Blas> blas_;
  std::uint64_t seed_, draws_ = 0, last_ticket_ = 0;
  std::deque<std::vector<double>> arrays_;
  std::vector<std::uint64_t> tickets_;                 // of each event, its last; 0: never recorded
  std::map<std::uint64_t, Stream> stream_of_;          // of those that are not done
  std::deque<Entry> queues_[kStreams];
};

}  // namespace clusterc::hpl
