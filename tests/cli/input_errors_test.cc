// SPDX-License-Identifier: GPL-2.0-or-later
// Bad input: one message that names the place and what was expected, exit code 3 or 4, no crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/cli/process.h"
#include "tests/cli/samples.h"
#include "tests/sim/io/compressed.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using ::testing::HasSubstr;

// Runs EASY on `text` in a file of that name and expects exit code 3.
void expect_refused(const std::string& name, const std::string& text, std::initializer_list<std::string_view> texts,
                    const std::vector<std::string>& options = {}) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{"run", folder.write(name, text), "-a", "EASY"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  expect_failure(dfrs_sim(arguments), kExitInput, texts);
}

std::string swf_with(const std::string& line) { return "; MaxProcs: 4\n" + swf_line(1, 0, 10, 1) + line; }
std::string trace_with(const std::string& line) { return small_trace() + line; }

TEST(CliInput, MalformedSwfLinesAreNamed) {
  expect_refused("a.swf", swf_with("2 10 -1 x 1 -1 -1 1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n"),
                 {"a.swf:3", "run time", "'x'", "expected a number"});
  expect_refused("b.swf", swf_with("2 10 -1 5 1\n"), {"b.swf:3", "5 fields", "expected 18"});
  expect_refused("c.swf", swf_with("2 10 -1 5 1.5 -1 -1 1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n"),
                 {"c.swf:3", "allocated processors", "expected an integer"});
  expect_refused("d.swf", swf_with("2 10 -1 5 1 -1 -1 1 -1 -1 1 1 1 -1 -1 -1 -1 -1 7\n"), {"d.swf:3", "18 fields"});
  expect_refused("e.swf", swf_with(swf_line(1, 20, 10, 1)), {"e.swf:3", "job number 1", "already used"});
  expect_refused("f.swf", swf_with("2 nan -1 5 1 -1 -1 1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n"), {"f.swf:3", "submit time"});
  expect_refused("g.swf", swf_with("2 1e999 -1 5 1 -1 -1 1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n"),
                 {"g.swf:3", "submit time", "out of range"});
  expect_refused("h.swf", swf_with("2 10 -1 5 99999999999 -1 -1 1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n"),
                 {"h.swf:3", "allocated processors", "out of range"});
}

