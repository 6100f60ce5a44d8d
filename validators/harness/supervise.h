// A run that leaves nothing behind: the program works in a child of a parent that waits. Whatever becomes of the child
// (killed, crashed), the parent ends what it had started and removes its scratch folder. Killed itself, the kernel
// tells the child, which then ends in order. Killed both at once, the folder stays: it is named after the program, and
// the next run of the same user on this host removes it (its lock is free then).
#pragma once
#include <functional>
#include <string>

namespace clusterc::harness {

// Runs `work` in the child and gives its status (128 and the signal where it was killed).
int supervise(const std::function<int()>& work);

// Makes `<inside>/clusterc-<name>-<host>-XXXXXX`, for the child alone; before, removes those of earlier runs that were
// killed. One to a run. Throws CouldNotRun (no space left, read-only file system, system error).
std::string make_scratch(const std::string& inside, const std::string& name);
// Removed now, instead of at the end. What cannot be removed is said on standard error, by name.
void remove_scratch();

}  // namespace clusterc::harness
