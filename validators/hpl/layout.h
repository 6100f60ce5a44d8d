// Who owns what: an index range dealt out in blocks of `nb`, block 0 to process 0, block 1 to process 1, and round
// again. Example, n = 10, nb = 3, two processes: process 0 owns 0 1 2 6 7 8, process 1 owns 3 4 5 9.
#pragma once
#include <cstdint>

#include "harness/inputs.h"

namespace clusterc::hpl {

using Index = std::int64_t;

struct Axis {
  Index nb = 1;
  int parts = 1, me = 0;

  CLUSTERC_BOTH int owner(Index global) const { return static_cast<int>(global / nb % parts); }
  // How many of the indices below `global` are mine; of an index that I own, its place here.
  CLUSTERC_BOTH Index below(Index global) const {
    const Index blocks = global / nb, rounds = blocks / parts, rest = blocks % parts;
    return rounds * nb + (me < rest ? nb : me == rest ? global % nb : 0);
  }
  CLUSTERC_BOTH Index global(Index local) const { return (local / nb * parts + me) * nb + local % nb; }
};

// Distance between rows or columns: whole cache lines, and no multiple of 4 KiB, where successive rows would share a
// cache set.
constexpr Index padded(Index count) {
  const Index lines = (count + 7) / 8 * 8;
  return lines > 0 && lines % 512 == 0 ? lines + 8 : lines;
}

}  // namespace clusterc::hpl
