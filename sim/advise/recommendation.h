// SPDX-License-Identifier: GPL-2.0-or-later
// Which policies the advice compares, in which worlds, and which one it recommends.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/advise/advice.h"
#include "sim/advise/study.h"

namespace dfrs::sim {

inline constexpr const char* kToday = "EASY/shared";
inline const PauseWorld kKept;
inline const PauseWorld kSuspended = PauseWorld::all(PauseEffect::suspended);
inline const PauseWorld kLost = PauseWorld::all(PauseEffect::lost);
inline const PauseWorld kNone = PauseWorld::all(PauseEffect::none);

inline constexpr double kMuchLostWork = 0.05;  ///< of all work

/// One of the settings of Pauses that a site can choose from.
struct SiteWorld {
  const char* word;  ///< in dfrs.conf
  PauseWorld pauses;
  std::string takes;               ///< of the site
  const char* row;                 ///< of tables that have several worlds
  std::optional<Seconds> restart;  ///< see Trial
  record::SwapSize swap = {};      ///< see Trial
};

/// The swap that each node is taken to have, as part of a sentence: "2 GiB of swap on each node, as much as memory".
std::string swap_taken(const AdviceInput& input);

/// Every policy to compare, in every world. The first is today's. Errors: kExitUsage for a candidate.
Result<std::vector<Trial>> trials_of(const AdviceInput& input);

bool is_triage(std::string_view algorithm);
/// Whether it pauses jobs, so that the worlds differ.
bool both_ways(const StudyRun& run);
/// The policy's name without the part common to all.
std::string short_name(std::string_view algorithm);
/// The deciding figure: the stretch that one job in a hundred exceeds.
double score(const StudyRun& run);
/// Whether `a` has a higher figure than `b` by enough to matter.
bool clearly_above(double a, double b);

class Recommendation {
 public:
  /// `runs`: of trials_of(input).
  Recommendation(const AdviceInput& input, std::vector<StudyRun> runs);
  Recommendation(const Recommendation&) = delete;
  Recommendation& operator=(const Recommendation&) = delete;

  enum class Among { all, published, triage };
  /// The best candidate for this effect of pausing; among about equal ones the least demanding, unless one job fares
  /// far worse under it.
  const StudyRun* choose(const PauseWorld& pauses, Among among = Among::all) const;
  /// Whether it is better than today's policy by enough for a change.
  bool pays(const StudyRun& run) const;
  /// The recommended policy, on these samples.
  Trial recommended(const std::vector<Instance>& samples) const;

  const std::vector<StudyRun>& runs() const { return runs_; }
  const StudyRun& today() const { return runs_.front(); }
  const std::vector<SiteWorld>& worlds() const { return worlds_; }
  const SiteWorld& world() const { return world_; }        ///< that the site wants
  const StudyRun& best() const { return *best_; }          ///< there
  const StudyRun& best_if_lost() const { return *lost_; }  ///< where pauses lose work

 private:
  const std::vector<StudyRun> runs_;
  const std::vector<SiteWorld> worlds_;
  const SiteWorld& world_;
  const StudyRun* best_ = nullptr;
  const StudyRun* lost_ = nullptr;
};

}  // namespace dfrs::sim
