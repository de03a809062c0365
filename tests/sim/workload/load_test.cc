// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/load.h"

#include <archive.h>
#include <gtest/gtest.h>

#include "sim/errors.h"
#include "sim/workload/trace_file.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/io/compressed.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

constexpr const char* kSwf =
    "; MaxProcs: 4\n"
    "1 0 -1 100 -1 -1 -1 2 -1 -1 1 1 1 1 1 1 -1 -1\n"
    "2 700000 -1 100 -1 -1 -1 3 -1 -1 1 1 1 1 1 1 -1 -1\n";

TEST(Load, RecognisesALogByItsContent) {
  const TemporaryFolder folder;
  const std::string path = folder.write("My-Log.swf.gz", compressed(kSwf, archive_write_add_filter_gzip));
  const Loaded loaded = or_throw(load_instances(path));
  EXPECT_TRUE(loaded.was_swf);
  ASSERT_EQ(loaded.instances.size(), 1u);
  EXPECT_EQ(loaded.instances[0].name, "My-Log");
  EXPECT_EQ(loaded.instances[0].platform.nodes.size(), 4u);
  EXPECT_EQ(loaded.instances[0].jobs[1].tasks, 3);
}

// The fast reader stops in the middle of such a log; errors are those of the plain reader, in its order.
TEST(Load, ReadsALogThatIsNotPlainAllTheSame) {
  const auto record = [](int job, int submit, const std::string& processors) {
    return std::to_string(job) + " " + std::to_string(submit) + " -1 100 -1 -1 -1 " + processors +
           " -1 -1 1 1 1 1 1 1 -1 -1\n";
  };
  const std::string head = "; MaxProcs: 2\n" + record(1, 5, "1") + record(2, 6, "2");
  const auto check = [&](const std::string& text, const LoadOptions& options) {
    const Loaded loaded = or_throw(load_instances_from_text(text, "log", options));
    const SwfLog log = or_throw(parse_swf(text, "log", options.swf));
    const SwfWorkload expected = or_throw(swf_instance(log, "log", options.conventions, options.processors));
    ASSERT_EQ(loaded.instances.size(), 1u) << text;
    EXPECT_EQ(loaded.instances[0].jobs, expected.instance.jobs) << text;
    EXPECT_EQ(loaded.instances[0].platform, expected.instance.platform) << text;
    EXPECT_EQ(loaded.report.records, expected.report.records) << text;
    EXPECT_EQ(loaded.report.skipped, expected.report.skipped) << text;
    EXPECT_EQ(loaded.report.adjusted, expected.report.adjusted) << text;
  };
  LoadOptions lenient;
  lenient.swf.lenient = lenient.processors.lenient = true;
  for (const LoadOptions& options : {LoadOptions{}, lenient}) {
    check(head, options);
    check(head + record(3, 4, "1"), options);
    check(record(3, 4, "1") + head, options);
    check(head + "; MaxNodes: 7\n" + record(3, 7, "1"), options);
  }
  check(head + "what\n" + record(2, 4, "1") + record(3, 3, "9"), lenient);
  const auto message = [&](const std::string& text) {
    return message_of(kExitInput, load_instances_from_text(text, "log"));
  };
  EXPECT_EQ(
      message(head + record(3, 7, "9")),
      "log:4: job 3 is larger than the machine: 9 processors, but the machine has 2; --lenient leaves such jobs out");
  EXPECT_EQ(message(head + record(3, 7, "9") + "what\n"),
            "log:5: field 1 (job number) is 'what', expected an integer (-1 if unknown)");
  EXPECT_EQ(message(head + record(3, 7, "9") + record(3, 7, "1")),
            "log:5: job number 3 is already used by an earlier line");
}

TEST(Load, CutsALogIntoWeeksUnderTheAnnotation) {
  LoadOptions options;
  options.annotation = SwfAnnotation::kMemory;
  options.weeks = true;
  options.name = "hpc2n";
  const Loaded loaded = or_throw(load_instances_from_text(kSwf, "log", options));
  ASSERT_EQ(loaded.instances.size(), 2u);
  EXPECT_EQ(loaded.instances[1].name, "hpc2n-week-001");
  EXPECT_EQ(loaded.instances[1].jobs[0].submit, 700000 - 604800);
  EXPECT_EQ(loaded.instances[0].jobs[0].tasks, 1);
  EXPECT_EQ(loaded.instances[0].jobs[0].rigid[kMemory], 409);
  EXPECT_EQ(loaded.instances[0].platform.nodes.size(), 120u);
}

TEST(Load, RecognisesATraceOfTheProject) {
  const Instance instance = or_throw(load_instances_from_text(kSwf, "log")).instances[0];
  const Loaded loaded = or_throw(load_instances_from_text(or_throw(format_trace(instance)), "x"));
  EXPECT_FALSE(loaded.was_swf);
  ASSERT_EQ(loaded.instances.size(), 1u);
  EXPECT_EQ(loaded.instances[0].jobs, instance.jobs);
  EXPECT_EQ(loaded.instances[0].name, "log");
}

TEST(Load, NamesStandardInputInMessages) {
  EXPECT_EQ(message_of(kExitInput, load_instances_from_text("a b\n", "-")),
            "<stdin>:1: field 1 (job number) is 'a', expected an integer (-1 if unknown)");
}

TEST(Load, MakesNamesFromSources) {
  EXPECT_EQ(name_from_source("/a/b/KTH-SP2-1996-2.1-cln.swf.gz"), "KTH-SP2-1996-2.1-cln");
  EXPECT_EQ(name_from_source("https://example.org/l_ctc/CTC.swf.xz?raw=1"), "CTC");
  EXPECT_EQ(name_from_source("-"), "stdin");
  EXPECT_EQ(name_from_source(".swf"), ".swf");
  EXPECT_EQ(name_from_source("dir/"), "trace");
}

}  // namespace
}  // namespace dfrs::sim
