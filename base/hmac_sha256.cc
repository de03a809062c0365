// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/hmac_sha256.h"

#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>

#include <cstdint>

namespace dfrs::base {
namespace {

const std::uint8_t* bytes_of(std::string_view text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

}  // namespace

std::string hmac_sha256(std::string_view key, std::string_view text) {
  struct hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key.size(), bytes_of(key));
  hmac_sha256_update(&context, text.size(), bytes_of(text));
  std::string digest(SHA256_DIGEST_SIZE, '\0');
  hmac_sha256_digest(&context, digest.size(), reinterpret_cast<std::uint8_t*>(digest.data()));
  return digest;
}

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
  const std::string digest = hmac_sha256(key, text);
  std::string hex(BASE16_ENCODE_LENGTH(SHA256_DIGEST_SIZE), '\0');
  base16_encode_update(hex.data(), digest.size(), bytes_of(digest));
  return hex;
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && memeql_sec(a.data(), b.data(), a.size()) != 0;
}

}  // namespace dfrs::base
