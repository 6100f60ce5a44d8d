// The memories of the devices. Each device has a range of addresses of its own; a piece gets pages that nobody had
// before, so that a pointer that was freed leads nowhere, and between two pieces lies a page that cannot be touched.
// What lies between the last byte of a piece and the end of its page is forbidden by AddressSanitizer; without it, the
// bytes there are looked at when the piece is freed. The pages can be touched while work of the device runs, and by
// nobody else: a host that follows a pointer to a device's memory dies on a signal, after a line that says so.
//
// New memory is noise that follows from its address. A word that still is this noise when the piece is freed was never
// written.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "cuda_on_host/emulation.h"
#include "cuda_on_host/sanitizers.h"

namespace clusterc::emulation {
namespace {

constexpr std::size_t kPage = 4096, kRange = std::size_t{8} << 30, kAlignment = 256;
constexpr std::size_t kMemory = std::size_t{640} << 20;  // of a device

struct Piece {
  std::byte *pages = nullptr, *at = nullptr;
  std::size_t pages_bytes = 0, bytes = 0;
};
struct Memory {
  std::byte *begin = nullptr, *next = nullptr;
  std::map<const std::byte*, Piece> pieces;
  std::size_t used = 0;
  int open = 0;
};
struct All {
  std::map<int, Memory> devices;
  std::map<const std::byte*, std::size_t> pinned;
  std::set<std::pair<int, int>> access;
};
thread_local int current = 0;
All& all() {
  static All* const the = new All;
  return *the;
}

std::uint64_t noise(std::uintptr_t address) {  // SplitMix64
  std::uint64_t z = address + 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
std::uint64_t noise_of_word(const std::byte* at) { return noise(reinterpret_cast<std::uintptr_t>(at)); }

struct sigaction previous;
void on_fault(int number, siginfo_t* info, void* context) {
  for (const auto& [device, memory] : all().devices) {
    const auto* const at = static_cast<const std::byte*>(info->si_addr);
    if (at < memory.begin || at >= memory.begin + kRange) continue;
    static constexpr char kClosed[] =
        "emulated CUDA: fault: the host, or a device without access, touched memory of a device\n";
    static constexpr char kOpen[] = "emulated CUDA: fault: a device touched its memory outside of what was allocated\n";
    const bool open = memory.open > 0;
    [[maybe_unused]] const auto n = write(2, open ? kOpen : kClosed, (open ? sizeof kOpen : sizeof kClosed) - 1);
  }
  if (previous.sa_flags & SA_SIGINFO && previous.sa_sigaction) return previous.sa_sigaction(number, info, context);
  std::signal(number, SIG_DFL);
}
void say_what_was_touched() {
  struct sigaction ours {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &ours, &previous);
}

Memory& memory_of(int device) {
  Memory& m = all().devices[device];
  if (m.begin) return m;
  void* const range = mmap(nullptr, kRange, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) end("no addresses for the memory of a device");
  if (all().devices.size() == 1) say_what_was_touched();
  m.begin = m.next = static_cast<std::byte*>(range);
  return m;
}
void protect(const Memory& m, int how) {
  for (const auto& [at, piece] : m.pieces) mprotect(piece.pages, piece.pages_bytes, how);
}
void open_one(int device) {
  Memory& m = memory_of(device);
  if (m.open++ == 0) protect(m, PROT_READ | PROT_WRITE);
}
void close_one(int device) {
  Memory& m = memory_of(device);
  if (--m.open == 0) protect(m, PROT_NONE);
}

void look_at(const Piece& piece) {
  const std::size_t words = piece.bytes / 8;
  std::size_t unwritten = 0;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, piece.at + i * 8, 8);
    unwritten += word == noise_of_word(piece.at + i * 8);
  }
  counts().words += words;
  counts().unwritten += unwritten;
  if (unwritten > 0) counts().pieces.push_back({piece.bytes, unwritten});
  permit(piece.pages, piece.pages_bytes);
  const auto strange = [&](const std::byte* from, const std::byte* to) {
    for (; from < to; ++from)
      if (*from != static_cast<std::byte>(noise(reinterpret_cast<std::uintptr_t>(from)))) return true;
    return false;
  };
  if (strange(piece.pages, piece.at) || strange(piece.at + piece.bytes, piece.pages + piece.pages_bytes))
    say("fault: something was written beside a piece of " + std::to_string(piece.bytes) + " B");
}

const Piece* piece_of(const void* address) {
  const auto* const at = static_cast<const std::byte*>(address);
  for (const auto& [device, memory] : all().devices) {
    auto found = memory.pieces.upper_bound(at);
    if (found == memory.pieces.begin()) continue;
    --found;
    if (at < found->second.at + std::max<std::size_t>(found->second.bytes, 1)) return &found->second;
  }
  return nullptr;
}

}  // namespace

