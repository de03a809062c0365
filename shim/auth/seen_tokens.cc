// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/auth/seen_tokens.h"

#include "base/sha256.h"

namespace dfrs::shim {

SeenTokens::Outcome SeenTokens::add(std::string_view token, std::int64_t until, std::int64_t now) {
  const std::string digest = base::sha256_hex(token);
  const std::lock_guard lock(mutex_);
  while (!by_end_.empty() && by_end_.begin()->first < now) {
    digests_.erase(by_end_.begin()->second);
    by_end_.erase(by_end_.begin());
  }
  if (digests_.contains(digest)) return Outcome::seen;
  if (digests_.size() >= most_) return Outcome::full;
  digests_.insert(digest);
  by_end_.emplace(until, digest);
  return Outcome::fresh;
}

std::size_t SeenTokens::size() const {
  const std::lock_guard lock(mutex_);
  return digests_.size();
}

}  // namespace dfrs::shim
