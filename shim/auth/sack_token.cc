// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/auth/sack_token.h"

#include <nettle/base64.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace dfrs::shim {
namespace {

using Json = nlohmann::json;

// Group lists (AuthInfo=use_client_ids) make tokens long.
constexpr std::size_t kMaxToken = std::size_t{64} << 10;

std::optional<std::string> decode_base64(std::string_view text, bool url) {
  std::string padded(text);
  if (url) padded.append((4 - padded.size() % 4) % 4, '=');
  base64_decode_ctx context;
  if (url)
    base64url_decode_init(&context);
  else
    base64_decode_init(&context);
  std::string bytes(BASE64_DECODE_LENGTH(padded.size()), '\0');
  std::size_t length = bytes.size();
  if (base64_decode_update(&context, &length, reinterpret_cast<std::uint8_t*>(bytes.data()), padded.size(),
                           padded.data()) == 0 ||
      base64_decode_final(&context) == 0) {
    return std::nullopt;
  }
  bytes.resize(length);
  return bytes;
}

std::optional<Json> json_object(std::string_view part) {
  const auto text = decode_base64(part, true);
  if (!text) return std::nullopt;
  Json json = Json::parse(*text, nullptr, false);
  return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
}

std::optional<std::int64_t> whole_number(const Json& claims, const char* name) {
  const auto found = claims.find(name);
  if (found == claims.end() || !found->is_number_integer()) return std::nullopt;
  if (found->is_number_unsigned() &&
      found->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return found->get<std::int64_t>();
}

std::optional<std::string> text_of(const Json& claims, const char* name) {
  const auto found = claims.find(name);
  return found != claims.end() && found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
}

}  // namespace

std::optional<SackClaims> read_sack_token(std::string_view token) {
  if (token.size() > kMaxToken) return std::nullopt;
  const std::size_t first = token.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) return std::nullopt;

  const auto header = json_object(token.substr(0, first));
  const auto claims = json_object(token.substr(first + 1, second - first - 1));
  if (!header || !claims || text_of(*header, "alg") != "HS256") return std::nullopt;
  // Slurm makes tokens for other purposes, too (to launch steps, to copy files).
  const auto context = text_of(*claims, "context");
  if (context != "sack" && context != "auth") return std::nullopt;

  const auto uid = whole_number(*claims, "uid");
  const auto issued = whole_number(*claims, "iat");
  const auto expires = whole_number(*claims, "exp");
  const auto payload = text_of(*claims, "payload");
  if (!uid || *uid < 0 || *uid >= std::numeric_limits<uid_t>::max() || !issued || !expires || !payload)
    return std::nullopt;
  auto bytes = decode_base64(*payload, false);
  if (!bytes) return std::nullopt;
  return SackClaims{static_cast<uid_t>(*uid), *issued, *expires, std::move(*bytes), token.substr(0, second)};
}

}  // namespace dfrs::shim
