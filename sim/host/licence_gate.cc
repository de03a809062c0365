// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/licence_gate.h"

#include <algorithm>

namespace dfrs::sim {

LicenceGate::LicenceGate(const Instance& instance) : instance_(instance), claimed_(instance.platform.licences.size()) {
  free_.reserve(claimed_.size());
  for (const Licence& licence : instance.platform.licences) free_.push_back(licence.total);
}

// Takes the job's licences if they are free and nobody who came earlier waits for one of them.
bool LicenceGate::admit(std::size_t index) {
  const std::span<const LicenceUse> set = of(index);
  const auto can_have = [&](const LicenceUse& use) {
    return claimed_[use.licence] == 0 && use.count <= free_[use.licence];
  };
  if (!std::all_of(set.begin(), set.end(), can_have)) return false;
  for (const LicenceUse& use : set) free_[use.licence] -= use.count;
  return true;
}

bool LicenceGate::claim(std::size_t index) {
  if (admit(index)) return true;
  waiting_.push_back(index);
  for (const LicenceUse& use : of(index)) ++claimed_[use.licence];
  return false;
}

void LicenceGate::give_back(std::size_t index, std::vector<std::size_t>& admitted) {
  for (const LicenceUse& use : of(index)) free_[use.licence] += use.count;
  std::fill(claimed_.begin(), claimed_.end(), 0);
  std::erase_if(waiting_, [&](std::size_t waiting) {
    if (admit(waiting)) {
      admitted.push_back(waiting);
      return true;
    }
    for (const LicenceUse& use : of(waiting)) ++claimed_[use.licence];
    return false;
  });
}

}  // namespace dfrs::sim
