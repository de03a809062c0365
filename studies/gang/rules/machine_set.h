// SPDX-License-Identifier: GPL-2.0-or-later
// Sets of virtual machines as bits, so that testing whether a gang's machines are all idle takes a few word operations.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>

namespace dfrs::gang {

/// A machine's index among those that may be leased, 0 .. limit - 1. The index of a released machine is reused.
using MachineIndex = std::uint32_t;

/// The largest limit on leased machines.
inline constexpr std::uint32_t kMaxMachines = 1024;

/// Elements must be below kMaxMachines. Every operation except for_each is O(kMaxMachines / 64).
class MachineSet {
 public:
  MachineSet() = default;
  MachineSet(std::initializer_list<MachineIndex> machines) {
    for (MachineIndex m : machines) insert(m);
  }

  void insert(MachineIndex m) { words_[m / 64] |= std::uint64_t{1} << (m % 64); }
  void erase(MachineIndex m) { words_[m / 64] &= ~(std::uint64_t{1} << (m % 64)); }
  bool contains(MachineIndex m) const { return (words_[m / 64] >> (m % 64) & 1) != 0; }

  std::uint32_t size() const {
    std::uint32_t n = 0;
    for (std::uint64_t word : words_) n += word != 0 ? static_cast<std::uint32_t>(std::popcount(word)) : 0;
    return n;
  }
  bool empty() const {
    std::uint64_t all = 0;
    for (std::uint64_t word : words_) all |= word;
    return all == 0;
  }
  /// True if every element is in `other`.
  bool within(const MachineSet& other) const {
    std::uint64_t outside = 0;
    for (std::size_t k = 0; k < words_.size(); ++k) outside |= words_[k] & ~other.words_[k];
    return outside == 0;
  }

  MachineSet& operator|=(const MachineSet& o) {
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] |= o.words_[k];
    return *this;
  }
  MachineSet& operator&=(const MachineSet& o) {
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] &= o.words_[k];
    return *this;
  }
  MachineSet& operator-=(const MachineSet& o) {
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] &= ~o.words_[k];
    return *this;
  }
  friend MachineSet operator|(MachineSet a, const MachineSet& b) { return a |= b; }
  friend MachineSet operator&(MachineSet a, const MachineSet& b) { return a &= b; }
  friend MachineSet operator-(MachineSet a, const MachineSet& b) { return a -= b; }
  bool operator==(const MachineSet&) const = default;

  /// The lowest element. Requires !empty().
  MachineIndex first() const {
    std::size_t k = 0;
    while (words_[k] == 0) ++k;
    return static_cast<MachineIndex>(k * 64 + static_cast<std::size_t>(std::countr_zero(words_[k])));
  }

  /// Calls work(machine) for each element, lowest first.
  template <typename Work>
  void for_each(Work&& work) const {
    for (std::size_t k = 0; k < words_.size(); ++k) {
      for (std::uint64_t rest = words_[k]; rest != 0; rest &= rest - 1) {
        work(static_cast<MachineIndex>(k * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
      }
    }
  }

 private:
  std::array<std::uint64_t, kMaxMachines / 64> words_{};
};

}  // namespace dfrs::gang
