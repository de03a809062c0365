// SPDX-License-Identifier: GPL-2.0-or-later
// Instances of divisible load: what is read and written again must be read as the same.
#include <cstdint>
#include <string>
#include <string_view>

#include "studies/divisible/host/instance_file.h"
#include "tests/fuzz/check.h"

namespace dfrs::sim {
namespace {

void check(std::string_view text) {
  const Result<divisible::Instance> instance = divisible::parse_instance(text, "fuzz");
  if (!accepted(instance)) return;
  require(!instance->jobs.empty(), "an instance that was read has jobs");
  require(accepted(divisible::check(*instance)), "what is read can be simulated");
  const Result<divisible::Instance> again = divisible::parse_instance(divisible::format_instance(*instance), "written");
  require(again && *again == *instance, "what is written is read as the same");
}

}  // namespace
}  // namespace dfrs::sim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dfrs::sim::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
