// SPDX-License-Identifier: GPL-2.0-or-later
// Parses the values that Slurm's sacct prints: times, durations, memory, trackable resources (TRES), host lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "policy/core/units.h"

namespace dfrs::sim {

/// "", "Unknown", "None", "N/A", "INVALID": Slurm has no value for this column of the row.
bool says_unknown(std::string_view text);

/// Seconds from "MM:SS", "HH:MM:SS" or "D-HH:MM:SS", each with or without ".mmm". At most kMaxTraceSeconds.
std::optional<Seconds> parse_duration(std::string_view text);

/// Seconds since 1970 from "2026-11-21T16:49:27" (optionally followed by ".123", "Z", "+01:00" or "+0100", or with a
/// blank for the "T"), or from whole seconds, which sacct prints with SLURM_TIME_FORMAT=%s. A time without an offset is
/// taken as UTC.
std::optional<Seconds> parse_instant(std::string_view text);

/// The inverse, in UTC: "2026-11-21T16:49:27". Fractions are dropped.
std::string format_instant(Seconds since_1970);

/// MiB from "1234K", "1.5G" or "0". A number without a unit counts in units of `plain_mib` MiB: sacct prints MaxRSS in
/// bytes and requests in MiB.
std::optional<double> parse_memory(std::string_view text, double plain_mib);
inline constexpr double kBytes = 1.0 / (1024 * 1024);

/// What a ReqMem counts per. Slurm before 21.08 says it by a suffix; later versions give the memory of the whole job.
enum class MemoryPer { kJob, kCpu, kNode };
struct RequestedMemory {
  double mib = 0;
  MemoryPer per = MemoryPer::kJob;
};
/// "8G", "4000Mc" (per CPU), "16Gn" (per node).
std::optional<RequestedMemory> parse_requested_memory(std::string_view text);

/// The value of `name` in "billing=4,cpu=4,mem=8G,node=1"; nothing if it is absent.
std::optional<std::string_view> tres_item(std::string_view text, std::string_view name);

/// As many nodes as Slurm can have (its MAX_SLURM_NODES).
inline constexpr std::size_t kMostSlurmNodes = 65536;

/// Calls `each` with every name of "n[1-3,07],gpu2" ("n1", "n2", "n3", "n07", "gpu2"). False, perhaps after some calls,
/// if the text is not a host list or has more than kMostSlurmNodes names.
bool each_host(std::string_view text, const std::function<void(const std::string&)>& each);

}  // namespace dfrs::sim
