// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/sacct/licences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/workload/licences.h"

namespace dfrs::sim {
namespace {

struct Change {
  Seconds at = 0;
  std::int64_t count = 0;
};

// At one instant, ends come first. A job that held licences for no time still needs them.
std::int64_t most_at_once(std::vector<Change>& changes) {
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return std::tie(a.at, a.count) < std::tie(b.at, b.count); });
  std::int64_t held = 0, most = 1;
  for (const Change& change : changes) {
    held += change.count;
    most = std::max({most, held, change.count});
  }
  return std::min(most, kMostLicences);
}

}  // namespace

std::vector<Licence> licences_of(const SacctLog& log, std::span<const Licence> given) {
  std::map<std::string, std::vector<Change>> changes;
  for (const SacctJob& job : log.jobs) {
    for (const Licence& held : job.licences) {
      const Seconds start = job.start < 0 ? job.submit : job.start;
      changes[held.name].push_back({start, held.total});
      changes[held.name].push_back({start + job.run_time, -held.total});
    }
  }
  std::map<std::string, std::int64_t> totals;
  for (auto& [name, list] : changes) totals[name] = most_at_once(list);
  for (const Licence& licence : given) totals[licence.name] = licence.total;
  std::vector<Licence> licences;
  for (const auto& [name, total] : totals) licences.push_back({name, total});
  return licences;
}

std::string describe_licences(const SacctLog& log, std::span<const Licence> given) {
  std::vector<Licence> inferred = licences_of(log, given);
  std::erase_if(inferred, [&](const Licence& licence) {
    return std::any_of(given.begin(), given.end(), [&](const Licence& each) { return each.name == licence.name; });
  });
  if (inferred.empty()) return {};
  return fmt::format(
      "licences taken from what jobs held at once: {}; if there are more, give --licences NAME=COUNT,...",
      licences_text(inferred));
}

}  // namespace dfrs::sim
