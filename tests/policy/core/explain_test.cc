// SPDX-License-Identifier: GPL-2.0-or-later
// Reasons under every algorithm on random clusters: they change no decision, and every decision has one.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "policy/core/engine.h"
#include "policy/core/enum_names.h"
#include "policy/core/registry.h"
#include "policy/rr7659/options.h"
#include "record/step_lines.h"
#include "tests/oracle/dice.h"
#include "tests/oracle/random_case.h"
#include "tests/policy/core/test_host.h"

namespace dfrs {
namespace {

// Whether a reason of this kind may stand with a decision of that kind.
bool suits(ReasonKind reason, DecisionKind decision) {
  switch (reason) {
    case ReasonKind::room:
    case ReasonKind::made_room:
    case ReasonKind::own_room:
      return decision != DecisionKind::pause;  // a job that was displaced and placed again has moved
    case ReasonKind::first:
    case ReasonKind::backfill:
    case ReasonKind::planned_now:
      return decision == DecisionKind::start || decision == DecisionKind::resume;
    case ReasonKind::gave_way:
    case ReasonKind::left_out:
      return decision == DecisionKind::pause;
    case ReasonKind::move_pays:
      return decision == DecisionKind::move;
    case ReasonKind::moved_away:  // also of a job that another submission of the instant displaces
    case ReasonKind::repacked:
    case ReasonKind::repacked_stretch:
      return decision != DecisionKind::pause;
    case ReasonKind::no_room:
    case ReasonKind::outweighed:
    case ReasonKind::none_to_pause:
      return decision == DecisionKind::pause;  // it gave way, and could not come back at the same instant
    case ReasonKind::behind:
    case ReasonKind::reserved:
    case ReasonKind::planned:
    case ReasonKind::next_try:
    case ReasonKind::next_tick:
      return false;
  }
  return false;
}

class Listener final : public TestHost::Witness {
 public:
  void on_new_engine(const Algorithm&, const EngineOptions&) override {}
  void on_call(const ClusterView& view, const Estimates&, std::span<const Event>,
               const tl::expected<const Decisions*, Error>& result) override {
    answers.push_back(record::outcome_text(result));
    if (!result) return;
    std::map<JobSlot, ReasonKind> last;
    for (const Reason& reason : (*result)->reasons) {
      EXPECT_LT(reason.job, view.jobs.size());
      EXPECT_TRUE(reason.other == kNoSlot || (reason.other < view.jobs.size() && reason.other != reason.job));
      last[reason.job] = reason.kind;
    }
    reasons += last.size();
    for (const Decision& decision : (*result)->placements) {
      const auto reason = last.find(decision.job);
      if (reason == last.end()) {
        unexplained.push_back("a " + std::string(enum_name(decision.kind)));
      } else if (!suits(reason->second, decision.kind)) {
        unexplained.push_back("a " + std::string(enum_name(decision.kind)) + " because of " +
                              std::string(enum_name(reason->second)));
      }
    }
  }

  std::vector<std::string> answers;
  std::vector<std::string> unexplained;
  std::size_t reasons = 0;
};

Listener run(const Algorithm& algorithm, std::uint64_t seed, bool explain) {
  oracle::Dice dice(seed);
  EngineOptions engine;
  engine.of<DfrsOptions>().period = 64;
  TestHostOptions options;
  options.explain = explain;
  TestHost host(dice, algorithm, engine, options);
  Listener listener;
  host.observe(&listener);
  const auto ran = host.run();
  EXPECT_TRUE(ran) << ran.error();
  return listener;
}

TEST(Explain, ChangesNoDecisionAndLeavesNoneWithoutAReason) {
  std::uint64_t seed = 0;
  for (const Algorithm& algorithm : registered_algorithms()) {
    std::size_t reasons = 0;
    for (std::uint64_t k = 0; k < oracle::cases(4); ++k) {
      ++seed;
      const std::string where = algorithm_name(algorithm) + ", seed " + std::to_string(seed);
      const Listener silent = run(algorithm, seed, false);
      const Listener explained = run(algorithm, seed, true);
      ASSERT_EQ(silent.answers, explained.answers) << where;
      ASSERT_EQ(silent.reasons, 0u) << where;
      ASSERT_EQ(explained.unexplained, std::vector<std::string>{}) << where;
      reasons += explained.reasons;
    }
    ASSERT_GT(reasons, 0u) << algorithm_name(algorithm);
  }
}

}  // namespace
}  // namespace dfrs
