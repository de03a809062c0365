// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/auth/user_id.h"

#include <pwd.h>

#include <charconv>

namespace dfrs::shim {

std::optional<uid_t> user_id(const std::string& user) {
  uid_t number = 0;
  const auto [end, code] = std::from_chars(user.data(), user.data() + user.size(), number);
  if (code == std::errc{} && end == user.data() + user.size()) return number;
  std::string buffer(1 << 16, '\0');
  passwd entry{};
  passwd* found = nullptr;
  if (getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return {};
  return entry.pw_uid;
}

}  // namespace dfrs::shim
