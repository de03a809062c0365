// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/utf8.h"
#include "policy/core/algorithm.h"

namespace dfrs::sim {
namespace {

using Row = const AlgorithmSummary*;

constexpr double kAboutEqual = 1.05;       // smaller ratios of means are no difference
constexpr double kSameValue = 1e-9;        // relative difference up to which results are equal
constexpr std::size_t kGroupToJudge = 3;   // fewest instances at a load to name the best there
constexpr std::size_t kFewInstances = 10;  // with fewer, averages over other instances differ visibly

enum class Kind { batch, dfrs, unknown };

Kind kind_of(const std::string& name) {
  const auto algorithm = parse_algorithm(name);
  if (!algorithm) return Kind::unknown;
  return algorithm->traits.shares_nodes ? Kind::dfrs : Kind::batch;
}

// With thousands separators: 12,345.
std::string grouped(long value) {
  const std::string digits = std::to_string(value);
  std::string out;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && (digits.size() - k) % 3 == 0) out += ',';
    out += digits[k];
  }
  return out;
}

// About three digits.
std::string number(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  if (value < 1e15) return grouped(std::lround(value));
  return fmt::format("{:.3g}", value);
}

// A ratio >= 1 in words: "1.25 times", "480 times".
std::string times(double ratio) {
  if (ratio < 1.995) return fmt::format("{:.2f} times", ratio);
  if (ratio < 9.95) return fmt::format("{:.1f} times", ratio);
  return ratio < 1e15 ? fmt::format("{} times", grouped(std::lround(ratio))) : fmt::format("{:.3g} times", ratio);
}

std::string name_of(Row a) { return base::printable(a->algorithm); }

class Verdict {
 public:
  Verdict(const std::vector<ResultRow>& rows, const CampaignSummary& summary) : rows_(rows), summary_(summary) {
    for (const AlgorithmSummary& a : summary.algorithms) {
      if (a.complete) ranked_.push_back(&a);
    }
    std::stable_sort(ranked_.begin(), ranked_.end(),
                     [](Row a, Row b) { return a->degradation.mean < b->degradation.mean; });
  }

  std::vector<std::string> sentences() {
    if (ranked_.empty()) {
      say("No algorithm has results for all of the {} instances, so their averages cannot be compared: they are over "
          "different instances. Complete the campaign, or report only instances that all algorithms have run.",
          summary_.instances);
      return out_;
    }
    const bool known =
        std::none_of(ranked_.begin(), ranked_.end(), [](Row a) { return kind_of(a->algorithm) == Kind::unknown; });
    const Row dfrs = best_of(Kind::dfrs);
    const Row batch = best_of(Kind::batch);
    if (ranked_.size() == 1) {
      alone(ranked_.front());
    } else if (known && dfrs != nullptr && batch != nullptr) {
      dfrs_against_batch(dfrs, batch);
    } else {
      ranking(known ? (dfrs != nullptr ? "no batch algorithm (FCFS, EASY)" : "no DFRS algorithm") : "");
    }
    leave_out();
    trust();
    return out_;
  }

 private:
  template <typename... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    out_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  bool one_instance() const { return summary_.instances == 1; }
  std::string here() const {
    return one_instance() ? "On this instance" : fmt::format("On these {} instances", summary_.instances);
  }
  std::string_view measure() const { return one_instance() ? "degradation from bound" : "mean degradation from bound"; }

  // The best of a kind; null if there is none.
  Row best_of(Kind kind) const {
    const auto at = std::find_if(ranked_.begin(), ranked_.end(), [&](Row a) { return kind_of(a->algorithm) == kind; });
    return at == ranked_.end() ? nullptr : *at;
  }

  void alone(Row a) {
    if (one_instance()) {
      say("{} {} has a degradation from bound of {}: its worst-served job has a stretch of {}, and no scheduler can "
          "stay below {}.",
          here(), name_of(a), number(a->degradation.mean), number(a->mean.max_stretch), number(a->bound));
    } else {
      say("{} {} has a mean degradation from bound of {} (median {}, worst {}).", here(), name_of(a),
          number(a->degradation.mean), number(a->degradation.median), number(a->degradation.max));
    }
    say("There is no other algorithm to compare it with in these results.");
    costs(a, nullptr);
  }