TEST(CliInput, RecordsWithoutTimesAreSkippedAndCounted) {
  const TemporaryFolder folder;
  const std::string log = folder.write(
      "log.swf", "; MaxProcs: 4\n" + swf_line(1, 0, 10, 1) + swf_line(2, -1, 10, 1) + swf_line(3, 5, -1, 1));
  const Outcome outcome = dfrs_sim({"run", log, "-a", "EASY"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("(1 job, 4 nodes)"));
  EXPECT_THAT(outcome.err, HasSubstr("1 record skipped: submit time missing (first: line 3)"));
  EXPECT_THAT(outcome.err, HasSubstr("1 record skipped: run time missing (first: line 4)"));
  expect_refused("none.swf", "; MaxProcs: 4\n" + swf_line(1, 0, -5, 1), {"none.swf", "run time negative"});
}

TEST(CliInput, TraceErrorsNameTheLine) {
  expect_refused("a.dfrs", trace_with("4 -1 1 1 1 1 1\n"), {"a.dfrs:7", "submit", "'-1'"});
  expect_refused("b.dfrs", trace_with("4 5 1 1 1 1 1\n"), {"b.dfrs:7", "submit"});
  expect_refused("c.dfrs", trace_with("4 30 1 1 1 -2 1\n"), {"c.dfrs:7", "run_time", "'-2'"});
  expect_refused("d.dfrs", trace_with("4 30 1 1 1\n"), {"d.dfrs:7", "5 fields", "expected 7"});
  expect_refused("e.dfrs", trace_with("3 30 1 1 1 1 1\n"), {"e.dfrs:7", "3"});
  expect_refused("f.dfrs", trace_with("4 30 1 1 1001 1 1\n"), {"f.dfrs:7", "1001 MiB"});
  expect_refused("g.dfrs", trace_with("4 30 3 1 700 1 1\n"), {"g.dfrs:7", "3 tasks"});
  expect_refused("h.dfrs", trace_with("4 30 1 1.5 1 1 1\n"), {"h.dfrs:7", "1.5", "CPU"});
  expect_refused("i.dfrs", trace_with("4 30 0 1 1 1 1\n"), {"i.dfrs:7", "tasks"});
  expect_refused("j.dfrs", "; dfrs-trace: 2\n; Name: x\n", {"j.dfrs:1", "version"});
  expect_refused("k.dfrs", "; dfrs-trace: 1\n; Name: x\n1 0 1 1 1 1 1\n", {"k.dfrs", "Nodes"});
  expect_refused("l.dfrs", "; dfrs-trace: 1\n; Name: x\n; Nodes: 2 cpu 1 memory 1000\n", {"l.dfrs", "no job"});
}

TEST(CliInput, JobsLargerThanTheMachineAreNamed) {
  expect_refused("a.swf", swf_with(swf_line(2, 5, 10, 5)), {"a.swf:3", "job 2", "5 processors", "4"});
  expect_refused("b.swf", swf_with(swf_line(2, 5, 10, 4, -1, 3000 * 1024)), {"b.swf:3", "job 2", "3000 MiB"},
                 {"--memory", "2048"});
  expect_refused("c.swf", swf_with(swf_line(2, 5, 10, 4)), {"c.swf:3", "2"}, {"--nodes", "2"});
}

TEST(CliInput, TextsWithoutJobsAreRefused) {
  expect_refused("empty", "", {"empty", "no job records"});
  expect_refused("blank", "\n \n\t\n", {"blank", "no job records"});
  expect_refused("header.swf", "; Version: 2.2\n; MaxProcs: 4\n", {"header.swf", "no job records"});
}

TEST(CliInput, DamagedCompressionIsNamed) {
  const std::string text = small_trace() + std::string(4000, ';') + "\n";
  const struct {
    const char* ending;
    std::string bytes;
  } kinds[] = {{".gz", compressed(text, archive_write_add_filter_gzip)},
               {".xz", compressed(text, archive_write_add_filter_xz)},
               {".zst", compressed(text, archive_write_add_filter_zstd)},
               {".bz2", compressed(text, archive_write_add_filter_bzip2)}};
  for (const auto& kind : kinds) {
    const TemporaryFolder folder;
    EXPECT_THAT(output_of({"run", folder.write(std::string("whole") + kind.ending, kind.bytes), "-a", "EASY"}),
                HasSubstr("small (3 jobs, 2 nodes)"));
    expect_refused(std::string("cut") + kind.ending, kind.bytes.substr(0, kind.bytes.size() * 2 / 3),
                   {std::string("cut") + kind.ending});
    expect_refused(std::string("tail") + kind.ending, kind.bytes.substr(0, kind.bytes.size() - 3),
                   {std::string("tail") + kind.ending});
    std::string damaged = kind.bytes;
    for (std::size_t at = damaged.size() / 3; at < damaged.size() * 2 / 3; ++at) damaged[at] = '\x5a';
    expect_refused(std::string("damaged") + kind.ending, damaged, {std::string("damaged") + kind.ending});
  }
  expect_refused("garbage.gz", std::string("\x1f\x8b") + std::string(300, '\x33'), {"garbage.gz"});
}

TEST(CliInput, FilesThatCannotBeReadAreNamedWithTheReason) {
  const TemporaryFolder folder;
  const std::string missing = folder / "missing.swf";
  expect_failure(dfrs_sim({"run", missing, "-a", "EASY"}), kExitIo, {missing, "No such file"});
  const std::string itself = folder.path().string();
  expect_failure(dfrs_sim({"run", itself, "-a", "EASY"}), kExitIo, {itself, "directory"});
  expect_failure(dfrs_sim({"run", "", "-a", "EASY"}), kExitIo, {"name of the input is empty"});
  for (const char* command : {"compare", "bound", "annotate", "report", "demo"}) {
    expect_failure(dfrs_sim({command, missing}, {.folder = itself}), kExitIo, {missing, "No such file"});
  }
}

TEST(CliInput, UnreadableFilesAreNamedWithTheReason) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TemporaryFolder folder;
  const std::string path = folder.write("secret.swf", small_swf());
  std::filesystem::permissions(path, std::filesystem::perms::none);
  expect_failure(dfrs_sim({"run", path, "-a", "EASY"}), kExitIo, {path, "Permission denied"});
}

