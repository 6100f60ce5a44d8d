// The interfaces of AddressSanitizer and ThreadSanitizer, where the program has one of them; nothing otherwise. The
// emulation itself is compiled once, without either.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>

extern "C" {
[[gnu::weak]] void __asan_poison_memory_region(const volatile void*, std::size_t);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void*, std::size_t);
[[gnu::weak]] void __sanitizer_start_switch_fiber(void**, const void*, std::size_t);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned);
[[gnu::weak]] void __tsan_switch_to_fiber(void*, unsigned);
[[gnu::weak]] void __tsan_acquire(void*);
[[gnu::weak]] void __tsan_release(void*);
// Where the linker has put what device code declared as __shared__ (device_code.h).
[[gnu::weak]] extern unsigned char __start_emulated_shared[];
[[gnu::weak]] extern unsigned char __stop_emulated_shared[];
}

namespace clusterc::emulation {

inline bool under_tsan() { return __tsan_create_fiber != nullptr; }
inline void* tsan_current() { return __tsan_get_current_fiber ? __tsan_get_current_fiber() : nullptr; }
inline void* tsan_fiber() { return __tsan_create_fiber ? __tsan_create_fiber(0) : nullptr; }
inline void tsan_switch(void* fiber) {
  if (__tsan_switch_to_fiber) __tsan_switch_to_fiber(fiber, 1);  // 1: the switch orders nothing
}
inline void tsan_acquire(void* at) {
  if (__tsan_acquire) __tsan_acquire(at);
}
inline void tsan_release(void* at) {
  if (__tsan_release) __tsan_release(at);
}
inline void start_switch(void** fake, const void* stack, std::size_t size) {
  if (__sanitizer_start_switch_fiber) __sanitizer_start_switch_fiber(fake, stack, size);
}
inline void finish_switch(void* fake, const void** stack = nullptr, std::size_t* size = nullptr) {
  if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(fake, stack, size);
}
inline void forbid(const void* at, std::size_t bytes) {
  if (__asan_poison_memory_region) __asan_poison_memory_region(at, bytes);
}
inline void permit(const void* at, std::size_t bytes) {
  if (__asan_unpoison_memory_region) __asan_unpoison_memory_region(at, bytes);
}
// Shared memory is noise when a block begins.
inline void fill_shared(std::mt19937_64& random) {
  if (!__start_emulated_shared) return;
  for (unsigned char* at = __start_emulated_shared; at < __stop_emulated_shared; ++at)
    *at = static_cast<unsigned char>(random());
}

}  // namespace clusterc::emulation
