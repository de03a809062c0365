// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include "sim/campaign/origin.h"

namespace dfrs::sim {

/// The origins as a list of objects with the names of origin_columns(), and the command lines that repeat the results.
inline nlohmann::ordered_json origin_json(const CampaignOrigin& origin) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const ResultOrigin& one : origin.origins) {
    nlohmann::ordered_json object;
    for (const OriginColumn& column : origin_columns()) object[std::string(column.name)] = one.*column.field;
    results.push_back(std::move(object));
  }
  return {{"results", std::move(results)}, {"repeat_with", origin.commands()}};
}

}  // namespace dfrs::sim