TEST(CliInput, GarbageIsRefusedInAShortMessage) {
  std::string noise;
  unsigned state = 12345;
  for (int k = 0; k < 100000; ++k) {
    state = state * 1103515245U + 12345U;
    noise += static_cast<char>(state >> 16);
  }
  expect_refused("noise.swf", noise, {"noise.swf:1"});
  expect_refused("nul.swf", swf_with(std::string("2 10 -1 \0 1 -1 -1 1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n", 47)),
                 {"nul.swf:3", "run time"});
  expect_refused("nul.dfrs", trace_with(std::string("4 3\0 1 1 1 1 1\n", 15)), {"nul.dfrs:7", "submit"});
  expect_refused("wide.swf", swf_with(std::string(1 << 24, '7') + "\n"), {"wide.swf:3", "job number"});
  expect_refused("long.swf", swf_with(std::string(1 << 24, ' ') + "7\n"), {"long.swf:3", "1 field"});
  // Control characters of a file never reach the terminal.
  const TemporaryFolder folder;
  const Outcome outcome = dfrs_sim({"run", folder.write("escape.swf", swf_with("2 \x1b[31m\x07 1\n")), "-a", "EASY"});
  EXPECT_EQ(outcome.exit_code, kExitInput);
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
  EXPECT_EQ(outcome.err.find('\x07'), std::string::npos);
}

TEST(CliInput, CarriageReturnsAreBlanks) {
  const auto with_crlf = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, "\r");
    return text;
  };
  for (const std::string& text : {small_swf(), small_trace()}) {
    EXPECT_EQ(without_origin(output_of({"run", "-", "-a", "EASY"}, {.input = with_crlf(text)})),
              without_origin(output_of({"run", "-", "-a", "EASY"}, {.input = text})));
  }
}

TEST(CliInput, StandardInputMayBeCompressed) {
  const std::string plain = without_origin(output_of({"run", "-", "-a", "EASY"}, {.input = small_swf()}));
  EXPECT_THAT(plain, HasSubstr("stdin (3 jobs, 4 nodes)"));
  for (const auto kind : {archive_write_add_filter_gzip, archive_write_add_filter_xz, archive_write_add_filter_zstd}) {
    EXPECT_EQ(without_origin(output_of({"run", "-", "-a", "EASY"}, {.input = compressed(small_swf(), kind)})), plain);
  }
  expect_failure(dfrs_sim({"run", "-", "-a", "EASY"}, {.input = swf_with("oops\n")}), kExitInput, {"<stdin>:3"});
  expect_failure(dfrs_sim({"run", "-", "-a", "EASY"}), kExitInput, {"<stdin>", "no job records"});
}

TEST(CliInput, RunTakesOneInstance) {
  const std::string two = small_trace() + small_trace();
  expect_failure(dfrs_sim({"run", "-", "-a", "EASY"}, {.input = two}), kExitUsage, {"2 instances", "compare"});
  EXPECT_THAT(output_of({"run", "-", "-a", "EASY", "--take", "1"}, {.input = two}), HasSubstr("small (3 jobs"));
}

TEST(CliInput, LenientSkipsAndCounts) {
  const std::string log =
      swf_with(swf_line(2, 5, 10, 9)) + "broken line\n3 4\n" + swf_line(1, 7, 10, 1) + swf_line(4, 8, 10, 2);
  expect_failure(dfrs_sim({"run", "-", "-a", "EASY"}, {.input = log}), kExitInput, {"<stdin>:"});
  const Outcome outcome = dfrs_sim({"run", "-", "-a", "EASY", "--lenient"}, {.input = log});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("(2 jobs, 4 nodes)"));
  EXPECT_THAT(outcome.err, HasSubstr("2 records skipped: malformed line (first: line 4)"));
  EXPECT_THAT(outcome.err, HasSubstr("1 record skipped: larger than the machine (first: line 3)"));
  EXPECT_THAT(outcome.err, HasSubstr("1 record skipped: job number used by an earlier line (first: line 6)"));
}

TEST(CliInput, ALogWithoutTheMachineNeedsNodes) {
  const std::string log = swf_line(1, 0, 10, 2);
  expect_failure(dfrs_sim({"run", "-", "-a", "EASY"}, {.input = log}), kExitUsage, {"<stdin>", "MaxProcs", "--nodes"});
  EXPECT_THAT(output_of({"run", "-", "-a", "EASY", "--nodes", "3"}, {.input = log}), HasSubstr("(1 job, 3 nodes)"));
}

}  // namespace
}  // namespace dfrs::sim
