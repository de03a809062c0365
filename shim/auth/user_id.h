// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace dfrs::shim {

/// The id of a user, given by number or by a name that this host knows.
std::optional<uid_t> user_id(const std::string& user);

}  // namespace dfrs::shim
