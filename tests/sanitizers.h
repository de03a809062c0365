// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the program that runs has sanitizers in it. Asked when it runs, because tests that are compiled without them
// are also linked with libraries that are compiled with them.
#pragma once

// Functions of their run-time libraries, null in programs without.
extern "C" __attribute__((weak)) int __asan_address_is_poisoned(const volatile void* address);
extern "C" __attribute__((weak)) void __tsan_acquire(void* address);

namespace dfrs {

inline bool under_address_sanitizer() { return __asan_address_is_poisoned != nullptr; }
inline bool under_thread_sanitizer() { return __tsan_acquire != nullptr; }
inline bool sanitized() { return under_address_sanitizer() || under_thread_sanitizer(); }

}  // namespace dfrs
