// SPDX-License-Identifier: GPL-2.0-or-later
// The values that Slurm's sacct prints: times, durations, memory, trackable resources (TRES), lists of hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "policy/core/units.h"

namespace dfrs::sim {

/// "", "Unknown", "None", "N/A", "INVALID": the column applies to the row, and Slurm does not know.
bool says_unknown(std::string_view text);

/// "MM:SS", "HH:MM:SS", "D-HH:MM:SS", each with or without ".mmm". Up to kMaxTraceSeconds.
std::optional<Seconds> parse_duration(std::string_view text);

/// Seconds since 1970 from "2026-11-21T16:49:27" (also with ".123", "Z", "+01:00" or "+0100" behind it, or a blank for
/// the "T"), or from whole seconds as SLURM_TIME_FORMAT=%s makes sacct print. Without an offset the time counts as UTC.
std::optional<Seconds> parse_instant(std::string_view text);

/// The inverse, in UTC: "2026-11-21T16:49:27". Fractions are cut.
std::string format_instant(Seconds since_1970);

/// "1234K", "1.5G", "0": MiB. A number without unit is in `plain_mib` MiB: sacct prints MaxRSS in bytes and requests in
/// MiB then.
std::optional<double> parse_memory(std::string_view text, double plain_mib);
inline constexpr double kBytes = 1.0 / (1024 * 1024);

/// What the memory of a ReqMem is per. Slurm before 21.08 says it by a suffix, later ones give the whole job's.
enum class MemoryPer { kJob, kCpu, kNode };
struct RequestedMemory {
  double mib = 0;
  MemoryPer per = MemoryPer::kJob;
};
/// "8G", "4000Mc" (per CPU), "16Gn" (per node).
std::optional<RequestedMemory> parse_requested_memory(std::string_view text);

/// The value of `name` in "billing=4,cpu=4,mem=8G,node=1"; nothing if it is not there.
std::optional<std::string_view> tres_item(std::string_view text, std::string_view name);

/// Calls `each` with every name of "n[1-3,07],gpu2" ("n1", "n2", "n3", "n07", "gpu2"). False, perhaps after some calls,
/// if the text is no list of hosts or has more than `most` names.
bool each_host(std::string_view text, std::size_t most, const std::function<void(const std::string&)>& each);

}  // namespace dfrs::sim
