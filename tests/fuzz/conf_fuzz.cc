// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs.conf: every text is either refused with messages of one line, or read to settings that print and read the same.
#include <cstdint>
#include <string>

#include "shim/conf/read_config.h"
#include "tests/fuzz/check.h"

namespace dfrs::shim {
namespace {

void check(std::string_view text) {
  const auto config = parse_config(text, "fuzz.conf");
  if (!config) {
    sim::require(!config.error().empty(), "what is refused has errors");
    for (const ConfigError& error : config.error()) {
      sim::require(!error.message.empty(), "an error has a message");
      sim::require(error.text().find('\n') == std::string::npos, "a message is one line");
    }
    return;
  }
  sim::require(!config->partitions.empty(), "there are partitions");
  const std::string printed = format_config(*config);
  const auto again = parse_config(printed, "printed");
  sim::require(again.has_value(), "what is printed is accepted");
  sim::require(format_config(*again) == printed, "what is printed is read as the same");
}

}  // namespace
}  // namespace dfrs::shim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dfrs::shim::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
