// Equal nodes and equal GPUs are held against each other: one that stands out among its peers is degraded, even where
// it is above the floor, or where no floor is known.
//
// Peers are the figures of one test in one metric, size and placement, of nodes of one group: they have the same
// hardware. A figure stands out if it is worse than the median of its peers by more than kPeerGap, and if chance
// does not explain that: robust_tail() (base/statistics.h) of all figures of the run together, with at most the share
// kFalseDiscoveries of wrong ones among those that are named. Example: 31 GPUs between 3.28 and 3.31 TB/s, one with
// 3.05 TB/s: median 3.30, sigma 0.008, 31 sigma below: degraded.
#pragma once
#include <functional>

#include "validate/run.h"

namespace clusterc {

// Fewer say nothing of each other: of three the median is the neighbour of both others.
inline constexpr std::size_t kFewestPeers = 4;
// As far below typical as a figure may be before it is degraded (kGuard of the targets): less is no defect, however
// certain it is.
inline constexpr double kPeerGap = 0.03;
// One healthy run of a hundred names a healthy figure.
inline constexpr double kFalseDiscoveries = 0.01;

// Tells apart what is not the same hardware in one test: a file system is measured on nodes of several groups.
using HardwareOf = std::function<int(const Judged&)>;

// Judges those that passed or could not be judged; figures that were measured beside other work, or with wrong data,
// are no peers.
void judge_among_peers(std::vector<Judged>&, const HardwareOf& = {});

}  // namespace clusterc
