// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/packed_image.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/files.h"
#include "shim/checkpoint/keeper_files.h"
#include "shim/checkpoint/private_folder.h"

namespace dfrs::shim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".zst";
// Of zstd's levels the fastest: the program waits for it.
constexpr int kLevel = 1;

using Outcome = tl::expected<void, std::string>;

tl::unexpected<std::string> failed(const std::string& path, int error) {
  return tl::unexpected(fmt::format("{}: {}", path, strerror(error)));
}

struct Files {
  base::Fd in;
  base::Fd out;
};

tl::expected<Files, std::string> open_both(const std::string& from, const std::string& to) {
  Files files{base::Fd(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)), {}};
  if (!files.in) return failed(from, errno);
  files.out = base::Fd(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!files.out) return failed(to, errno);
  return files;
}

// 0: the end.
tl::expected<std::size_t, int> read_some(int fd, std::vector<char>& buffer) {
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return tl::unexpected(errno);
  }
}

// The bytes read.
tl::expected<std::uint64_t, std::string> compress(const std::string& from, const std::string& to) {
  const auto files = open_both(from, to);
  if (!files) return tl::unexpected(files.error());
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (!context) return failed(to, ENOMEM);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  std::vector<char> plain(ZSTD_CStreamInSize()), packed(ZSTD_CStreamOutSize());
  std::uint64_t sum = 0;
  for (bool end = false; !end;) {
    const auto got = read_some(files->in.get(), plain);
    if (!got) return failed(from, got.error());
    end = *got == 0;
    sum += *got;
    ZSTD_inBuffer in{plain.data(), *got, 0};
    for (bool more = true; more;) {
      ZSTD_outBuffer out{packed.data(), packed.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context.get(), &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0)
        return tl::unexpected(fmt::format("{}: cannot be compressed: {}", from, ZSTD_getErrorName(left)));
      if (const auto done = base::write_all(files->out.get(), {packed.data(), out.pos}); !done)
        return failed(to, done.error());
      more = end ? left != 0 : in.pos < in.size;
    }
  }
  return sum;
}

// Zeros, as much memory of programs is, take no room on the disk.
tl::expected<void, int> write_sparse(int fd, std::string_view bytes) {
  if (std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0; })) {
    if (::lseek(fd, static_cast<off_t>(bytes.size()), SEEK_CUR) < 0) return tl::unexpected(errno);
    return {};
  }
  return base::write_all(fd, bytes);
}

// Adds the bytes written to `sum`, which may not exceed `most`.
Outcome decompress(const std::string& from, const std::string& to, std::uint64_t& sum, std::uint64_t most) {
  const auto damaged = [&](const char* why) { return tl::unexpected(fmt::format("{}: {}", from, why)); };
  const auto files = open_both(from, to);
  if (!files) return tl::unexpected(files.error());
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context) return failed(to, ENOMEM);
  std::vector<char> packed(ZSTD_DStreamInSize()), plain(ZSTD_DStreamOutSize());
  std::uint64_t written = 0;
  std::size_t hint = 1;  // 0: the frame is complete
  for (;;) {
    const auto got = read_some(files->in.get(), packed);
    if (!got) return failed(from, got.error());
    if (*got == 0) break;
    ZSTD_inBuffer in{packed.data(), *got, 0};
    for (bool more = true; more;) {
      ZSTD_outBuffer out{plain.data(), plain.size(), 0};
      hint = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_isError(hint) != 0) return damaged(ZSTD_getErrorName(hint));
      if (sum + out.pos > most) return damaged("has more bytes than the manifest says");
      if (const auto done = write_sparse(files->out.get(), {plain.data(), out.pos}); !done)
        return failed(to, done.error());
      sum += out.pos;
      written += out.pos;
      more = in.pos < in.size || (hint != 0 && out.pos == out.size);
    }
  }
  if (hint != 0) return damaged("is truncated");
  if (::ftruncate(files->out.get(), static_cast<off_t>(written)) != 0) return failed(to, errno);
  return {};
}

}  // namespace

tl::expected<ScratchFolder, std::string> ScratchFolder::make(std::string path, std::uint64_t bytes) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error || ::mkdir(path.c_str(), 0700) != 0) return failed(path, error ? error.value() : errno);
  ScratchFolder folder(std::move(path));
  if (auto room = check_room(folder.path_, bytes); !room) return tl::unexpected(room.error());
  return folder;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

tl::expected<std::uint64_t, std::string> pack_image(const std::string& plain, const std::string& packed) {
  std::uint64_t sum = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(plain, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().lexically_relative(plain).string();
    if (entry->is_directory(error)) {
      if (::mkdir((packed + "/" + name).c_str(), 0700) != 0) return failed(packed + "/" + name, errno);
      continue;
    }
    const auto bytes = compress(entry->path().string(), fmt::format("{}/{}{}", packed, name, kEnding));
    if (!bytes) return tl::unexpected(bytes.error());
    sum += *bytes;
  }
  if (error) return failed(plain, error.value());
  return sum;
}

Outcome unpack_image(const std::string& packed, const Manifest& manifest, const std::string& plain) {
  std::uint64_t sum = 0;
  for (const ImageFile& file : manifest.files) {
    std::string_view name = file.name;
    if (!name.ends_with(kEnding)) return tl::unexpected(fmt::format("{} is not compressed", file.name));
    name.remove_suffix(kEnding.size());
    if (const std::string to = fs::path(plain) / fs::path(name).parent_path();
        ::mkdir(to.c_str(), 0700) != 0 && errno != EEXIST)
      return failed(to, errno);
    auto done = decompress(packed + "/" + file.name, fmt::format("{}/{}", plain, name), sum, manifest.unpacked);
    if (!done) return done;
  }
  if (sum != manifest.unpacked) return tl::unexpected(std::string("it has fewer bytes than the manifest says"));
  return {};
}

void remove_scratch_of_dead(const std::string& scratch, const std::string& run_dir) {
  const auto folder = base::open_folder(AT_FDCWD, scratch);
  const auto names = folder ? base::list_folder(folder->get(), true) : tl::unexpected(0);
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    if (keeper_lives(run_dir, (*names)[i])) continue;
    std::error_code ignored;
    fs::remove_all(scratch + "/" + (*names)[i], ignored);
  }
}

}  // namespace dfrs::shim
