// SPDX-License-Identifier: GPL-2.0-or-later
// Compressed input: damaged data is refused, and the limit on the unpacked size holds.
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/io/input_source.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dfrs::sim;
  constexpr std::uint64_t kLimit = 1 << 16;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto text = decompress(bytes, "fuzz", {.max_bytes = kLimit, .ca_file = {}});
  if (accepted(text)) require(std::string_view(*text).size() <= kLimit, "unpacked text is within the limit");
  return 0;
}