  void dfrs_against_batch(Row dfrs, Row batch) {
    const double ratio = batch->degradation.mean / dfrs->degradation.mean;
    if (ratio > kAboutEqual) {
      say("{} {} has a {} of {}, {} one of {}: {} less. DFRS treats the worst-served jobs better here.", here(),
          name_of(dfrs), measure(), number(dfrs->degradation.mean), name_of(batch), number(batch->degradation.mean),
          times(ratio));
    } else if (ratio < 1 / kAboutEqual) {
      say("DFRS loses here. {} {} has a {} of {}, the best DFRS algorithm, {}, one of {}: {} more.", here(),
          name_of(batch), measure(), number(batch->degradation.mean), name_of(dfrs), number(dfrs->degradation.mean),
          times(1 / ratio));
    } else {
      say("{} DFRS makes hardly a difference for the worst-served jobs: {} has a {} of {}, {} one of {}.", here(),
          name_of(dfrs), measure(), number(dfrs->degradation.mean), name_of(batch), number(batch->degradation.mean));
    }
    instance_by_instance(dfrs, batch);
    by_load();
    mean_stretch(dfrs, batch);
    costs(dfrs, batch);
    worse_than(batch);
  }

  // `missing`: the kind of algorithm that the results lack; empty if kinds are unknown.
  void ranking(std::string_view missing) {
    const Row best = ranked_.front();
    const Row next = ranked_[1];
    const Row last = ranked_.back();
    const auto against = [&](Row other) {
      const double ratio = other->degradation.mean / best->degradation.mean;
      return fmt::format("{} {} ({})", name_of(other), number(other->degradation.mean),
                         ratio <= kAboutEqual ? "about the same" : fmt::format("{} as much", times(ratio)));
    };
    std::string others = fmt::format("next is {}", against(next));
    if (last != next) others += fmt::format(", last is {}", against(last));
    say("{} {} has the lowest {}, {}; {}.", here(), name_of(best), measure(), number(best->degradation.mean), others);
    instance_by_instance(best, next);
    by_load();
    mean_stretch(best, next);
    costs(best, next);
    if (!missing.empty()) {
      say("There is {} in these results, so they do not say what DFRS gains or loses against batch scheduling.",
          missing);
    }
  }

  // A few instances may decide an average, so say on how many the first is better.
  void instance_by_instance(Row a, Row b) {
    if (one_instance()) return;
    std::unordered_map<std::string, double> of_b;
    for (const ResultRow& row : rows_) {
      if (row.algorithm == b->algorithm) of_b[row.instance] = row.degradation();
    }
    std::size_t better = 0;
    std::size_t equal = 0;
    for (const ResultRow& row : rows_) {
      if (row.algorithm != a->algorithm) continue;
      const double other = of_b.at(row.instance);
      if (std::abs(row.degradation() - other) <= kSameValue * other) {
        ++equal;
      } else if (row.degradation() < other) {
        ++better;
      }
    }
    const std::size_t worse = summary_.instances - better - equal;
    std::string text = fmt::format("Instance by instance, {} is better than {} on {} of {}", name_of(a), name_of(b),
                                   better, summary_.instances);
    if (equal > 0) text += fmt::format(", equal on {}", equal);
    if (worse > 0) text += fmt::format(", worse on {}", worse);
    const bool a_leads = a->degradation.mean < b->degradation.mean;
    if ((a_leads && worse > better) || (!a_leads && better > worse)) {
      text += "; so a few instances decide the averages, and the medians tell another story";
    }
    out_.push_back(text + '.');
  }

