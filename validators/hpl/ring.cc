#include "hpl/ring.h"

#include <sched.h>

#include "harness/outcome.h"
#include "mpi/job.h"

namespace clusterc::hpl {
using mpi::check;
namespace {

constexpr int kTag = 1;

int elements(const Panel& panel) {
  if (panel.length() > 0x7fffffff)
    throw harness::CouldNotRun(
        harness::Cause::no_memory,
        "a panel of more than 2^31 elements does not fit one message: a smaller block or more rows in the grid");
  return static_cast<int>(panel.length());
}

}  // namespace

void wait_for(MPI_Request& request, Pulse& pulse, const char* call) {
  constexpr int kPolls = 200;  // some tens of microseconds: a neighbour that runs answers within them
  for (int polls = 1;; ++polls) {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), call);
    if (done) break;
    if (polls % kPolls == 0) sched_yield();
  }
  pulse.beat();
}

void Ring::pass_on(Slot& slot) {
  const int next = (me_ + 1) % size_;
  if (next == slot.owner || size_ == 1) return;
  check(MPI_Isend(slot.panel->message(), elements(*slot.panel), MPI_DOUBLE, next, kTag, row_, &slot.out), "MPI_Isend");
}

void Ring::send(Panel& panel, int slot) {
  slots_[slot] = {.panel = &panel, .owner = me_};
  pass_on(slots_[slot]);
}

void Ring::expect(Panel& panel, int slot, int owner) {
  slots_[slot] = {.panel = &panel, .owner = owner};
  check(
      MPI_Irecv(panel.message(), elements(panel), MPI_DOUBLE, (me_ + size_ - 1) % size_, kTag, row_, &slots_[slot].in),
      "MPI_Irecv");
}

bool Ring::poll(int slot) {
  Slot& s = slots_[slot];
  if (s.in != MPI_REQUEST_NULL) {
    int done = 0;
    check(MPI_Test(&s.in, &done, MPI_STATUS_IGNORE), "receiving a panel");
    if (!done) return false;
    pass_on(s);
  }
  int done = 0;
  if (s.out != MPI_REQUEST_NULL) check(MPI_Test(&s.out, &done, MPI_STATUS_IGNORE), "sending a panel");
  return true;
}

void Ring::wait(int slot, Index step) {
  Slot& s = slots_[slot];
  if (s.in == MPI_REQUEST_NULL) return;
  pulse_.at(Phase::panel_broadcast, step, first_rank_ + (me_ + size_ - 1) % size_);
  wait_for(s.in, pulse_, "receiving a panel");
  pass_on(s);
}

void Ring::drain(int slot) {
  Slot& s = slots_[slot];
  if (s.out != MPI_REQUEST_NULL) wait_for(s.out, pulse_, "sending a panel");
}

}  // namespace clusterc::hpl
