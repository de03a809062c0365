// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/availability_profile.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/oracle/dice.h"

namespace dfrs {
namespace {

using Release = AvailabilityProfile::Release;

TEST(AvailabilityProfile, StartsWhereEnoughIsFreeForLongEnough) {
  // 10 processors: 4 now, 7 from 100 on, 10 from 200 on.
  const std::vector<Release> releases{{100, 3}, {200, 3}};
  AvailabilityProfile profile;
  profile.reset(0, 4, releases);
  EXPECT_EQ(profile.earliest_start(0, 50, 4), 0);
  EXPECT_EQ(profile.earliest_start(0, 50, 5), 100);
  EXPECT_EQ(profile.earliest_start(0, 1000, 8), 200);
  EXPECT_EQ(profile.earliest_start(150, 50, 7), 150);
  EXPECT_EQ(profile.earliest_start(0, 1, 11), kNever);
  profile.take(200, 300, 6);                          // 4 are left there
  EXPECT_EQ(profile.earliest_start(0, 100, 7), 100);  // exactly fits before
  EXPECT_EQ(profile.earliest_start(0, 101, 7), 300);
  EXPECT_EQ(profile.earliest_start(0, kNever, 4), 0);
  EXPECT_EQ(profile.free_at(199.5), 7);
  EXPECT_EQ(profile.free_at(200), 4);
  EXPECT_EQ(profile.free_at(300), 10);
  profile.give(200, 300, 6);
  EXPECT_EQ(profile.earliest_start(0, 101, 7), 100);
}

TEST(AvailabilityProfile, ReleasesOfOneInstantAreOneStepAndThoseThatNeverComeNone) {
  const std::vector<Release> releases{{5, 1}, {5, 2}, {kNever, 9}};
  AvailabilityProfile profile;
  profile.reset(0, 0, releases);
  EXPECT_EQ(profile.steps(), 2U);
  EXPECT_EQ(profile.free_at(5), 3);
  EXPECT_EQ(profile.earliest_start(0, 1, 4), kNever);
}

TEST(AvailabilityProfile, TakenForEverStaysTaken) {
  AvailabilityProfile profile;
  profile.reset(0, 3);
  profile.take(10, kNever, 2);
  EXPECT_EQ(profile.earliest_start(0, 10, 3), 0);
  EXPECT_EQ(profile.earliest_start(0, 11, 3), kNever);
  EXPECT_EQ(profile.earliest_start(0, kNever, 1), 0);
}

// A plain second implementation: a map of steps, searched step by step.
class PlainProfile {
 public:
  PlainProfile(Processors free, const std::vector<Release>& releases) {
    free_[0] = free;
    for (const Release& r : releases) add(r.time, kNever, r.processors);
  }
  void add(Seconds from, Seconds to, Processors amount) {
    if (to < kNever) free_[to] = at(to);
    free_[from] = at(from);
    for (auto& [time, free] : free_) {
      if (time >= from && time < to) free += amount;
    }
  }
  Processors at(Seconds t) const { return std::prev(free_.upper_bound(t))->second; }
  Seconds earliest(Seconds not_before, Seconds duration, Processors width) const {
    if (fits(not_before, duration, width)) return not_before;
    for (const auto& [time, free] : free_) {
      if (time > not_before && fits(time, duration, width)) return time;
    }
    return kNever;
  }
  bool fits(Seconds start, Seconds duration, Processors width) const {
    if (at(start) < width) return false;
    for (auto step = free_.upper_bound(start); step != free_.end() && step->first < start + duration; ++step) {
      if (step->second < width) return false;
    }
    return true;
  }

 private:
  std::map<Seconds, Processors> free_;
};

// Small profiles for odd coincidences, large ones for many leaves.
TEST(AvailabilityProfile, EqualsAPlainMapOfSteps) {
  for (std::uint64_t seed = 0; seed < oracle::cases(200); ++seed) {
    oracle::Dice dice(seed);
    const bool large = seed % 10 == 0;
    const int horizon = large ? 20'000 : 30;
    const Processors capacity = dice.between(1, large ? 100 : 6);
    std::vector<Release> releases;
    Processors busy = 0;
    for (Seconds t = 0; busy < capacity && dice.chance(90);) {
      t += dice.between(0, horizon / 10);
      releases.push_back({t, dice.between(1, capacity - busy)});
      busy += releases.back().processors;
    }
    AvailabilityProfile profile;
    profile.reset(0, capacity - busy, releases);
    PlainProfile plain(capacity - busy, releases);
    struct Taken {
      Seconds from, to;
      Processors width;
    };
    std::vector<Taken> taken;
    const int calls = large ? 600 : 60;
    for (int call = 0; call < calls; ++call) {
      const Seconds not_before = dice.between(0, horizon);
      const Seconds duration = dice.chance(3) ? kNever : dice.between(1, horizon / 3);
      const Processors width = dice.between(0, capacity);
      const Seconds start = profile.earliest_start(not_before, duration, width);
      ASSERT_EQ(start, plain.earliest(not_before, duration, width)) << "seed " << seed << ", call " << call;
      const Seconds probe = dice.between(0, 2 * horizon);
      ASSERT_EQ(profile.free_at(probe), plain.at(probe)) << "seed " << seed << ", call " << call;
      if (!taken.empty() && dice.chance(30)) {
        const std::size_t which = dice.below(static_cast<std::uint32_t>(taken.size()));
        profile.give(taken[which].from, taken[which].to, taken[which].width);
        plain.add(taken[which].from, taken[which].to, taken[which].width);
        taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(which));
      } else if (start < kNever && duration < kNever) {
        taken.push_back({start, start + duration, width});
        profile.take(start, start + duration, width);
        plain.add(start, start + duration, -width);
      }
    }
    EXPECT_TRUE(!large || profile.steps() > 300) << "too few steps to fill leaves";
  }
}

}  // namespace
}  // namespace dfrs