int current_device() { return current; }
void set_current_device(int device) { current = device; }

std::size_t room_left(int device) {
  const char* const wish = std::getenv("EMULATED_CUDA_MEMORY");
  const std::size_t total = wish ? std::strtoull(wish, nullptr, 10) : kMemory, used = memory_of(device).used;
  return used < total ? total - used : 0;
}

// The end of a piece is as near to the end of its last page as its alignment lets it be.
void* allocate(int device, std::size_t bytes) {
  Memory& m = memory_of(device);
  if (bytes > room_left(device)) return nullptr;
  const std::size_t pages = (std::max<std::size_t>(bytes, 1) + kPage - 1) / kPage * kPage;
  Piece piece{.pages = m.next + kPage, .pages_bytes = pages, .bytes = bytes};
  if (piece.pages + pages + kPage > m.begin + kRange) end("a device has no addresses left");
  piece.at = piece.pages + (pages - bytes) / kAlignment * kAlignment;
  m.next = piece.pages + pages;
  mprotect(piece.pages, pages, PROT_READ | PROT_WRITE);
  const auto guard = [](std::byte* from, const std::byte* to) {
    for (; from < to; ++from) *from = static_cast<std::byte>(noise(reinterpret_cast<std::uintptr_t>(from)));
  };
  guard(piece.pages, piece.at);
  guard(piece.at + bytes, piece.pages + pages);
  for (std::size_t i = 0; i + 8 <= bytes; i += 8) {
    const std::uint64_t word = noise_of_word(piece.at + i);
    std::memcpy(piece.at + i, &word, 8);
  }
  for (std::size_t i = bytes / 8 * 8; i < bytes; ++i) piece.at[i] = std::byte{0xa5};
  forbid(piece.pages, static_cast<std::size_t>(piece.at - piece.pages));
  forbid(piece.at + bytes, static_cast<std::size_t>(piece.pages + pages - piece.at) - bytes);
  if (m.open == 0) mprotect(piece.pages, pages, PROT_NONE);
  m.used += bytes;
  m.pieces[piece.at] = piece;
  ++counts().allocations;
  return piece.at;
}

bool release(void* address) {
  for (auto& [device, memory] : all().devices) {
    const auto found = memory.pieces.find(static_cast<const std::byte*>(address));
    if (found == memory.pieces.end()) continue;
    const Piece piece = found->second;
    {
      const Open open({device});
      look_at(piece);
    }
    memory.pieces.erase(found);
    memory.used -= piece.bytes;
    mprotect(piece.pages, piece.pages_bytes, PROT_NONE);
    madvise(piece.pages, piece.pages_bytes, MADV_DONTNEED);
    return true;
  }
  return false;
}

int owner(const void* address) {
  const auto* const at = static_cast<const std::byte*>(address);
  for (const auto& [device, memory] : all().devices)
    if (at >= memory.begin && at < memory.begin + kRange) return device;
  return kHost;
}
bool within_one_piece(const void* at, std::size_t n) {
  const Piece* const piece = piece_of(at);
  return piece && static_cast<const std::byte*>(at) + n <= piece->at + piece->bytes;
}
void pin(const void* at, std::size_t bytes) { all().pinned[static_cast<const std::byte*>(at)] = bytes; }
bool unpin(const void* at) { return all().pinned.erase(static_cast<const std::byte*>(at)) > 0; }
bool pinned(const void* address, std::size_t bytes) {
  const auto* const at = static_cast<const std::byte*>(address);
  auto found = all().pinned.upper_bound(at);
  if (found == all().pinned.begin()) return false;
  --found;
  return at + bytes <= found->first + found->second;
}
std::vector<std::span<std::byte>> pieces(int device) {
  std::vector<std::span<std::byte>> out;
  for (const auto& [at, piece] : memory_of(device).pieces) out.emplace_back(piece.at, piece.bytes);
  return out;
}
bool reachable_by_kernels(const void* at) { return !at || owner(at) != kHost || pinned(at, 1); }

void let_access(int device, int other) { all().access.emplace(device, other); }
void end_access(int device, int other) { all().access.erase({device, other}); }
int accesses_of(int device) {
  return static_cast<int>(std::ranges::count(all().access, device, [](const auto& pair) { return pair.first; }));
}
bool may_access(int device, int other) { return all().access.contains({device, other}); }

Open::Open(const std::vector<int>& devices, bool with_peers) : opened_(devices) {
  if (with_peers)
    for (const auto& [from, to] : all().access)
      if (std::find(devices.begin(), devices.end(), from) != devices.end()) opened_.push_back(to);
  for (const int device : opened_) open_one(device);
}
Open::~Open() {
  for (const int device : opened_) close_one(device);
}

}  // namespace clusterc::emulation
