// SPDX-License-Identifier: GPL-2.0-or-later
// Names of algorithms: a name is refused with a reason, or means an algorithm whose canonical name means the same.
#include <cstdint>
#include <cstdlib>

#include "policy/core/algorithm.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = dfrs::parse_algorithm({reinterpret_cast<const char*>(data), size});
  if (!parsed) {
    if (parsed.error().code != dfrs::ErrorCode::bad_algorithm || parsed.error().message.empty()) std::abort();
    return 0;
  }
  const std::string name = dfrs::algorithm_name(*parsed);
  const auto again = dfrs::parse_algorithm(name);
  if (!again || dfrs::algorithm_name(*again) != name || parsed->description.empty()) std::abort();
  return 0;
}
