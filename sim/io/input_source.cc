// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/io/input_source.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <libdeflate.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/files.h"
#include "base/sha256.h"
#include "sim/errors.h"
#include "sim/io/http.h"

namespace dfrs::sim {
namespace {

constexpr std::string_view kGzipMagic{"\x1f\x8b", 2};
constexpr std::string_view kBzip2Magic{"BZh", 3};
constexpr std::string_view kXzMagic{"\xfd\x37\x7a\x58\x5a\x00", 6};
constexpr std::string_view kZstdMagic{"\x28\xb5\x2f\xfd", 4};
constexpr std::size_t kBlock = std::size_t{1} << 18;

tl::unexpected<Error> too_long(const std::string& name, std::uint64_t max_bytes) {
  return input_error(fmt::format("{}: more than {} bytes of text; is this a workload log?", name, max_bytes));
}

tl::unexpected<Error> damaged(const std::string& name, std::string_view format, std::string_view why) {
  return input_error(
      fmt::format("{}: damaged or truncated {} data ({}); fetch or compress the file again", name, format, why));
}

Result<std::string> read_descriptor(int fd, const std::string& name, std::uint64_t max_bytes) {
  auto bytes = base::read_all(fd, max_bytes);
  if (bytes) return std::move(*bytes);
  if (bytes.error() == EFBIG) return too_long(name, max_bytes);
  return io_error(fmt::format("{}: cannot read: {}", name, std::strerror(bytes.error())));
}

// Unpacks a file of one gzip member, as nearly all are, in one call: libdeflate needs both texts whole in memory and is
// several times faster than zlib. Nothing for other files (several members, damaged data, more text than allowed): zlib
// reads those or says what is wrong.
std::optional<Text> inflate_at_once(const std::string& bytes, std::uint64_t max_bytes) {
  constexpr std::size_t kLeast = 18;            // bytes of the smallest member
  constexpr std::uint64_t kMostPerByte = 1032;  // deflate's largest expansion
  if (bytes.size() < kLeast) return std::nullopt;
  std::uint32_t length = 0;  // the member's last four bytes: the text's length modulo 2^32, little-endian
  for (std::size_t k = 1; k <= 4; ++k) length = length << 8 | static_cast<unsigned char>(bytes[bytes.size() - k]);
  if (length > max_bytes || length > kMostPerByte * bytes.size()) return std::nullopt;
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> reader(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (reader == nullptr) throw std::bad_alloc();
  Text text = Text::unwritten(length);
  std::size_t taken = 0;
  std::size_t made = 0;
  const libdeflate_result result =
      libdeflate_gzip_decompress_ex(reader.get(), bytes.data(), bytes.size(), text.data(), length, &taken, &made);
  if (result != LIBDEFLATE_SUCCESS || taken != bytes.size() || made != length) return std::nullopt;
  return text;
}

// zlib and not libarchive: libarchive 3.6 does not check a gzip member's checksum and length.
Result<std::string> inflate_gzip(const std::string& bytes, const std::string& name, std::uint64_t max_bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);

  std::string text;
  std::size_t taken = 0;
  text.resize(std::max<std::size_t>(kBlock, std::min<std::uint64_t>(bytes.size() * 6, max_bytes)));
  std::size_t made = 0;
  for (;;) {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    const std::size_t offered = std::min(bytes.size() - taken, kMost);
    const std::size_t room = std::min(text.size() - made, kMost);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken));
    stream.avail_in = static_cast<uInt>(offered);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + made);
    stream.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream, Z_NO_FLUSH);
    taken += offered - stream.avail_in;
    made += room - stream.avail_out;
    if (made > max_bytes) return too_long(name, max_bytes);
    if (status == Z_STREAM_END) {
      const std::string_view rest = std::string_view(bytes).substr(taken);
      if (rest.find_first_not_of('\0') == std::string_view::npos) break;  // nothing, or the padding of a tape block
      if (!rest.starts_with(kGzipMagic)) return damaged(name, "gzip", "something else follows the compressed data");
      inflateReset(&stream);
      continue;
    }
    if (status == Z_DATA_ERROR || status == Z_NEED_DICT) {
      return damaged(name, "gzip", stream.msg != nullptr ? stream.msg : "bad data");
    }
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (made == text.size()) {
      text.resize(text.size() * 2);
    } else if (taken == bytes.size()) {
      return damaged(name, "gzip", "the data ends too early");
    }
  }
  text.resize(made);
  return text;
}

