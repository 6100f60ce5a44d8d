// What the C++ library of GCC 12 takes from newer C libraries than 2.31 (cmake/portable.cmake). The portable programs
// alone are linked with it.
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" {

// glibc 2.32: whether the process has one thread, so that reference counts need no atomic instructions. false is always
// right, and a little slower.
extern char __libc_single_threaded;
char __libc_single_threaded = 0;

// glibc 2.36: what std::random_device asks.
std::uint32_t arc4random() {
  std::uint32_t value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value) {
    std::abort();
  }
  return value;
}
}
