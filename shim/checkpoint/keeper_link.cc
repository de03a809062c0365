// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/keeper_link.h"

#include <nlohmann/json.hpp>

namespace dfrs::shim {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostReason = 1000;

}  // namespace

// Both sides are of one installation and run as root: what is not as expected is no message.

std::string format_order(const KeeperOrder& order) {
  return Json{{"do", static_cast<int>(order.what)},
              {"attempt", order.attempt},
              {"restarts", order.restarts},
              {"programs", order.programs},
              {"suspended", order.suspended}}
      .dump();
}

std::optional<KeeperOrder> parse_order(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  try {
    const int what = json.at("do").get<int>();
    if (what < 0 || what > static_cast<int>(KeeperDo::resume)) return std::nullopt;
    return KeeperOrder{static_cast<KeeperDo>(what), json.at("attempt").get<std::uint64_t>(),
                       json.at("restarts").get<std::uint32_t>(), json.at("programs").get<std::uint32_t>(),
                       json.at("suspended").get<bool>()};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string format_status(const KeeperStatus& status) {
  Json json{{"state", static_cast<int>(status.state)},
            {"attempt", status.attempt},
            {"reason", status.outcome ? std::string() : status.outcome.error().substr(0, kMostReason)},
            {"bytes", status.bytes},
            {"seconds", status.seconds}};
  if (status.restored) {
    json["restored"] = {{"attempt", status.restored->attempt},
                        {"bytes", status.restored->bytes},
                        {"seconds", status.restored->seconds},
                        {"age", status.restored->age}};
  }
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::optional<KeeperStatus> parse_status(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  try {
    const int state = json.at("state").get<int>();
    if (state < 0 || state > static_cast<int>(KeeperState::failed)) return std::nullopt;
    KeeperStatus status;
    status.state = static_cast<KeeperState>(state);
    status.attempt = json.at("attempt").get<std::uint64_t>();
    auto reason = json.at("reason").get<std::string>();  // empty: there is none
    if (status.state == KeeperState::failed || !reason.empty()) status.outcome = tl::unexpected(std::move(reason));
    status.bytes = json.at("bytes").get<std::uint64_t>();
    status.seconds = json.at("seconds").get<double>();
    if (json.contains("restored")) {
      const Json& restored = json["restored"];
      status.restored = {restored.at("attempt").get<std::uint64_t>(), restored.at("bytes").get<std::uint64_t>(),
                         restored.at("seconds").get<double>(), restored.at("age").get<double>()};
    }
    return status;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace dfrs::shim
