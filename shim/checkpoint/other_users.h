// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the kernel lets this process see to the programs of other users as CRIU must.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace dfrs::shim {

/// Tries what CRIU does first: asks for the limits of a process that belongs to nobody. In a container the list of
/// capabilities may promise more than the kernel grants. Error, one line: why it cannot, and what would help.
tl::expected<void, std::string> can_dump_others();

}  // namespace dfrs::shim
