// SPDX-License-Identifier: GPL-2.0-or-later
// Readings of what RR-5724 leaves open, by name, for `reproduce rr5724 --assume`. Each changes one thing.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/errors.h"
#include "sim/reproduce/reproduction.h"
#include "studies/divisible/host/generator.h"
#include "studies/divisible/host/instance.h"
#include "studies/divisible/rules/readings.h"

namespace dfrs::sim {

/// Everything that a reading can change; the default is the project's own.
struct Rr5724Assumed {
  divisible::GeneratorOptions generator;  ///< without what defines a configuration
  divisible::StretchBasis basis = divisible::StretchBasis::platform;
  dfrs::divisible::Readings rules;

  Rr5724Assumed() { generator.reading = divisible::DensityReading::processor; }
};

/// Names and what they assume. "fit" is the combination that agrees with the published tables.
std::span<const ReproductionPart> rr5724_readings();

/// Applies readings in turn. Errors: kExitInternal for an unknown name.
Result<Rr5724Assumed> rr5724_assumed(std::span<const std::string> names);

}  // namespace dfrs::sim
