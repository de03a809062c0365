// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/story_names.h"

#include <fmt/chrono.h>

#include <cmath>

#include "shim/controller/bounds.h"

namespace dfrs::shim {

std::string local_time(Seconds time) {
  if (!is_instant(time)) return fmt::format("{:g} s after 1970", time);  // fmt takes no year of more digits
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(static_cast<std::time_t>(std::floor(time))));
}

int utc_offset(Seconds time) {
  if (!is_instant(time)) return 0;
  const auto seconds = static_cast<std::time_t>(std::floor(time));
  std::tm broken_down{};
  return localtime_r(&seconds, &broken_down) == nullptr ? 0 : static_cast<int>(broken_down.tm_gmtoff);
}

record::StoryNames story_names(const Nodes& nodes) {
  std::vector<std::string> names;
  for (NodeIndex n = 0; n < nodes.size(); ++n) names.push_back(nodes[n].name);
  return {[names = std::move(names)](NodeIndex n) { return n < names.size() ? names[n] : fmt::format("{}", n); },
          local_time};
}

}  // namespace dfrs::shim
