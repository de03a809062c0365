// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/image.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/hmac_sha256.h"

namespace dfrs::shim {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;
constexpr int kPackedVersion = 2;  // so that no dfrs that knows nothing of it restores a compressed image
constexpr std::size_t kLeastKey = 16;
// So that the key of another purpose (MUNGE's) can serve without one use weakening the other.
constexpr std::string_view kPurpose = "dfrs checkpoint images 1";

std::string body(const Manifest& manifest) {
  Json files = Json::array();
  for (const ImageFile& file : manifest.files)
    files.push_back({{"name", file.name}, {"size", file.size}, {"sha256", file.sha256}});
  const int version = manifest.unpacked != 0 ? kPackedVersion : kVersion;
  const Json json{{"version", version},
                  {"job", manifest.program.job},
                  {"uid", manifest.program.uid},
                  {"rank", manifest.program.rank},
                  {"slot", manifest.program.slot},
                  {"attempt", manifest.attempt},
                  {"restarts", manifest.restarts},
                  {"command", manifest.command},
                  {"streams", manifest.streams},
                  {"stopped", manifest.stopped},
                  {"files", std::move(files)},
                  {"node", manifest.node},
                  {"taken", manifest.taken},
                  {"seconds", manifest.seconds},
                  {"programs", manifest.programs},
                  {"unpacked", manifest.unpacked}};
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// The MAC is right, so this version or a later one of dfrs wrote it: only the version can surprise.
Manifest manifest_of(const Json& json) {
  Manifest manifest;
  manifest.program.job = json.at("job").get<std::uint32_t>();
  manifest.program.uid = json.at("uid").get<std::uint32_t>();
  manifest.program.rank = json.at("rank").get<std::uint32_t>();
  manifest.program.slot = json.at("slot").get<std::string>();
  manifest.attempt = json.at("attempt").get<std::uint64_t>();
  manifest.restarts = json.at("restarts").get<std::uint32_t>();
  manifest.command = json.at("command").get<std::vector<std::string>>();
  manifest.streams = json.at("streams").get<std::vector<std::string>>();
  manifest.stopped = json.at("stopped").get<std::vector<std::int32_t>>();
  for (const Json& file : json.at("files"))
    manifest.files.push_back({file.at("name").get<std::string>(), file.at("size").get<std::uint64_t>(),
                              file.at("sha256").get<std::string>()});
  manifest.node = json.at("node").get<std::string>();
  manifest.taken = json.at("taken").get<std::int64_t>();
  manifest.seconds = json.at("seconds").get<double>();
  manifest.programs = json.value("programs", std::uint32_t{0});
  manifest.unpacked = json.value("unpacked", std::uint64_t{0});
  return manifest;
}

}  // namespace

std::uint64_t Manifest::bytes() const {
  if (unpacked != 0) return unpacked;
  std::uint64_t sum = 0;
  for (const ImageFile& file : files) sum += file.size;
  return sum;
}

ImageKey::ImageKey(std::string_view secret) : key_(base::hmac_sha256(secret, kPurpose)) {}

tl::expected<ImageKey, std::string> ImageKey::read(const std::string& file) {
  const base::Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about{};
  if (!fd || fstat(fd.get(), &about) != 0)
    return tl::unexpected(fmt::format("{}: {}; see --checkpoint-key", file, strerror(errno)));
  if ((about.st_mode & 077) != 0)
    return tl::unexpected(
        fmt::format("{}: others than its owner may read or write this key: chmod 600 it; see --checkpoint-key", file));
  const auto text = base::read_all(fd.get(), 1 << 20);
  if (!text) return tl::unexpected(fmt::format("{}: {}; see --checkpoint-key", file, strerror(text.error())));
  if (text->size() < kLeastKey)
    return tl::unexpected(fmt::format("{}: a key must have at least {} bytes, this one has {}; see --checkpoint-key",
                                      file, kLeastKey, text->size()));
  return ImageKey(*text);
}

std::string ImageKey::mac(std::string_view text) const { return base::hmac_sha256_hex(key_, text); }

std::string seal(const Manifest& manifest, const ImageKey& key) {
  const std::string text = body(manifest);
  return Json{{"manifest", text}, {"mac", key.mac(text)}}.dump() + "\n";
}

tl::expected<Manifest, std::string> unseal(std::string_view text, const ImageKey& key) {
  const auto damaged = [] { return tl::unexpected(std::string("the manifest is damaged")); };
  const Json outer = Json::parse(text, nullptr, false);
  if (!outer.is_object() || !outer.contains("manifest") || !outer.contains("mac")) return damaged();
  if (!outer["manifest"].is_string() || !outer["mac"].is_string()) return damaged();
  const auto inner = outer["manifest"].get<std::string>();
  const auto given = outer["mac"].get<std::string>();
  const std::string right = key.mac(inner);
  if (!base::same_secret(given, right))
    return tl::unexpected(std::string("it was not made with this cluster's key, or was changed afterwards"));
  const Json json = Json::parse(inner, nullptr, false);
  const int version = json.is_object() ? json.value("version", 0) : 0;
  if (version != kVersion && version != kPackedVersion)
    return tl::unexpected(std::string("another version of dfrs made it"));
  try {
    return manifest_of(json);
  } catch (const Json::exception&) {
    return damaged();
  }
}

}  // namespace dfrs::shim
