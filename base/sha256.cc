// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/sha256.h"

#include <nettle/base16.h>
#include <nettle/sha2.h>

#include <array>
#include <cstdint>
#include <istream>
#include <vector>

namespace dfrs::base {
namespace {

void update(sha256_ctx& context, std::string_view bytes) {
  sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

std::string hex_digest(sha256_ctx& context) {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context, digest.size(), digest.data());
  std::string hex(BASE16_ENCODE_LENGTH(SHA256_DIGEST_SIZE), '\0');
  base16_encode_update(hex.data(), digest.size(), digest.data());
  return hex;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  struct sha256_ctx context;
  sha256_init(&context);
  update(context, bytes);
  return hex_digest(context);
}

std::string sha256_hex(std::istream& in) {
  struct sha256_ctx context;
  sha256_init(&context);
  std::vector<char> block(1 << 16);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0) {
    update(context, {block.data(), static_cast<std::size_t>(in.gcount())});
  }
  return hex_digest(context);
}

}  // namespace dfrs::base
