// What processes are doing that should have ended long ago: evidence for whoever looks for the cause. Of each its state
// and that of its threads, from /proc; their stacks, where eu-stack or gdb is installed. Short, and soon there: at most
// kMostStackLines lines of kLongestStackLine characters, within kStackSeconds of a debugger's time.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace clusterc {

inline constexpr std::size_t kMostStackLines = 160, kLongestStackLine = 300;
inline constexpr int kStackSeconds = 10;

std::vector<std::string> stacks_of(std::span<const long> processes);

// Children of every thread of `process`, theirs, and so on; at most 4,096.
std::vector<long> descendants_of(long process);

}  // namespace clusterc
