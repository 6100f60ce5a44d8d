// An accelerator in this process's memory, as hostile as CUDA's rules allow: what a stream is given is done when
// somebody waits for it and no sooner, or, by a seed, any time before. An order that is not asked for by an event does
// not happen; what is read too early is NaN.
#pragma once
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>

#include "harness/blas.h"
#include "hpl/accelerator.h"

namespace clusterc::hpl {

class FakeAccelerator final : public Accelerator {
 public:
  // `seed` 0: always as late as it may be.
  FakeAccelerator(std::shared_ptr<harness::Blas> blas, std::uint64_t seed) : blas_(std::move(blas)), seed_(seed) {}

  harness::Device device() const override {
    return {.backend = harness::Backend::host, .label = "fake", .name = "a fake accelerator"};
  }
  std::vector<std::pair<std::string, harness::Parameter>> parameters() const override { return {}; }

  void* allocate_bytes(Index bytes) override {
    arrays_.push_back(hpl::allocate(static_cast<std::size_t>(bytes + 7) / 8));
    std::memset(static_cast<void*>(arrays_.back().get()), 0xff,
                static_cast<std::size_t>(bytes));  // NaNs of every width
    return arrays_.back().get();
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
    for (std::uint64_t turns = seed_ == 0 ? 0 : random() % 8; turns > 0; --turns)
      one_of(static_cast<Stream>(random() % kStreams));
    complete(tickets_.at(event));
  }
  double seconds_between(Event begin, Event end) override {
    if (pending(tickets_.at(begin)) || pending(tickets_.at(end)))
      throw std::logic_error("an event was read before it was done");
    return 1e-3;
  }

  void upload_bytes(Stream stream, void* to, const void* host, Index bytes) override {
    later(stream, [=] { std::memcpy(to, host, static_cast<std::size_t>(bytes)); });
  }
  void download_bytes(Stream stream, void* host, const void* from, Index bytes) override {
    later(stream, [=] { std::memcpy(host, from, static_cast<std::size_t>(bytes)); });
  }
  void run(Stream stream, const Work& work) override {
    later(stream, [work] {
      std::visit(
          [](const auto& body) {
            for (Index i = body.count(); i-- > 0;) body(i);
          },
          work);  // in no order that a kernel has
    });
  }
  void dtrsm(Stream stream, Index n, Index width, const double* l, Index ld_l, double* u, Index ld_u) override {
    later(stream, [=, this] {
      const int a = int(n), b = int(width), ll = int(ld_l), lu = int(ld_u);
      const double one = 1;
      blas_->dtrsm("R", "L", "T", "U", &a, &b, &one, l, &ll, u, &lu);
    });
  }
  void dgemm(Stream stream, Index n, Index rows, Index width, const double* u, Index ld_u, const double* l, Index ld_l,
             double* c, Index ld_c) override {
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
  void strsm(Stream stream, Triangle triangle, Index m, Index n, const float* square, Index ld_square, float* b,
             Index ld_b) override {
    later(stream, [=, this] {
      const int rows = int(m), columns = int(n), ls = int(ld_square), lb = int(ld_b);
      const float one = 1;
      const bool left = triangle == Triangle::unit_lower_from_the_left;
      blas_->strsm(left ? "L" : "R", left ? "L" : "U", "N", left ? "U" : "N", &rows, &columns, &one, square, &ls, b,
                   &lb);
    });
  }
  // As a device multiplies: operands of the precision, which a product of two floats holds exactly, sums in FP32.
  void gemm(Stream stream, Precision precision, Index m, Index n, Index k, float factor, const void* a, Index ld_a,
            const void* b, Index ld_b, float* c, Index ld_c) override {
    later(stream, [=, this] {
      const auto floats = [&](const void* from, Index rows, Index columns, Index ld) {
        std::vector<float> out(static_cast<std::size_t>(rows * columns));
        for (Index j = 0; j < columns; ++j) {
          for (Index i = 0; i < rows; ++i)
            out[static_cast<std::size_t>(i + j * rows)] = load(from, precision, i + j * ld);
        }
        return out;
      };
      const std::vector<float> x = floats(a, m, k, ld_a), y = floats(b, k, n, ld_b);
      const int rows = int(m), columns = int(n), inner = int(k), lc = int(ld_c);
      const float one = 1;
      blas_->sgemm("N", "N", &rows, &columns, &inner, &factor, x.data(), &rows, y.data(), &inner, &one, c, &lc);
    });
  }
  void sgemv(Stream stream, Index m, Index n, const float* a, Index ld_a, const float* x, float* y) override {
    later(stream, [=, this] {
      const int rows = int(m), columns = int(n), ld = int(ld_a), step = 1;
      const float one = 1, zero = 0;
      blas_->sgemv("N", &rows, &columns, &one, a, &ld, x, &step, &zero, y, &step);
    });
  }
  std::uint64_t left() const { return queues_[0].size() + queues_[1].size() + queues_[2].size(); }

 private:
  struct Entry {
    std::function<void()> work = {};
    std::uint64_t ticket = 0, awaited = 0;  // an event that is recorded, or waited for
  };
  void later(Stream stream, std::function<void()> work) { enqueue(stream, {.work = std::move(work)}); }
  void enqueue(Stream stream, Entry entry) { queues_[static_cast<std::size_t>(stream)].push_back(std::move(entry)); }
  bool pending(std::uint64_t ticket) const { return stream_of_.contains(ticket); }
  void one_of(Stream stream) {
    auto& queue = queues_[static_cast<std::size_t>(stream)];
    if (queue.empty()) return;
    const Entry entry = std::move(queue.front());
    queue.pop_front();
    if (entry.work)
      entry.work();
    else if (entry.ticket != 0)
      stream_of_.erase(entry.ticket);
    else
      complete(entry.awaited);
  }
  void complete(std::uint64_t ticket) {
    while (ticket != 0 && pending(ticket)) one_of(stream_of_.at(ticket));
  }
  std::uint64_t random() { return harness::random_bits(seed_, draws_++); }

  std::shared_ptr<harness::Blas> blas_;
  std::uint64_t seed_, draws_ = 0, last_ticket_ = 0;
  std::vector<Array> arrays_;
  std::vector<std::uint64_t> tickets_;         // of each event, its last; 0: never recorded
  std::map<std::uint64_t, Stream> stream_of_;  // of those that are not done
  std::deque<Entry> queues_[kStreams];
};

}  // namespace clusterc::hpl
