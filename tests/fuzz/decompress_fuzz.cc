// SPDX-License-Identifier: GPL-2.0-or-later
// Unpacking: whatever the bytes, a text within the limit or an InputError.
#include <cstdio>
#include <cstdlib>

#include "sim/errors.h"
#include "sim/io/input_source.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dfrs::sim::InputOptions options;
  options.max_bytes = 1 << 16;
  try {
    const std::string text =
        dfrs::sim::decompress(std::string(reinterpret_cast<const char*>(data), size), "fuzz", options);
    if (text.size() > options.max_bytes && text.size() != size) {
      std::fprintf(stderr, "%zu bytes unpacked, the limit is %zu\n", text.size(),
                   static_cast<std::size_t>(options.max_bytes));
      std::abort();
    }
  } catch (const dfrs::sim::InputError&) {
  }
  return 0;
}
