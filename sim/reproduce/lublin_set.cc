// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/lublin_set.h"

#include <utility>

#include "sim/workload/scale.h"

namespace dfrs::sim {

Result<std::vector<Instance>> lublin_set(LublinOptions options, std::uint64_t first, std::size_t count, double load) {
  std::vector<Instance> set;
  for (std::size_t k = 0; k < count; ++k) {
    options.seed = first + k;
    Result<Instance> instance = lublin_instance(options);
    if (instance && load > 0) instance = scaled_to_load(*instance, load);
    if (!instance) return tl::unexpected(std::move(instance).error());
    set.push_back(*std::move(instance));
  }
  return set;
}

}  // namespace dfrs::sim
