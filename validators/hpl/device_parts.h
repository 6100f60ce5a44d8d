// What both modes need of a device beside their own work: sums over elements made anew, and the time of their updates.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "hpl/accelerator.h"

namespace clusterc::hpl {

// Row sums of element * x and of |element| (backend.h, products), a few rows at a time.
struct DeviceProducts {
  double *x = nullptr, *sums = nullptr;
  Array host;
  Accelerator::Event done = 0;

  // For `columns` elements of x; `least`: elements that somebody else wants of the other two.
  void allocate(Accelerator& device, Index columns, Index least = 0) {
    const Index count = std::max(2 * PartialProducts::kParts * PartialProducts::kRows, least);
    x = device.allocate<double>(std::max<Index>(columns, 1));
    sums = device.allocate<double>(count);
    host = device.host_memory(static_cast<std::size_t>(count));
    done = device.make_event();
  }

  void products(Accelerator& device, const Problem& problem, const Axis& row_axis, const Axis& column_axis,
                Index columns, Index row, Index rows, const double* from, double* product, double* magnitude) const {
    device.upload(Stream::compute, x, from, columns);
    for (Index before = 0; before < rows; before += PartialProducts::kRows) {
      const Index some = std::min(PartialProducts::kRows, rows - before);
      const PartialProducts work{.problem = problem,
                                 .row_axis = row_axis,
                                 .column_axis = column_axis,
                                 .x = x,
                                 .sums = sums,
                                 .row = row + before,
                                 .rows = some,
                                 .columns = columns};
      device.run(Stream::compute, work);
      device.download(Stream::compute, host.get(), sums, 2 * work.count());
      device.record(done, Stream::compute);
      device.finish(done);
      for (Index i = 0; i < some; ++i) {
        product[before + i] = magnitude[before + i] = 0;
        for (Index part = i * PartialProducts::kParts; part < (i + 1) * PartialProducts::kParts; ++part) {
          product[before + i] += host[static_cast<std::size_t>(2 * part)];
          magnitude[before + i] += host[static_cast<std::size_t>(2 * part + 1)];
        }
      }
    }
  }
};

// Begins and ends of updates, in one stream.
class EventPairs {
 public:
  using Pair = std::pair<Accelerator::Event, Accelerator::Event>;
  Pair next(Accelerator& device) {
    if (used_ == pairs_.size()) {
      const Accelerator::Event begin = device.make_event();
      pairs_.emplace_back(begin, device.make_event());
    }
    return pairs_[used_++];
  }
  // All of them are done.
  double take_seconds(Accelerator& device) {
    double sum = 0;
    for (std::size_t i = 0; i < used_; ++i) sum += device.seconds_between(pairs_[i].first, pairs_[i].second);
    used_ = 0;
    return sum;
  }

 private:
  std::vector<Pair> pairs_;
  std::size_t used_ = 0;
};

}  // namespace clusterc::hpl
