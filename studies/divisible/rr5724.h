// SPDX-License-Identifier: GPL-2.0-or-later
// `dfrs-sim reproduce rr5724`: stretch on divisible load.
#pragma once

#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

extern const Reproduction kRr5724;

}  // namespace dfrs::sim
