// Plans and trees of large clusters are a few arrays of many megabytes, filled once: in pages of 4 KiB the kernel is
// asked for each of them, which is a tenth of the time of a plan of 16,384 nodes. So what is large is asked for in huge
// pages (madvise(2), MADV_HUGEPAGE), where the system has them; where it has not, nothing changes. The sanitizers'
// builds keep their own allocator.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20,
                      kLarge = 2 * kHugePage;  // bytes (x86-64 and arm64 with pages of 4 KiB)

void* allocate(std::size_t size) {
  if (size < kLarge) return std::malloc(size ? size : 1);
  const std::size_t whole = size / kHugePage * kHugePage;  // a part of a huge page at the end stays in small ones
  void* const memory = std::aligned_alloc(kHugePage, (size + kHugePage - 1) / kHugePage * kHugePage);
  if (memory) ::madvise(memory, whole, MADV_HUGEPAGE);
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  for (;;) {
    if (void* const memory = allocate(size)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif
