// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim reproduce: its output and the files in its folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>

#include "base/sha256.h"
#include "dfrs-config.h"
#include "tests/cli/process.h"
#include "tests/cli/samples.h"
#include "tests/sim/temporary_folder.h"
#include "tests/sim/traces.h"

namespace dfrs::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

TEST(CliReproduce, ListsPapersAndTheirParts) {
  EXPECT_THAT(output_of({"reproduce", "--list"}), HasSubstr("rr7659 "));
  const std::string parts = output_of({"reproduce", "rr7659", "--list"});
  EXPECT_THAT(parts, StartsWith("rr7659: "));
  for (const char* part : {"table2 ", "table10 ", "figure3a ", "figure9 "}) EXPECT_THAT(parts, HasSubstr(part));
}

TEST(CliReproduce, UnknownNamesNameTheNearest) {
  expect_failure(dfrs_sim({"reproduce", "rr7695"}), kExitUsage, {"'rr7695'", "'rr7659'", "--list"});
  expect_failure(dfrs_sim({"reproduce", "rr7659", "--parts", "tabel5"}), kExitUsage, {"'tabel5'", "'table5'"});
}

TEST(CliReproduce, SaysWhichLogIsMissing) {
  const TemporaryFolder folder;
  expect_failure(dfrs_sim({"reproduce", "rr7659", "--parts", "table5", "--traces", folder.path().string()},
                          {.environment = {"XDG_CACHE_HOME=" + folder.path().string()}}),
                 kExitUsage, {"nothing could be run", "HPC2N-2002-2.1-cln", "dfrs-sim fetch"});
}

TEST(CliReproduce, FoldersThatCannotBeWritten) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "");
  expect_failure(dfrs_sim({"reproduce", "rr7659", "--parts", "figure3b", "-o", file}), kExitIo, {file});
}

// Figure 3b is 13 simulations on one generated trace; a second run takes all of them from the store. A folder of logs
// is an option that the results name, but no log of it is their source.
TEST(CliReproduce, ShowsAndKeepsAFigure) {
  const TemporaryFolder folder;
  folder.write("HPC2N-2002-2.1-cln.swf", "; not read\n");
  const Surroundings traces{.environment = {"DFRS_TRACES=" + folder.path().string()}};
  const std::vector<std::string> reproduce{"reproduce",   "rr7659", "--parts", "figure3b",
                                           "--instances", "1",      "-o",      folder / "out"};
  const std::string text = output_of(reproduce, traces);
  EXPECT_THAT(text, HasSubstr("figure3b: underutilization"));
  EXPECT_THAT(text, HasSubstr("\n12000 "));
  EXPECT_THAT(text, HasSubstr("1 Lublin traces of our own seeds 1 to 1"));
  EXPECT_THAT(text, HasSubstr("\nsimulations           13\n"));
  EXPECT_THAT(folder.names(), ::testing::UnorderedElementsAre("HPC2N-2002-2.1-cln.swf", "out"));
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out")) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(names, IsSupersetOf({"rr7659.csv", "rr7659.md", "rr7659.html", "rr7659.db"}));
  const std::string csv = file_bytes(folder / "out/rr7659.csv");
  EXPECT_THAT(
      csv,
      StartsWith(
          "table,row,column,published,measured,ratio,median,low,high,values,another_low,another_high,program,source,"
          "source_sha256,workload_options,simulation_options\nfigure3b,600,EASY,,"));
  EXPECT_THAT(csv, HasSubstr("),,,,--parts=figure3b --instances=1 --seed=1 --traces=" + folder.path().string() + "\n"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 11 * 3);
  EXPECT_THAT(file_bytes(folder / "out/rr7659.md"), HasSubstr("## figure3b"));
  EXPECT_THAT(file_bytes(folder / "out/rr7659.html"),
              AllOf(HasSubstr("<h2>figure3b"), HasSubstr("<p class=\"lead\">1 part: figure3b. 33 cells, all ours")));

  EXPECT_EQ(output_of(reproduce, traces), text);
  EXPECT_EQ(file_bytes(folder / "out/rr7659.csv"), csv);
}

// Another simulator's figures of the same log.
TEST(CliReproduce, Sc15AgreesOnKth) {
  DFRS_TRACE_OR_SKIP(path, "KTH-SP2-1996-2.1-cln.swf.gz");
  const TemporaryFolder folder;
  output_of({"reproduce", "sc15", "--parts", "kth", "--traces", std::filesystem::path(path).parent_path(), "-o",
             folder / "out"});
  std::istringstream csv(file_bytes(folder / "out/sc15.csv"));
  std::string line;
  std::getline(csv, line);
  int cells = 0;
  for (; std::getline(csv, line); ++cells) {
    std::vector<std::string> fields;
    std::string field;
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c != ',' || quoted) field += c;
      if (c == ',' && !quoted) fields.push_back(std::exchange(field, {}));
    }
    const double ratio = std::stod(fields.at(5));
    const bool mean = fields.at(2) == "mean bounded slowdown";
    if (fields.at(1).find("learner") != std::string::npos) {
      if (mean) {
        EXPECT_NEAR(ratio, 1, 0.18) << line;
      }
    } else if (fields.at(1).find("predictor, double") != std::string::npos) {
      if (mean) {
        EXPECT_NEAR(ratio, 1, 0.15) << line;
      }
    } else if (fields.at(1).find("predictor, steps") != std::string::npos) {
      if (mean) {
        EXPECT_NEAR(ratio, 1, 0.03) << line;
      }
    } else {
      EXPECT_NEAR(ratio, 1, 0.015) << line;
    }
  }
  EXPECT_EQ(cells, 54);
}

// Logs that are not here: one of that name, of which jobs without a run time or a request are left out.
TEST(CliReproduce, Sc15FiltersJobsAsTheAuthors) {
  const TemporaryFolder folder;
  std::string log = "; MaxProcs: 128\n";
  for (int k = 1; k <= 30; ++k) log += swf_line(k, 10.0 * k, k == 3 ? 0 : 100, 4, k == 5 ? -1 : 200);
  folder.write("SDSC-SP2-1998-4.2-cln.swf", log);
  folder.write("SDSC-BLUE-2000-4.2-cln.swf", log);
  const std::string text =
      output_of({"reproduce", "sc15", "--parts", "sdsc,blue,errors-sdsc,kth", "--traces", folder.path().string()},
                {.environment = {"XDG_CACHE_HOME=" + folder.path().string()}});
  EXPECT_THAT(text, HasSubstr("28 jobs, theirs 54006"));
  EXPECT_THAT(text, HasSubstr("28 jobs, theirs 232542"));
  EXPECT_THAT(text, HasSubstr("Left out, because it needs the log KTH-SP2-1996-2.1-cln.swf.gz"));
  EXPECT_THAT(text, HasSubstr("within a factor of 2"));
}

// A week of everyone: the table has a row for each, and Triage's paired difference from itself is 0.
TEST(CliReproduce, RivalsStandInOneTable) {
  DFRS_TRACE_OR_SKIP(path, "HPC2N-2002-2.1-cln.swf.gz");
  const TemporaryFolder folder;
  const std::string folder_of_traces = std::filesystem::path(path).parent_path();
  output_of({"reproduce", "rivals", "--parts", "weeks,weeks-paired,weeks-known,gain", "--instances", "2", "--traces",
             folder_of_traces, "-o", folder / "out"});
  const std::string csv = file_bytes(folder / "out/rivals.csv");
  const auto value = [&](const std::string& cell) {
    const std::size_t at = csv.find("\n" + cell + ",,");
    EXPECT_NE(at, std::string::npos) << cell;
    return at == std::string::npos ? 0 : std::stod(csv.substr(at + cell.size() + 3));
  };
  EXPECT_THAT(csv, HasSubstr("weeks,Triage,minus Triage's,,0,"));
  for (const char* rival : {"EASY/backfill=SJF/predict=tsafrir", "LAS/queues=2", "GANG/jobs=2", "EASY/shared/jobs=2",
                            "Triage/MOVE=NONE/PAUSE=NONE", "yardstick/SRPT", "clairvoyant/Triage"}) {
    EXPECT_THAT(csv, HasSubstr(std::string("weeks,") + rival + ",worst user,,"));
  }
  EXPECT_NEAR(value("weeks-known,EASY,minus with requests"),
              value("weeks-known,EASY,degradation") - value("weeks,EASY,degradation"), 1e-6);
  EXPECT_NEAR(value("weeks-paired,GANG/jobs=2,mean stretch"),
              value("weeks,GANG/jobs=2,mean stretch") - value("weeks,Triage,mean stretch"), 1e-4);
  EXPECT_EQ(value("weeks-paired,Triage,\"short wait, s\""), 0);
  // What a pause does to jobs tells these rows from Triage's.
  EXPECT_EQ(value("weeks,\"Triage, no pauses\",pauses/job"), 0);
  EXPECT_EQ(value("weeks,\"Triage, no pauses\",work lost"), 0);
  EXPECT_GT(value("weeks,\"Triage, pauses lose work\",work lost"), 0);
  EXPECT_GT(value("weeks,Triage,pauses/job"), 0);
  EXPECT_EQ(value("weeks,Triage,work lost"), 0);
  EXPECT_THAT(csv, HasSubstr("gain,9. moves that pay,degradation,,"));
  const std::string drawn = file_bytes(folder / "out/rivals-gain.svg");
  for (const char* step : {"0. EASY", "5. sharing and pauses", "9. moves that pay"}) {
    EXPECT_THAT(drawn, HasSubstr(std::string(step) + "</text>"));
  }
  EXPECT_THAT(file_bytes(folder / "out/rivals.html"), HasSubstr("stroke-dasharray"));
}

// A log of that name on which jobs come faster than they end, with known run times, too: nobody is left out silently.
TEST(CliReproduce, RivalsOnAWholeLog) {
  const TemporaryFolder folder;
  std::string log = "; MaxProcs: 100\n";
  for (int k = 1; k <= 40; ++k) log += swf_line(k, 50.0 * k, 100, 40, 300);
  folder.write("KTH-SP2-1996-2.1-cln.swf", log);
  const std::vector<std::string> command{
      "reproduce", "rivals",      "--parts", "kth,kth-known,stable", "--traces", folder.path().string(),
      "-o",        folder / "out"};
  const Surroundings alone{.environment = {"XDG_CACHE_HOME=" + folder.path().string()}};
  const std::string text = output_of(command, alone);
  const std::string csv = file_bytes(folder / "out/rivals.csv");
  for (const char* rival : {"SJF/conservative", "GANG/jobs=4", "GreedyPM*/per/MINVT=600", "MCB8*/MINVT=600"}) {
    EXPECT_THAT(csv, HasSubstr(std::string("\nkth,") + rival + ",mean stretch,,")) << rival;
  }
  EXPECT_THAT(csv, HasSubstr("\nkth-known,EASY/shared/backfill=SJF,mean stretch,,"));
  EXPECT_THAT(csv, Not(HasSubstr("\nkth-known,Greedy*,")));
  EXPECT_THAT(text, HasSubstr("in which jobs pile up is ended"));
  // Several rivals are equal here, so that none wins.
  EXPECT_THAT(file_bytes(folder / "out/rivals.html"), AllOf(HasSubstr("<p class=\"lead\">2 parts: kth and kth-known. "),
                                                            Not(HasSubstr("Lowest mean degradation"))));
  EXPECT_THAT(text, HasSubstr("HPC2N-2002-2.1-cln"));
  EXPECT_EQ(output_of(command, alone), text);  // from the store
}

