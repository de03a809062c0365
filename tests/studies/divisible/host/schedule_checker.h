// SPDX-License-Identifier: GPL-2.0-or-later
// Checks a schedule of divisible load by just the rules of the model.
#pragma once

#include <gtest/gtest.h>

#include "studies/divisible/host/simulation.h"

namespace dfrs::sim::divisible {

/// Checks a run that kept its segments. Failure: a job on a cluster without its databank, before its release or
/// after its completion, a cluster faster than it is, work that is not the job's size, a completion at which the job
/// was not being worked on. Work is compared with a relative tolerance of 1e-8.
testing::AssertionResult check_schedule(const Instance& instance, const RunResult& run);

}  // namespace dfrs::sim::divisible
