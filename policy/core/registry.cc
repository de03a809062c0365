// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/core/registry.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "policy/core/nearest_name.h"

// The table, generated from policy/registry.mk, has a line DFRS_POLICY_FAMILY(name) per family. A test brings its own.
#ifndef DFRS_REGISTRY_TABLE
#define DFRS_REGISTRY_TABLE "policy/core/registry_table.h"
#endif

namespace dfrs {

#define DFRS_POLICY_FAMILY(family) extern const PolicyFamily family;
#include DFRS_REGISTRY_TABLE
#undef DFRS_POLICY_FAMILY

namespace {

constexpr std::array kFamilies{
#define DFRS_POLICY_FAMILY(family) &family,
#include DFRS_REGISTRY_TABLE
#undef DFRS_POLICY_FAMILY
};

std::string without_blanks(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c != ' ' && c != '\t') out += c;
  }
  return out;
}

NameMatch match(const PolicyFamily& family, std::string_view name) {
  if (family.parse != nullptr) {
    if (NameMatch found = family.parse(name); !found || *found) return found;
  }
  for (Algorithm& algorithm : family.list()) {
    if (same_name(name, algorithm_name(algorithm))) return std::move(algorithm);
  }
  return std::nullopt;
}

std::string nearest_algorithm(std::string_view name) {
  std::vector<std::string> spellings;
  for (const PolicyFamily* family : kFamilies) {
    if (family->spellings != nullptr) {
      for (std::string& spelling : family->spellings()) spellings.push_back(std::move(spelling));
    } else {
      for (const Algorithm& algorithm : family->list()) spellings.push_back(algorithm_name(algorithm));
    }
  }
  return std::string(nearest_name(name, spellings));
}

tl::unexpected<Error> bad_name(std::string_view name, const std::string& why) {
  // An overlong name is cut before it is compared and printed.
  const std::string shown(name.substr(0, 80));
  return tl::unexpected<Error>(
      Error{ErrorCode::bad_algorithm,
            "unknown algorithm '" + shown + "': " + why + "; did you mean '" + nearest_algorithm(shown) + "'?"});
}

}  // namespace

std::span<const PolicyFamily* const> policy_families() { return kFamilies; }

std::vector<Algorithm> registered_algorithms() {
  std::vector<Algorithm> all;
  for (const PolicyFamily* family : kFamilies) {
    for (Algorithm& algorithm : family->list()) all.push_back(std::move(algorithm));
  }
  return all;
}

std::optional<std::vector<Algorithm>> algorithms_of_family(std::string_view name) {
  for (const PolicyFamily* family : kFamilies) {
    if (family->name == name) return family->list();
  }
  return std::nullopt;
}

tl::expected<Algorithm, Error> parse_algorithm(std::string_view given) {
  const std::string name = without_blanks(given);
  if (name.empty()) return bad_name(given, "the name is empty");
  NameMatch result;  // the first family that recognises the name, and rejects it, says why
  for (const PolicyFamily* family : kFamilies) {
    NameMatch found = match(*family, name);
    if (found && *found) return std::move(**found);
    if (!found && result) result = std::move(found);
  }
  return bad_name(given, result ? "no policy has that name" : result.error());
}

std::vector<const OptionTable*> option_tables() {
  std::vector<const OptionTable*> all;
  for (const PolicyFamily* family : kFamilies) {
    if (family->options != nullptr) all.push_back(family->options);
  }
  return all;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_case(x) == lower_case(y); });
}

bool name_starts_with(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && same_name(text.substr(0, prefix.size()), prefix);
}

std::optional<Seconds> seconds_from_name(std::string_view digits) {
  Seconds value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || !(value > 0) || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::string seconds_in_name(Seconds value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

}  // namespace dfrs
