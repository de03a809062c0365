// SPDX-License-Identifier: GPL-2.0-or-later
// Licences as text: "cad=2,matlab=10".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sim/host/instance.h"

namespace dfrs::sim {

inline constexpr std::int64_t kMostLicences = 1'000'000'000;

/// NAME=COUNT, separated by commas, with counts from 1 to kMostLicences. Errors: one line, for anything else and for a
/// name that comes twice.
tl::expected<std::vector<Licence>, std::string> parse_licences(std::string_view text);
std::string licences_text(std::span<const Licence> licences);

/// Joins names to the cluster's licences. Errors: one line, for a licence that the cluster does not have, or has too
/// few of.
tl::expected<LicenceSet, std::string> licence_set_of(std::span<const Licence> wanted, const Platform& platform);
/// The opposite; the job must be the platform's.
std::string licences_text(const Job& job, const Platform& platform);

}  // namespace dfrs::sim
