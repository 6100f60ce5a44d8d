// How a panel reaches the other process columns: from its owner to the next column of the grid, which hands it on.
// Sending and receiving go on while the matrix is updated, whenever somebody calls poll().
#pragma once
#include <mpi.h>

#include "hpl/panel.h"
#include "hpl/pulse.h"

namespace clusterc::hpl {

class Ring {
 public:
  // `row`: the ranks of this grid row; `first_rank`: the job's rank of its first member, for messages.
  Ring(MPI_Comm row, int me, int size, int first_rank, Pulse& pulse)
      : row_(row), me_(me), size_(size), first_rank_(first_rank), pulse_(pulse) {}

  // Both need that drain() freed the panel's buffer.
  void send(Panel&, int slot);               // its owner: it is complete
  void expect(Panel&, int slot, int owner);  // the others: it will come
  // Hands on what came. True once the panel of `slot` is here.
  bool poll(int slot);
  void wait(int slot, Index step);  // until it is here
  void drain(int slot);             // until nobody reads the buffer any more

 private:
  struct Slot {
    Panel* panel = nullptr;
    MPI_Request in = MPI_REQUEST_NULL, out = MPI_REQUEST_NULL;
    int owner = 0;
  };
  void pass_on(Slot&);

  MPI_Comm row_;
  int me_, size_, first_rank_;
  Pulse& pulse_;
  Slot slots_[2];
};

// Polls until `request` is done; a rank that shares its core lets others run meanwhile.
void wait_for(MPI_Request& request, Pulse& pulse, const char* call);

}  // namespace clusterc::hpl
