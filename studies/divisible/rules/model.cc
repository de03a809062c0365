// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rules/model.h"

#include <algorithm>

namespace dfrs::divisible {

Platform::Platform(std::vector<Cluster> clusters, std::size_t databanks)
    : clusters_(std::move(clusters)), hosts_(databanks), sites_of_(databanks), reach_(databanks) {
  for (ClusterIndex c = 0; c < clusters_.size(); ++c) {
    const Cluster& cluster = clusters_[c];
    power_ += cluster.power();
    for (const DatabankIndex d : cluster.databanks) {
      hosts_[d].push_back(c);
      reach_[d] += cluster.power();
    }
    const auto twin = std::find_if(sites_.begin(), sites_.end(), [&](const Site& site) {
      return clusters_[site.clusters.front()].databanks == cluster.databanks;
    });
    if (twin != sites_.end()) {
      twin->clusters.push_back(c);
      twin->power += cluster.power();
    } else {
      sites_.push_back({{c}, cluster.power()});
    }
  }
  for (std::uint32_t s = 0; s < sites_.size(); ++s) {
    for (const DatabankIndex d : clusters_[sites_[s].clusters.front()].databanks) sites_of_[d].push_back(s);
  }
}

bool Platform::holds(ClusterIndex cluster, DatabankIndex databank) const {
  const std::vector<DatabankIndex>& there = clusters_[cluster].databanks;
  return std::binary_search(there.begin(), there.end(), databank);
}

}  // namespace dfrs::divisible
