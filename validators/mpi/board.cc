#include "mpi/board.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

namespace clusterc::mpi {

// Each slot has one writer. Its text may be read while it changes; it always ends inside the slot.
struct Board::Slot {
  std::atomic<std::uint64_t> beats;
  std::atomic<int> rank;
  std::array<std::atomic<char>, 240> doing;
};

Board::Board(const Job& job) {
  int local = 0, locals = 1;
  check(MPI_Comm_rank(job.node, &local), "MPI_Comm_rank");
  check(MPI_Comm_size(job.node, &locals), "MPI_Comm_size");
  count_ = static_cast<std::size_t>(locals);
  mine_ = static_cast<std::size_t>(local);
  const std::size_t bytes = count_ * sizeof(Slot);
  std::array<char, 64> name{};
  int file = -1;
  if (local == 0) {
    std::snprintf(name.data(), name.size(), "/clusterc-board-%d", static_cast<int>(getpid()));
    file = shm_open(name.data(), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) != 0) {
      close(file);
      shm_unlink(name.data());
      file = -1;
    }
    if (file < 0) name[0] = '\0';
  }
  check(MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, job.node), "MPI_Bcast");
  if (local != 0 && name[0] != '\0') file = shm_open(name.data(), O_RDWR, 0);
  void* at = file < 0 ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  int here = at != MAP_FAILED ? 1 : 0, everywhere = 0;
  check(MPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, job.node), "MPI_Allreduce");
  if (local == 0 && name[0] != '\0') shm_unlink(name.data());  // the mappings stay
  if (everywhere == 0) {
    if (here) munmap(at, bytes);
    count_ = 1;
    mine_ = 0;
    at = mmap(nullptr, sizeof(Slot), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
  }
  slots_ = static_cast<Slot*>(at);  // new pages are zeros, which is an empty slot
  slots_[mine_].rank = job.rank;
  check(MPI_Barrier(job.node), "MPI_Barrier");
}

Board::~Board() { munmap(slots_, count_ * sizeof(Slot)); }

void Board::write(std::uint64_t beats, const std::string& doing) {
  Slot& slot = slots_[mine_];
  const std::size_t length = std::min(doing.size(), slot.doing.size() - 1);
  for (std::size_t i = 0; i < length; ++i) slot.doing[i].store(doing[i], std::memory_order_relaxed);
  slot.doing[length].store('\0', std::memory_order_relaxed);
  slot.beats = beats;
}

std::vector<RankPlace> Board::places() const {
  std::vector<RankPlace> out;
  for (std::size_t i = 0; i < count_; ++i) {
    const Slot& slot = slots_[i];
    RankPlace place{.rank = slot.rank, .beats = slot.beats, .doing = {}};
    for (const auto& letter : slot.doing) {
      const char one = letter.load(std::memory_order_relaxed);
      if (one == '\0') break;
      place.doing += one;
    }
    out.push_back(std::move(place));
  }
  return out;
}

}  // namespace clusterc::mpi
