// SPDX-License-Identifier: GPL-2.0-or-later
// Folders with the memory of jobs in them.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace dfrs::shim {

/// Makes the folder, with those above it, unless it is there. Several nodes may do so at the same time.
/// Error, one line that ends with the option's name: it cannot be made, or others can look into it.
tl::expected<void, std::string> make_private_folder(const std::string& folder, const char* option);

}  // namespace dfrs::shim
