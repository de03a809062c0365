// SPDX-License-Identifier: GPL-2.0-or-later
// Instances of divisible load as text, one per file:
//
//   ; dfrs-divisible: 1
//   ; Name: example
//   ; Databanks: 3
//   cluster 10 1.5 0,2      processors, work per second of each, databanks held (- for none)
//   job 0.25 120 2          release in seconds, work, databank
//
// Databanks count from 0. Clusters and jobs are numbered in the order of their lines. A # begins a comment.
#pragma once

#include <string>
#include <string_view>

#include "sim/errors.h"
#include "studies/divisible/host/instance.h"

namespace dfrs::sim::divisible {

/// Jobs may come in any order: they are sorted by release. Errors: kExitInput naming source:line.
Result<Instance> parse_instance(std::string_view text, const std::string& source);

/// The text of an instance; parse_instance returns the same instance, bit for bit.
std::string format_instance(const Instance& instance);

}  // namespace dfrs::sim::divisible
