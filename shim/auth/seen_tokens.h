// SPDX-License-Identifier: GPL-2.0-or-later
// A memory of tokens for as long as they are valid, so that none counts twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace dfrs::shim {

class SeenTokens {
 public:
  explicit SeenTokens(std::size_t most = std::size_t{1} << 20) : most_(most) {}

  enum class Outcome { fresh, seen, full };
  /// Takes in a token that is valid until `until`; `now` on the same clock, s. Any thread. Amortised O(log n).
  Outcome add(std::string_view token, std::int64_t until, std::int64_t now);
  std::size_t size() const;  ///< any thread

 private:
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::unordered_set<std::string> digests_;
  std::set<std::pair<std::int64_t, std::string>> by_end_;
};

}  // namespace dfrs::shim
