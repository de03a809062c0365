// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rules/algorithm.h"

#include <array>
#include <string>
#include <vector>

#include "policy/core/nearest_name.h"
#include "studies/divisible/rules/list_rules.h"
#include "studies/divisible/rules/mct.h"
#include "studies/divisible/rules/mct_div.h"
#include "studies/divisible/rules/offline_edf.h"
#include "studies/divisible/rules/optimal.h"

namespace dfrs::divisible {
namespace {

struct Entry {
  Algorithm algorithm;
  std::string_view name;
  std::string_view description;
};

constexpr std::array<Entry, 11> kEntries{{
    {Algorithm::offline, "Offline", "knows all jobs in advance: the optimal maximum stretch"},
    {Algorithm::online, "Online", "best maximum stretch still possible at each arrival, work early within it"},
    {Algorithm::online_edf, "Online-EDF", "Online, each site without breaks in the order of its parts' ends"},
    {Algorithm::online_egdf, "Online-EGDF", "Online, one list of jobs in the order of their ends for all clusters"},
    {Algorithm::bender98, "Bender98", "deadlines sqrt(size ratio) times the optimal stretch of all arrived; EDF"},
    {Algorithm::swrpt, "SWRPT", "least remaining work x size first"},
    {Algorithm::srpt, "SRPT", "least remaining work first"},
    {Algorithm::spt, "SPT", "least size first"},
    {Algorithm::bender02, "Bender02", "greatest pseudo-stretch first: two classes of size"},
    {Algorithm::mct_div, "MCT-DIV", "each arrival divided over all its clusters, after earlier jobs"},
    {Algorithm::mct, "MCT", "each arrival on the one processor where it completes first"},
}};

constexpr auto kAlgorithms = [] {
  std::array<Algorithm, kEntries.size()> all{};
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = kEntries[k].algorithm;
  return all;
}();

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (lower(a[k]) != lower(b[k])) return false;
  }
  return true;
}

}  // namespace

std::span<const Algorithm> all_algorithms() { return kAlgorithms; }

std::string_view algorithm_name(Algorithm algorithm) { return kEntries[static_cast<std::size_t>(algorithm)].name; }

std::string_view describe(Algorithm algorithm) { return kEntries[static_cast<std::size_t>(algorithm)].description; }

tl::expected<Algorithm, Error> parse_algorithm(std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) {
    if (same(entry.name, name)) return entry.algorithm;
    names.emplace_back(entry.name);
  }
  return tl::unexpected(Error{ErrorCode::bad_algorithm, "unknown algorithm for divisible load '" + std::string(name) +
                                                            "'; did you mean '" +
                                                            std::string(nearest_name(name, names)) + "'?"});
}

std::unique_ptr<Scheduler> make_scheduler(Algorithm algorithm, const Platform& platform, std::span<const JobView> jobs,
                                          FlowSolver& solver, const Readings& readings) {
  switch (algorithm) {
    case Algorithm::offline:
      if (readings.offline == OfflineReading::edf) return std::make_unique<OfflineEdf>(platform, jobs, solver);
      return std::make_unique<Offline>(platform, jobs, solver);
    case Algorithm::online:
      return std::make_unique<Online>(OnlineVariant::intervals, solver);
    case Algorithm::online_edf:
      return std::make_unique<Online>(OnlineVariant::edf, solver);
    case Algorithm::online_egdf:
      return std::make_unique<Online>(OnlineVariant::egdf, solver);
    case Algorithm::bender98:
      return std::make_unique<Bender98>(solver);
    case Algorithm::swrpt:
      return std::make_unique<ListScheduler>(ListRule::swrpt);
    case Algorithm::srpt:
      return std::make_unique<ListScheduler>(ListRule::srpt);
    case Algorithm::spt:
      return std::make_unique<ListScheduler>(ListRule::spt);
    case Algorithm::bender02:
      return std::make_unique<ListScheduler>(ListRule::bender02, readings, jobs);
    case Algorithm::mct_div:
      if (readings.mct_div == MctDivReading::fixed) return std::make_unique<FixedMctDiv>();
      if (readings.mct_div == MctDivReading::even) return std::make_unique<EvenMctDiv>();
      return std::make_unique<ListScheduler>(ListRule::mct_div);
    case Algorithm::mct:
      return std::make_unique<Mct>();
  }
  return nullptr;
}

}  // namespace dfrs::divisible