// Repacking as often as a pause costs never settles; once an hour it does. The chart has a line for each case.
TEST(CliReproduce, RivalsTellWhenRepackingKeepsUp) {
  const TemporaryFolder folder;
  output_of(
      {"reproduce", "rivals", "--parts", "stability,stability-without", "--instances", "1", "-o", folder / "out"});
  const std::string csv = file_bytes(folder / "out/rivals.csv");
  const auto growth = [&](const std::string& period) {
    const std::string row = "stability," + period + ",\"load 0.9, 300 s\",,";
    const std::size_t at = csv.find(row);
    return at == std::string::npos ? -1 : std::stod(csv.substr(at + row.size()));
  };
  EXPECT_GT(growth("120"), 2.5) << csv;
  EXPECT_GT(growth("3600"), 0);
  EXPECT_LT(growth("3600"), 2);
  EXPECT_THAT(csv, HasSubstr("\nstability-without,\"load 0.9, 300 s\",growth,,"));
}

TEST(CliReproduce, TriageHasPartsByKind) {
  const std::string parts = output_of({"reproduce", "triage", "--list"});
  for (const char* part :
       {"weeks ", "lublin-scaled ", "logs-kth ", "robust-weeks ", "losses-causes ", "sensitivity-age "}) {
    EXPECT_THAT(parts, HasSubstr(part));
  }
  EXPECT_THAT(parts, HasSubstr(" min)\n"));
  EXPECT_THAT(output_of({"reproduce", "rr7659", "--list"}), Not(HasSubstr(" min)")));
}

