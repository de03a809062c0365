// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/io/allocation.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace dfrs::sim {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMiB = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMiB);  // the largest value allowed; larger blocks get their own mapping
  mallopt(M_TRIM_THRESHOLD, 256 * kMiB);
#endif
}

}  // namespace dfrs::sim
