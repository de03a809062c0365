// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "sim/host/instance.h"

namespace dfrs::sim {

/// SHA-256 of everything that a simulation sees of an instance: the platform and every job, bit for bit and in order,
/// but not the name. 64 hexadecimal digits, the same on every machine. O(nodes + jobs).
std::string fingerprint(const Instance& instance);

}  // namespace dfrs::sim
