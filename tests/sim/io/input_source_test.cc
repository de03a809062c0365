// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/io/input_source.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "sim/errors.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/io/compressed.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string sample_text() {
  std::string text;
  for (int i = 0; i < 60000; ++i) text += std::to_string(i * 7919 % 100003) + (i % 9 == 8 ? "\n" : " ");
  return text;
}

struct Compression {
  const char* name;
  int (*filter)(struct archive*);
};

class CompressedInput : public testing::TestWithParam<Compression> {};

TEST_P(CompressedInput, ReadsWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string text = sample_text();
  // The ending lies on purpose: the content decides.
  EXPECT_EQ(or_throw(read_text(folder.write("log.swf", compressed(text, GetParam().filter)))), text);
}

TEST_P(CompressedInput, ReadsAnEmptyText) {
  const TemporaryFolder folder;
  EXPECT_EQ(or_throw(read_text(folder.write("log", compressed("", GetParam().filter)))), "");
}

TEST_P(CompressedInput, RefusesTruncatedDataWhereverItEnds) {
  const std::string whole = compressed(sample_text(), GetParam().filter);
  for (const std::size_t size : {std::size_t{8}, whole.size() / 2, whole.size() - 9, whole.size() - 1}) {
    EXPECT_THAT(message_of(kExitInput, decompress(whole.substr(0, size), "week.gz")),
                AllOf(StartsWith("week.gz: damaged or truncated "), HasSubstr(GetParam().name)))
        << size << " of " << whole.size();
  }
}

TEST_P(CompressedInput, RefusesDataWithAFlippedBit) {
  if (GetParam().name == std::string("zstd")) return;  // libarchive writes it without a checksum: tested below
  const std::string whole = compressed(sample_text(), GetParam().filter);
  for (const std::size_t at : {whole.size() / 3, whole.size() / 2, whole.size() - 7}) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    EXPECT_THAT(message_of(kExitInput, decompress(bytes, "log")), StartsWith("log: damaged or truncated "))
        << at << " of " << whole.size();
  }
}

TEST_P(CompressedInput, StopsAtTheLimit) {
  const std::string bomb = compressed(std::string(8 << 20, '0'), GetParam().filter);
  InputOptions options;
  options.max_bytes = 1 << 20;
  EXPECT_THAT(message_of(kExitInput, decompress(bomb, "bomb", options)), StartsWith("bomb: more than 1048576 bytes"));
}

INSTANTIATE_TEST_SUITE_P(Formats, CompressedInput,
                         testing::Values(Compression{"gzip", archive_write_add_filter_gzip},
                                         Compression{"xz", archive_write_add_filter_xz},
                                         Compression{"zstd", archive_write_add_filter_zstd},
                                         Compression{"bzip2", archive_write_add_filter_bzip2}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(InputSource, ComparesTheChecksumOfZstdData) {
  // "1 2 3 4 5 6 7 8 9 10\n" as the zstd program writes it: stored, with a checksum.
  const std::string whole(
      "\x28\xb5\x2f\xfd\x04\x58\xa9\x00\x00\x31\x20\x32\x20\x33\x20\x34\x20\x35\x20\x36\x20\x37\x20\x38\x20\x39\x20\x31"
      "\x30\x0a\x76\x6e\x68\x80",
      34);
  EXPECT_EQ(or_throw(decompress(whole, "log")), "1 2 3 4 5 6 7 8 9 10\n");
  std::string bytes = whole;
  bytes[12] ^= 1;  // one digit
  EXPECT_THAT(message_of(kExitInput, decompress(bytes, "log")), StartsWith("log: damaged or truncated zstd data"));
}

TEST(InputSource, ReadsPlainText) {
  const TemporaryFolder folder;
  EXPECT_EQ(or_throw(read_text(folder.write("a", "1 2 3\n"))), "1 2 3\n");
  EXPECT_EQ(or_throw(read_text(folder.write("empty", ""))), "");
  const std::string binary("\x1f\0\xff plain", 9);
  EXPECT_EQ(or_throw(read_text(folder.write("binary", binary))), binary);
}

TEST(InputSource, ReadsGzipMembersOneAfterAnother) {
  const std::string two =
      compressed("first\n", archive_write_add_filter_gzip) + compressed("second\n", archive_write_add_filter_gzip);
  EXPECT_EQ(or_throw(decompress(two, "log")), "first\nsecond\n");
  EXPECT_EQ(or_throw(decompress(two + std::string(512, '\0'), "log")), "first\nsecond\n");
  EXPECT_THAT(message_of(kExitInput, decompress(two + "tail", "log")), HasSubstr("something else follows"));
}

TEST(InputSource, ReadsAPipe) {
  const TemporaryFolder folder;
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::string text = sample_text();
  std::thread writer([&] { folder.write("fifo", text); });
  EXPECT_EQ(or_throw(read_text(fifo)), text);
  writer.join();
}

TEST(InputSource, ReadsStandardInput) {
  const TemporaryFolder folder;
  const int file = ::open(folder.write("in", "from stdin\n").c_str(), O_RDONLY);
  const int saved = ::dup(STDIN_FILENO);
  ::dup2(file, STDIN_FILENO);
  const Text text = or_throw(read_text("-"));
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(file);
  EXPECT_EQ(text, "from stdin\n");
}

TEST(InputSource, SaysWhyAFileCannotBeRead) {
  const TemporaryFolder folder;
  const std::string missing = folder / "missing.swf";
  EXPECT_EQ(message_of(kExitIo, read_text(missing)), missing + ": cannot open: No such file or directory");
  const std::string path = folder.path().string();
  EXPECT_EQ(message_of(kExitIo, read_text(path)), path + ": cannot read: Is a directory");
  EXPECT_THAT(message_of(kExitIo, read_text("")), StartsWith("the name of the input is empty"));
}

TEST(InputSource, RefusesAPlainFileBeyondTheLimit) {
  const TemporaryFolder folder;
  InputOptions options;
  options.max_bytes = 10;
  EXPECT_EQ(or_throw(read_text(folder.write("ten", "0123456789"), options)), "0123456789");
  EXPECT_EQ(code_of(read_text(folder.write("eleven", "0123456789a"), options)), kExitInput);
}

TEST(InputSource, KnowsUrls) {
  EXPECT_TRUE(is_url("https://example.org/a.swf.gz"));
  EXPECT_TRUE(is_url("HTTP://example.org"));
  EXPECT_FALSE(is_url("http.swf"));
  EXPECT_FALSE(is_url("ftp://example.org/a"));
}

}  // namespace
}  // namespace dfrs::sim