Result<std::string> unpack_with_libarchive(const std::string& bytes, const std::string& name, std::string_view format,
                                           int (*support_filter)(struct archive*), std::uint64_t max_bytes) {
  const std::unique_ptr<struct archive, int (*)(struct archive*)> reader(archive_read_new(), archive_read_free);
  if (reader == nullptr) throw std::bad_alloc();
  struct archive* const a = reader.get();
  const auto damage = [&] {
    return damaged(name, format, archive_error_string(a) != nullptr ? archive_error_string(a) : "bad data");
  };
  if (support_filter(a) < ARCHIVE_WARN) {
    return io_error(fmt::format("{}: this build of libarchive cannot unpack {}", name, format));
  }
  archive_read_support_format_raw(a);
  archive_read_support_format_empty(a);  // the raw format refuses a file that unpacks to nothing
  if (archive_read_open_memory(a, bytes.data(), bytes.size()) < ARCHIVE_OK) return damage();
  struct archive_entry* entry = nullptr;
  const int found = archive_read_next_header(a, &entry);
  // libarchive takes data with an incomplete header for plain text.
  if (archive_filter_code(a, 0) == ARCHIVE_FILTER_NONE) return damaged(name, format, "incomplete beginning");
  if (found == ARCHIVE_EOF) return std::string();
  if (found < ARCHIVE_OK) return damage();

  std::string text;
  std::size_t made = 0;
  text.resize(std::max<std::size_t>(kBlock, std::min<std::uint64_t>(bytes.size() * 6, max_bytes)));
  for (;;) {
    if (made == text.size()) text.resize(text.size() * 2);
    const la_ssize_t got = archive_read_data(a, text.data() + made, text.size() - made);
    if (got < 0) return damage();
    if (got == 0) break;
    made += static_cast<std::size_t>(got);
    if (made > max_bytes) return too_long(name, max_bytes);
  }
  text.resize(made);
  return text;
}

}  // namespace

std::string source_name(const std::string& source) { return source == "-" ? "<stdin>" : source; }

bool is_url(std::string_view source) {
  const auto starts = [&](std::string_view scheme) {
    return source.size() >= scheme.size() &&
           std::equal(scheme.begin(), scheme.end(), source.begin(), [](char a, char b) {
             return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
           });
  };
  return starts("http://") || starts("https://");
}

Result<Text> decompress(std::string bytes, const std::string& name, const InputOptions& options) {
  const std::string_view view(bytes);
  if (view.starts_with(kGzipMagic)) {
    if (auto text = inflate_at_once(bytes, options.max_bytes)) return std::move(*text);
    return inflate_gzip(bytes, name, options.max_bytes);
  }
  if (view.starts_with(kXzMagic)) {
    return unpack_with_libarchive(bytes, name, "xz", archive_read_support_filter_xz, options.max_bytes);
  }
  if (view.starts_with(kZstdMagic)) {
    return unpack_with_libarchive(bytes, name, "zstd", archive_read_support_filter_zstd, options.max_bytes);
  }
  if (view.starts_with(kBzip2Magic)) {
    return unpack_with_libarchive(bytes, name, "bzip2", archive_read_support_filter_bzip2, options.max_bytes);
  }
  return bytes;
}

namespace {

Result<std::string> read_bytes(const std::string& source, const InputOptions& options) {
  const std::string name = source_name(source);
  if (source.empty()) return io_error("the name of the input is empty; give a file, a URL or - for standard input");
  if (is_url(source)) {
    HttpOptions http;
    http.ca_file = options.ca_file;
    http.max_bytes = options.max_bytes;
    return http_get(source, http);
  }
  if (source == "-") return read_descriptor(STDIN_FILENO, name, options.max_bytes);
  const base::Fd file(::open(source.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return io_error(fmt::format("{}: cannot open: {}", name, std::strerror(errno)));
  return read_descriptor(file.get(), name, options.max_bytes);
}

}  // namespace

Result<Text> read_text(const std::string& source, const InputOptions& options) {
  return read_bytes(source, options).and_then([&](std::string bytes) {
    return decompress(std::move(bytes), source_name(source), options);
  });
}

Result<Text> read_text(const std::string& source, const InputOptions& options, std::string& sha256) {
  return read_bytes(source, options).and_then([&](std::string bytes) {
    sha256 = base::sha256_hex(bytes);
    return decompress(std::move(bytes), source_name(source), options);
  });
}

}  // namespace dfrs::sim
