// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace dfrs::shim {

/// What went wrong, for messages and expectations of tests; "" if nothing did.
inline std::string error_of(const tl::expected<void, std::string>& outcome) {
  return outcome ? std::string() : outcome.error();
}

}  // namespace dfrs::shim