// A log with KTH's name: four weeks with one job each, which starts at once. Weeks of HPC2N are left out.
TEST(CliReproduce, TriageOnALog) {
  const TemporaryFolder folder;
  std::string log = "; MaxProcs: 100\n";
  for (int week = 0; week < 4; ++week) log += swf_line(week + 1, 604800.0 * week + 5, 100, 10 * (week + 1));
  folder.write("KTH-SP2-1996-2.1-cln.swf", log);
  const std::string text = output_of({"reproduce", "triage", "--parts", "logs-kth,weeks,worlds-kth,losses-weakest",
                                      "--traces", folder.path().string(), "-o", folder / "out"},
                                     {.environment = {"XDG_CACHE_HOME=" + folder.path().string()}});
  EXPECT_THAT(text, HasSubstr("all 4 weeks with jobs"));
  const auto named = AllOf(HasSubstr(std::string("dfrs-sim ") + PACKAGE_VERSION), HasSubstr(base::sha256_hex(log)),
                           HasSubstr("KTH-SP2-1996-2.1-cln.swf"), HasSubstr("--seed=1"));
  EXPECT_THAT(text, named);
  EXPECT_THAT(text, HasSubstr("dfrs-sim reproduce triage --parts=logs-kth,weeks,worlds-kth,losses-weakest"));
  for (const char* file : {"out/triage.csv", "out/triage.md", "out/triage.html"}) {
    EXPECT_THAT(file_bytes(folder / file), named) << file;
  }
  EXPECT_THAT(text, HasSubstr("HPC2N-2002-2.1-cln"));
  const std::string csv = file_bytes(folder / "out/triage.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 15 * 9 + 4 * (3 * 9 + 2) + 2 * 9);
  for (const char* row : {"Triage,avg.,,1,", "Triage,max,,1,", "Triage,std.,,0,", "Triage,U,,0,", "EASY,avg.,,1,",
                          "GreedyPM*/per/OPT=MIN/MINVT=600,pauses/job,,0,"}) {
    EXPECT_THAT(csv, HasSubstr("\nlogs-kth," + std::string(row)));
  }
  EXPECT_THAT(file_bytes(folder / "out/triage.md"), Not(HasSubstr("measured (published")));
}

// A log with HPC2N's name: in each of four weeks a short wide job comes while a long one holds half of all memory, as
// much as it needs itself and a bit more.
TEST(CliReproduce, TriageInEachWorldAndTheBoundsOfTheOptimum) {
  const TemporaryFolder folder;
  std::string log =
      "; Installation: High-Performance Computing Center North (HPC2N)\n; MaxNodes: 120\n; MaxProcs: 240\n";
  for (int week = 0; week < 4; ++week) {
    log += swf_line(2 * week + 1, 604800.0 * week + 5, 10000, 240, 20000, 600000);
    log += swf_line(2 * week + 2, 604800.0 * week + 1005, 60, 240, 100, 600000);
  }
  folder.write("HPC2N-2002-2.1-cln.swf", log);
  const std::string text =
      output_of({"reproduce", "triage", "--parts", "weeks-free,worlds-weeks,swap,optimum,optimum-weeks", "--traces",
                 folder.path().string(), "-o", folder / "out"},
                {.environment = {"XDG_CACHE_HOME=" + folder.path().string()}});
  const std::string csv = file_bytes(folder / "out/triage.csv");
  const auto value = [&](const std::string& cell) {
    const std::size_t at = csv.find("\n" + cell + ",,");
    EXPECT_NE(at, std::string::npos) << cell << " is not in\n" << csv;
    return at == std::string::npos ? -1 : std::stod(csv.substr(at + cell.size() + 3));
  };
  const auto in_world = [&](const std::string& row, const std::string& column) {
    return value("worlds-weeks,\"" + row + "\"," + column);
  };
  const double kept = in_world("Triage, kept", "avg.");
  EXPECT_GT(in_world("Triage, none", "avg."), 2 * kept) << "the short job waits for the memory of the long one";
  EXPECT_EQ(in_world("Triage, kept", "others median"), in_world("Triage, kept", "median")) << "all weeks are alike";
  EXPECT_EQ(in_world("Triage, kept", "avg. without week 11"), kept);
  EXPECT_EQ(in_world("Triage/LIMITS, none", "minus Triage"), 0) << "limits help nobody here";
  EXPECT_LT(in_world("Triage, none", "% work lost"), in_world("GreedyPM*/OPT=MIN, lost", "% work lost"));
  EXPECT_EQ(value("swap,kept,Triage: avg."), kept);
  EXPECT_EQ(value("swap,none,Triage: avg."), in_world("Triage, none", "avg."));
  EXPECT_EQ(value("swap,none,Triage: pauses/job"), 0);
  EXPECT_GT(value("swap,memory:4,Triage: pauses/job"), 0);
  EXPECT_GT(value("swap,memory:0.25,Triage: avg."), value("swap,memory:4,Triage: avg."))
      << "there is no swap for the long job";
  EXPECT_LE(value("weeks-free,Triage,avg."), kept) << "pauses cost nothing";
  EXPECT_GE(value("optimum,above / below,avg."), 1);
  EXPECT_GE(value("optimum,below: the better of ls1 and gangs / divisible,avg."),
            value("optimum,ls1 / divisible,avg."));
  EXPECT_EQ(value("optimum-weeks,000,above"), value("optimum,above: best schedule / divisible,median"));
  EXPECT_THAT(text, HasSubstr("Weeks by who found the best schedule, the first of equals: "));
}

// One generated workload each; the second run takes what it can from the store.
TEST(CliReproduce, TriageOnGeneratedWorkloads) {
  const TemporaryFolder folder;
  const std::vector<std::string> reproduce{
      "reproduce",   "triage", "--parts", "lublin-load-costs,losses-causes,sensitivity-age",
      "--instances", "1",      "-o",      folder / "out"};
  const Surroundings alone{.environment = {"XDG_CACHE_HOME=" + folder.path().string(), "DFRS_TRACES="}};
  const std::string text = output_of(reproduce, alone);
  EXPECT_THAT(text, HasSubstr("\nLublin at load 0.9, worst 1 %"));
  EXPECT_THAT(text, HasSubstr("1 workloads of the seeds 1001 to 1001 as they are"));
  const std::string csv = file_bytes(folder / "out/triage.csv");
  EXPECT_THAT(csv, HasSubstr("\nlublin-load-costs,0.9,U of EASY/shared,,"));
  EXPECT_THAT(csv, HasSubstr("\nsensitivity-age,0.5,Lublin avg.,,"));
  EXPECT_THAT(csv, HasSubstr("\nlosses-causes,\"Lublin as it is, worst job\",jobs,,1,"));
  EXPECT_EQ(output_of(reproduce, alone), text);
  EXPECT_EQ(file_bytes(folder / "out/triage.csv"), csv);
}

}  // namespace
}  // namespace dfrs::sim
