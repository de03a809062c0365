// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/licences.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "sim/workload/number_parser.h"

namespace dfrs::sim {
namespace {

tl::unexpected<std::string> wrong(std::string_view item, std::string_view expected) {
  return tl::unexpected(fmt::format("'{}': expected {}", base::printable(item), expected));
}

}  // namespace

tl::expected<std::vector<Licence>, std::string> parse_licences(std::string_view text) {
  std::vector<Licence> licences;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = text.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals == 0 || equals == std::string_view::npos || item.find_first_of(" \t") != std::string_view::npos) {
      return wrong(item, "NAME=COUNT, without blanks");
    }
    Licence licence{std::string(item.substr(0, equals)), 0};
    if (parse_integer(item.substr(equals + 1), licence.total) != NumberStatus::kOk || licence.total < 1 ||
        licence.total > kMostLicences) {
      return wrong(item, fmt::format("a count from 1 to {}", kMostLicences));
    }
    const auto same = [&](const Licence& other) { return other.name == licence.name; };
    if (std::any_of(licences.begin(), licences.end(), same)) return wrong(item, "each name once");
    licences.push_back(std::move(licence));
    if (comma == text.size()) return licences;
    text.remove_prefix(comma + 1);
  }
}

std::string licences_text(std::span<const Licence> licences) {
  std::string text;
  for (const Licence& licence : licences) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", licence.name, licence.total);
  }
  return text;
}

tl::expected<LicenceSet, std::string> licence_set_of(std::span<const Licence> wanted, const Platform& platform) {
  LicenceSet set;
  for (const Licence& licence : wanted) {
    const auto at = std::find_if(platform.licences.begin(), platform.licences.end(),
                                 [&](const Licence& owned) { return owned.name == licence.name; });
    if (at == platform.licences.end()) {
      return tl::unexpected(fmt::format("the cluster has no licence {}", base::printable(licence.name)));
    }
    if (licence.total > at->total) {
      return tl::unexpected(fmt::format("it needs {} licences {}, and the cluster has {}", licence.total,
                                        base::printable(licence.name), at->total));
    }
    set.push_back({static_cast<std::uint32_t>(at - platform.licences.begin()), licence.total});
  }
  std::sort(set.begin(), set.end(), [](const LicenceUse& a, const LicenceUse& b) { return a.licence < b.licence; });
  return set;
}

std::string licences_text(const Job& job, const Platform& platform) {
  std::vector<Licence> held;
  for (const LicenceUse& use : platform.licences_of(job))
    held.push_back({platform.licences[use.licence].name, use.count});
  return licences_text(held);
}

}  // namespace dfrs::sim
