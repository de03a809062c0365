// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/fingerprint.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "base/sha256.h"
#include "policy/core/enum_names.h"

namespace dfrs::sim {
namespace {

void append(std::string& bytes, std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(value >> shift & 0xff);
}

void append(std::string& bytes, double value) { append(bytes, std::bit_cast<std::uint64_t>(value)); }

void append(std::string& bytes, const RigidVector& amounts) {
  for (const RigidAmount amount : amounts) append(bytes, static_cast<std::uint64_t>(amount));
}

}  // namespace

std::string fingerprint(const Instance& instance) {
  // Binds every field, so that a new one fails to compile here until it is part of the fingerprint.
  std::string bytes = "dfrs instance 2\n";
  const auto& [nodes, rigid_dims, licences, licence_sets] = instance.platform;
  append(bytes, static_cast<std::uint64_t>(rigid_dims));
  append(bytes, static_cast<std::uint64_t>(nodes.size()));
  for (const auto& [cpu, rigid] : nodes) {
    append(bytes, cpu);
    append(bytes, rigid);
  }
  // Most instances have none, and their fingerprints stay those of stores without licences.
  for (const auto& [name, total] : licences) {
    bytes += fmt::format("licence {} {}", name, total);
  }
  for (const LicenceSet& set : licence_sets) {
    bytes += "set";
    for (const auto& [licence, count] : set) bytes += fmt::format(" {} {}", licence, count);
  }
  append(bytes, static_cast<std::uint64_t>(instance.jobs.size()));
  for (const auto& [id, submit, tasks, cpu_need, rigid, run_time, estimate, reserved_start, user, held_licences, weight,
                    pauses, cpu_asked] : instance.jobs) {
    append(bytes, static_cast<std::uint64_t>(id));
    append(bytes, submit);
    append(bytes, static_cast<std::uint64_t>(tasks));
    append(bytes, cpu_need);
    append(bytes, rigid);
    append(bytes, run_time);
    append(bytes, estimate);
    append(bytes, reserved_start);
    // Most instances have neither, and their fingerprints stay those of stores without these fields.
    if (weight != 1 || cpu_asked != 0) {
      bytes += "weight and CPU asked for";
      append(bytes, weight);
      append(bytes, cpu_asked);
    }
    if (user != 0) {
      bytes += "user";
      append(bytes, static_cast<std::uint64_t>(user));
    }
    if (held_licences != 0) {
      bytes += "licences";
      append(bytes, static_cast<std::uint64_t>(held_licences));
    }
    if (pauses) {
      bytes += "mark";
      bytes += enum_name(*pauses);
    }
  }
  return base::sha256_hex(bytes);
}

}  // namespace dfrs::sim