  void by_load() {
    if (!loads_differ(summary_)) return;
    const std::vector<LoadGroup> groups = load_groups(rows_);
    if (groups.size() < 2) return;
    if (std::any_of(groups.begin(), groups.end(),
                    [](const LoadGroup& group) { return group.instances.size() < kGroupToJudge; })) {
      return;
    }
    std::vector<Row> winners;
    for (const LoadGroup& group : groups) {
      Row winner = nullptr;
      double least = 0;
      for (Row a : ranked_) {
        std::vector<double> values;
        for (const ResultRow& row : rows_) {
          if (row.algorithm != a->algorithm) continue;
          if (std::find(group.instances.begin(), group.instances.end(), row.instance) != group.instances.end()) {
            values.push_back(row.degradation());
          }
        }
        const double mean = summarize(values).mean;
        if (winner == nullptr || mean < least * (1 - kSameValue)) {
          winner = a;
          least = mean;
        }
      }
      winners.push_back(winner);
    }
    if (std::all_of(winners.begin(), winners.end(), [&](Row a) { return a == winners.front(); })) {
      say("{} is the best of all algorithms at every load, from {:.3g} to {:.3g}.", name_of(winners.front()),
          groups.front().load, groups.back().load);
      return;
    }
    std::string text = "The best algorithm depends on the load: ";
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (g > 0 && winners[g] == winners[g - 1]) continue;
      text += fmt::format("{}{} from {:.3g}", g > 0 ? ", " : "", name_of(winners[g]), groups[g].load);
    }
    out_.push_back(text + '.');
  }

  void mean_stretch(Row a, Row b) {
    const double ratio = b->mean.mean_stretch / a->mean.mean_stretch;
    const std::string relation = ratio > kAboutEqual       ? fmt::format("{} less", times(ratio))
                                 : ratio < 1 / kAboutEqual ? fmt::format("{} more", times(1 / ratio))
                                                           : "about the same";
    say("The mean stretch over all jobs is {} with {} and {} with {}: {}.", number(a->mean.mean_stretch), name_of(a),
        number(b->mean.mean_stretch), name_of(b), relation);
  }

  static std::string disturbance(Row a) {
    if (a->mean.pauses_per_job == 0 && a->mean.moves_per_job == 0)
      return fmt::format("{} never pauses or moves a job", name_of(a));
    return fmt::format("{} pauses a job {} times and moves it {} times on average, {} GB/s of memory", name_of(a),
                       number(a->mean.pauses_per_job), number(a->mean.moves_per_job), number(a->traffic_gb_per_s));
  }

  // `b`: the algorithm to compare with; may be null.
  void costs(Row a, Row b) {
    if (b == nullptr) {
      say("What it costs: {}; its underutilization is {}.", disturbance(a), number(a->mean.underutilization));
      return;
    }
    say("What it costs: {}; {}.", disturbance(a), disturbance(b));
    const double difference = a->mean.underutilization - b->mean.underutilization;
    const std::string relation = std::abs(difference) < 0.01 ? "about the same"
                                 : difference < 0            ? "less capacity stays unused while jobs want it"
                                                             : "more capacity stays unused while jobs want it";
    say("Underutilization is {} with {} and {} with {}: {}.", number(a->mean.underutilization), name_of(a),
        number(b->mean.underutilization), name_of(b), relation);
  }

  // Some DFRS algorithms may do worse than batch scheduling.
  void worse_than(Row batch) {
    std::vector<std::string> worse;
    std::size_t all = 0;
    for (Row a : ranked_) {
      if (kind_of(a->algorithm) != Kind::dfrs) continue;
      ++all;
      if (a->degradation.mean > batch->degradation.mean * (1 + kSameValue)) worse.push_back(name_of(a));
    }
    if (worse.empty() || all < 2) return;
    if (worse.size() == all) {
      say("None of the {} DFRS algorithms is better than {}.", all, name_of(batch));
    } else {
      say("{} of {} DFRS algorithms {} worse than {}: {}.", worse.size(), all, worse.size() == 1 ? "is" : "are",
          name_of(batch), fmt::join(worse, ", "));
    }
  }

  void leave_out() {
    const std::size_t left_out = summary_.algorithms.size() - ranked_.size();
    if (left_out == 0) return;
    say("{} {} not compared here, because {} lacks some of the instances.",
        left_out == 1 ? "One algorithm" : fmt::format("{} algorithms", left_out), left_out == 1 ? "is" : "are",
        left_out == 1 ? "it" : "each");
  }

  void trust() {
    if (one_instance()) {
      say("One instance says little about others: compare several before deciding.");
    } else if (summary_.instances < kFewInstances) {
      say("{} instances are few: on others, averages and above all the worst cases can differ clearly.",
          summary_.instances);
    }
  }

  const std::vector<ResultRow>& rows_;
  const CampaignSummary& summary_;
  std::vector<Row> ranked_;  // complete, best first
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> verdict(const std::vector<ResultRow>& rows, const CampaignSummary& summary) {
  return Verdict(rows, summary).sentences();
}

}  // namespace dfrs::sim
