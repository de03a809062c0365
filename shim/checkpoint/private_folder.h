// SPDX-License-Identifier: GPL-2.0-or-later
// Folders with the memory of jobs in them.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

namespace dfrs::shim {

/// Makes the folder, with those above it, unless it is there. Several nodes may do so at the same time.
/// Error, one line that ends with the option's name: it cannot be made, or others can look into it.
tl::expected<void, std::string> make_private_folder(const std::string& folder, const char* option);

/// Error, one line: the disk of the folder has less room than so many bytes. A disk that does not say counts as empty.
tl::expected<void, std::string> check_room(const std::string& folder, std::uint64_t bytes);
/// So many bytes as text, in MiB, rounded up.
std::string mib(std::uint64_t bytes);

}  // namespace dfrs::shim
