// SPDX-License-Identifier: GPL-2.0-or-later
// What results say about how they were made, and that options do not change what a log is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "dfrs-config.h"
#include "sim/campaign/sqlite.h"
#include "tests/cli/process.h"
#include "tests/cli/samples.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Memory in KB per processor: half of the jobs fit two on a node.
std::string hpc2n_swf() {
  return "; Installation: High-Performance Computing Center North (HPC2N)\n; MaxProcs: 240\n" +
         swf_line(1, 0, 1000, 4, 2000, 1500000) + swf_line(2, 10, 500, 3, 600, 300000) +
         swf_line(3, 20, 100, 240, 100, 200000) + swf_line(4, 700000, 50, 2, 60, 100000);
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// The values that --help names as defaults make the log that is made without them.
TEST(CliModel, DoesNotDependOnWhichOptionsAreGiven) {
  const TemporaryFolder folder;
  const std::string log = folder.write("log.swf", hpc2n_swf());
  const std::vector<std::string> compare{"compare", log, "-a", "EASY,GreedyPM*/per", "-o", folder / "results.csv"};
  const auto results = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = compare;
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = dfrs_sim(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return file_bytes(folder / "results.csv") + outcome.out;
  };
  const std::string plain = results({});
  EXPECT_THAT(plain, AllOf(HasSubstr("--annotation=memory"), HasSubstr("--nodes=120"), HasSubstr("--cores=2"),
                           HasSubstr("--memory=2048"), HasSubstr("--weeks")));
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--nodes", "120"},
                                               {"--cores", "2"},
                                               {"--memory", "2048"},
                                               {"--nodes", "120", "--cores", "2", "--memory", "2048"},
                                               {"--annotation", "memory"},
                                               {"--weeks"}}) {
    EXPECT_EQ(results(more), plain) << testing::PrintToString(more);
  }
  EXPECT_THAT(results({"--nodes", "130"}), AllOf(HasSubstr("--annotation=memory --nodes=130"), HasSubstr("--weeks")));
}

TEST(CliModel, AChoiceThatChangesItIsPrinted) {
  const Outcome chosen = dfrs_sim({"compare", "-", "-a", "EASY"}, {.input = hpc2n_swf()});
  EXPECT_THAT(chosen.err, AllOf(HasSubstr("annotated with its memory"), HasSubstr("split into weeks")));
  const Outcome given =
      dfrs_sim({"compare", "-", "-a", "EASY", "--annotation", "processors", "--whole"}, {.input = hpc2n_swf()});
  EXPECT_THAT(given.err, Not(HasSubstr("annotated")));
}

// A job of 240 processors does not fit 100 nodes of two.
TEST(CliModel, DemoLeavesOutWhatDoesNotFit) {
  const TemporaryFolder folder;
  const Outcome outcome = dfrs_sim({"demo", "-", "--nodes", "100", "-o", folder / "demo"}, {.input = hpc2n_swf()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("1 record skipped: larger than the machine"));
}

// The long names of the options below a heading of a command's --help.
std::vector<std::string> options_below(const std::string& heading, std::vector<std::string> command = {"compare"}) {
  command.push_back("--help");
  std::istringstream help(output_of(command));
  std::vector<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(help, line);) {
    if (!line.empty() && line.front() != ' ') inside = line == heading + ":";
    const std::size_t at = line.find("--");
    if (!inside || at == std::string::npos || at > 6) continue;
    names.push_back(line.substr(at, line.find_first_of(" ,", at) - at));
  }
  return names;
}

// Fails for a new option until it has a value here, and then until results name it.
TEST(CliOrigin, ResultsNameEveryOption) {
  const std::map<std::string, std::string> values{{"--penalty", "7"},
                                                  {"--period", "70"},
                                                  {"--stretch-floor", "11"},
                                                  {"--priority-floor", "12"},
                                                  {"--instants", "merged"},
                                                  {"--batch-passes", "event"},
                                                  {"--batch-nodes", "packed"},
                                                  {"--pauses", "suspended"},
                                                  {"--swap", "memory:0.5"},
                                                  {"--discover-needs", ""},
                                                  {"--need-floor", "0.25"},
                                                  {"--min-progress", "61"},
                                                  {"--max-lost-runs", "4"},
                                                  {"--requeue-kept", ""},
                                                  {"--most-jobs", "1000"},
                                                  {"--annotation", "memory"},
                                                  {"--nodes", "130"},
                                                  {"--cores", "3"},
                                                  {"--memory", "4096"},
                                                  {"--weeks", ""},
                                                  {"--whole", ""},
                                                  {"--processors", "allocated"},
                                                  {"--estimates", "trace"},
                                                  {"--kill-at-estimate", ""},
                                                  {"--cpu-need", "measured"},
                                                  {"--memory-need", "used"},
                                                  {"--licences", "cad=2"},
                                                  {"--memory-model", "lublin:3"},
                                                  {"--weights", "random=0.5:2"},
                                                  {"--real-need", "0.2-1"},
                                                  {"--lenient", ""},
                                                  {"--take", "1"},
                                                  {"--instance", "stdin-week-000"}};
  const TemporaryFolder folder;
  std::vector<std::string> names = options_below("Workload");
  for (std::string& name : options_below("Simulation")) names.push_back(std::move(name));
  EXPECT_GE(names.size(), 28U);
  for (const std::string& name : names) {
    if (name == "--ca-file") continue;
    ASSERT_TRUE(values.contains(name)) << name << " is new";
    const std::string word = values.at(name).empty() ? name : name + "=" + values.at(name);
    std::vector<std::string> words{"compare", "-",        "-a",  "FCFS", "-o", folder / "results.csv",
                                   word,      "--format", "json"};
    if (name == "--swap") words.insert(words.end(), {"--pauses", "suspended"});  // it limits nothing else
    const Outcome outcome = dfrs_sim(words, {.input = hpc2n_swf()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(file_bytes(folder / "results.csv"), HasSubstr(word));
    EXPECT_THAT(outcome.out, HasSubstr(word));
  }
}

TEST(CliOrigin, EveryOutputNamesProgramTraceAndOptions) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("small.dfrs", small_trace());
  const std::string sum = base::sha256_hex(small_trace());
  const std::string program = std::string("dfrs-sim ") + PACKAGE_VERSION;
  const auto complete = AllOf(HasSubstr(program), HasSubstr(sum), HasSubstr("--penalty=20"));
  const auto compare = [&](const std::string& format) {
    return output_of({"compare", trace, "-a", "EASY,FCFS", "--penalty", "20", "--format", format, "-o",
                      folder / "results.csv", "--report", folder / "report.html", "--store", folder / "store.db"});
  };
  for (const char* format : {"text", "markdown", "csv", "json"}) EXPECT_THAT(compare(format), complete) << format;
  EXPECT_THAT(file_bytes(folder / "results.csv"), complete);
  EXPECT_THAT(file_bytes(folder / "report.html"), complete);
  EXPECT_THAT(output_of({"report", folder / "results.csv", "--format", "text"}), complete);
  EXPECT_THAT(output_of({"run", trace, "-a", "EASY", "--penalty", "20"}), complete);
  EXPECT_THAT(output_of({"run", trace, "-a", "EASY", "--penalty", "20", "--json"}), complete);

  Database database = or_throw(Database::open(folder / "store.db"));
  Statement select = or_throw(database.prepare(
      "SELECT program || ' ' || source || ' ' || source_sha256 || ' ' || simulation_options FROM results"));
  int rows = 0;
  for (; or_throw(select.step()); ++rows) EXPECT_THAT(select.text(0), AllOf(complete, HasSubstr(trace)));
  EXPECT_EQ(rows, 2);
}

// A command, its options that only it has, and a value for each; without a value, results do not depend on it. Shows
// all outputs.
struct OwnOptions {
  std::vector<std::string> command;
  std::map<std::string, std::string> values;
  std::function<std::string(const std::vector<std::string>& options)> results;
};

std::vector<OwnOptions> own_options(const TemporaryFolder& folder) {
  const std::string trace = folder.write("small.dfrs", small_trace());
  const std::string log = folder.write("small.swf", small_swf());
  const std::string accounting = folder.write("accounting.txt",
                                              "JobID|State|Submit|Start|End|ElapsedRaw|AllocCPUS|NNodes|NodeList\n"
                                              "1|COMPLETED|1700000000|1700000000|1700000100|100|2|1|n1\n"
                                              "2|COMPLETED|1700000010|1700000100|1700000150|50|2|1|n1\n");
  const std::string map = folder.write("my.map", "submit = t s\nrun_time = r\ncpus = '1'\n");
  const std::string table = folder.write("jobs.csv", "t,r\n1,2\n");
  output_of({"run", trace, "-a", "EASY", "--record", folder / "record"});
  const auto printed = [](const std::vector<std::string>& first) {
    return [first](const std::vector<std::string>& options) {
      std::vector<std::string> words = first;
      words.insert(words.end(), options.begin(), options.end());
      return output_of(words);
    };
  };
  const std::string none;
  return {
      {{"advise"},
       {{"--sacct", none},
        {"--swf", none},
        {"--output", none},
        {"--format", none},
        {"--conf", none},
        {"--threads", none},
        {"--algorithm", "Greedy*/per"},
        {"--bandwidth", "2"},
        {"--checkpoints", "0.25"},
        {"--pauses", "lost"},
        {"--swap", "1000"},
        {"--restart-cost", "12"},
        {"--min-progress", "61"},
        {"--max-lost-runs", "2"},
        {"--samples", "3"},
        {"--penalty", "20"},
        {"--period", "300"},
        {"--stretch-floor", "12"}},
       printed({"advise", trace})},
      {{"bound"}, {{"--stretch-floor", "12"}, {"--threads", none}, {"--output", none}}, printed({"bound", trace})},
      {{"replay"},
       {{"--algorithm", none},
        {"--trace", none},
        {"--json", none},
        {"--explain", none},
        {"--report", none},
        {"--evalys", none},
        {"--perfetto", none},
        {"--paje", none},
        {"--penalty", "20"},
        {"--swap", "memory"},
        {"--stretch-floor", "12"}},
       printed({"replay", folder / "record", "-a", "FCFS"})},
      {{"reproduce"},
       {{"--list", none},
        {"--output", none},
        {"--threads", none},
        {"--assume", none},
        {"--parts", "figure3b"},
        {"--instances", "1"},
        {"--seed", "5"},
        {"--traces", folder.path().string()}},
       printed({"reproduce", "rr7659"})},
      {{"import", "swf"},
       {{"--to", "swf"}, {"--swf", ""}, {"--anonymise", ""}, {"--output", none}},
       printed({"import", "swf", log})},
      {{"import", "sacct"},
       {{"--to", "trace"}, {"--swf", none}, {"--anonymise", ""}, {"--output", none}},
       printed({"import", "sacct", accounting})},
      {{"import", "csv"},
       {{"--to", "trace"}, {"--swf", none}, {"--anonymise", ""}, {"--output", none}, {"--map", map}, {"--maps", none}},
       printed({"import", "csv", table, "--nodes", "1"})},
      {{"annotate"}, {{"--output", none}}, printed({"annotate", log})},
      {{"analyse"}, {}, printed({"analyse", log})},
  };
}

// Fails for a new option of a command until it is named here, and then until results name it or it is without a value.
TEST(CliOrigin, ResultsNameTheOptionsOfEveryCommand) {
  const TemporaryFolder folder;
  const std::vector<OwnOptions> commands = own_options(folder);
  const std::vector<std::string> flags{"--anonymise", "--swf"};
  for (const OwnOptions& one : commands) {
    std::vector<std::string> given;
    for (const std::string& name : options_below("Options", one.command)) {
      if (name == "--help") continue;
      ASSERT_TRUE(one.values.contains(name)) << one.command.front() << ' ' << name << " is new";
      const std::string& value = one.values.at(name);
      const bool flag = std::find(flags.begin(), flags.end(), name) != flags.end();
      if (!value.empty()) given.push_back(name + "=" + value);
      if (flag && one.command == std::vector<std::string>{"import", "swf"}) given.push_back(name);
    }
    const std::string results = one.results(given);
    EXPECT_THAT(results, HasSubstr(std::string("dfrs-sim ") + PACKAGE_VERSION)) << one.command.front();
    for (const std::string& word : given) EXPECT_THAT(results, HasSubstr(word)) << one.command.front();
  }
}

TEST(CliOrigin, PagesAndTablesNameWhatMadeThem) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("small.dfrs", small_trace());
  const auto complete = AllOf(HasSubstr(std::string("dfrs-sim ") + PACKAGE_VERSION),
                              HasSubstr(base::sha256_hex(small_trace())), HasSubstr(trace));
  for (const char* format : {"text", "markdown", "html"}) {
    const std::vector<std::string> words{"advise", trace, "--format", format, "--conf", folder / "dfrs.conf"};
    EXPECT_THAT(output_of(words), AllOf(complete, HasSubstr("--penalty=memory/100"), HasSubstr("dfrs-sim advise ")))
        << format;
  }
  const std::string conf = file_bytes(folder / "dfrs.conf");
  EXPECT_THAT(conf, AllOf(complete, HasSubstr("--penalty=memory/100")));
  EXPECT_THAT(conf.substr(0, conf.find("\nPartitions=")), Not(testing::ContainsRegex("\n[^#]")));
  EXPECT_THAT(output_of({"bound", trace}), AllOf(complete, HasSubstr("--stretch-floor=10")));
  EXPECT_THAT(output_of({"analyse", trace, "--kill-at-estimate"}), AllOf(complete, HasSubstr("--kill-at-estimate")));

  output_of({"run", trace, "-a", "EASY", "--record", folder / "record"});
  const std::string sum = base::sha256_hex(file_bytes(folder / "record"));
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"-a", "FCFS"}}) {
    for (const char* format : {"--json", ""}) {
      std::vector<std::string> words{"replay", folder / "record"};
      words.insert(words.end(), more.begin(), more.end());
      if (*format != '\0') words.emplace_back(format);
      EXPECT_THAT(output_of(words), AllOf(HasSubstr("dfrs-sim " PACKAGE_VERSION), HasSubstr(sum)));
    }
  }
}

// Columns at the end, with values in the first row only: the file is as small as before, and all rows have the same
// number of fields.
TEST(CliOrigin, LongTablesNameItInTheirFirstRow) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("small.dfrs", small_trace());
  output_of({"run", trace, "-a", "EASY", "--penalty", "20", "--jobs-csv", folder / "jobs.csv", "--timeline",
             folder / "timeline.csv", "--log", folder / "log"});
  const auto complete = AllOf(HasSubstr("dfrs-sim " PACKAGE_VERSION), HasSubstr(base::sha256_hex(small_trace())),
                              HasSubstr(trace), HasSubstr("--penalty=20"));
  for (const char* file : {"jobs.csv", "timeline.csv"}) {
    std::istringstream lines(file_bytes(folder / file));
    std::string head, first, second;
    std::getline(lines, head);
    std::getline(lines, first);
    std::getline(lines, second);
    EXPECT_THAT(head, testing::EndsWith(",program,source,source_sha256,workload_options,simulation_options"));
    EXPECT_THAT(first, complete);
    EXPECT_THAT(second, testing::EndsWith(",,,,,"));
    for (const std::string& row : {first, second}) {
      EXPECT_EQ(std::count(row.begin(), row.end(), ','), std::count(head.begin(), head.end(), ',')) << row;
    }
  }
  const std::string log = file_bytes(folder / "log");
  EXPECT_THAT(log.substr(0, log.find('\n')), complete);
  EXPECT_THAT(log.substr(log.find('\n')), Not(HasSubstr("origin")));
}

// Pages and files for other programs.
TEST(CliOrigin, SchedulesNameWhatMadeThem) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("small.dfrs", small_trace());
  const std::string sum = base::sha256_hex(small_trace());
  output_of({"run", trace, "-a", "EASY", "--penalty", "20", "--report", folder / "run.html", "--evalys",
             folder / "jobs.csv", "--paje", folder / "run.trace", "--perfetto", folder / "run.json", "--record",
             folder / "record"});
  output_of({"compare", trace, "-a", "EASY,FCFS", "--penalty", "20", "--timeline", folder / "compare.html"});
  for (const char* file : {"run.html", "jobs.csv", "run.trace", "run.json", "compare.html"}) {
    EXPECT_THAT(file_bytes(folder / file), AllOf(HasSubstr("dfrs-sim " PACKAGE_VERSION), HasSubstr(sum),
                                                 HasSubstr("repeat with"), HasSubstr("--penalty=20")))
        << file;
  }
  output_of({"replay", folder / "record", "--report", folder / "replay.html"});
  EXPECT_THAT(file_bytes(folder / "replay.html"),
              AllOf(HasSubstr("dfrs-sim " PACKAGE_VERSION), HasSubstr(base::sha256_hex(file_bytes(folder / "record"))),
                    HasSubstr("dfrs-sim replay ")));
}

// However many traces there are, the line that repeats the results names them all.
TEST(CliOrigin, TheLineThatRepeatsNamesManyTraces) {
  const TemporaryFolder folder;
  std::vector<std::string> words{"compare"};
  for (int k = 0; k < 12; ++k) {
    std::string text = small_trace();
    text.replace(text.find("small"), 5, "small" + std::to_string(k));
    words.push_back(folder.write("trace" + std::to_string(k) + ".dfrs", text));
  }
  words.insert(words.end(), {"-a", "EASY"});
  const std::string text = output_of(words);
  const std::string line = text.substr(std::min(text.find("repeat with"), text.size()));
  for (std::size_t k = 1; k <= 12; ++k) EXPECT_THAT(line, HasSubstr(words[k] + " "));
}

// In comments, which readers of both formats skip.
TEST(CliOrigin, TracesAndLogsNameWhatMadeThem) {
  const TemporaryFolder folder;
  const std::string log = folder.write("small.swf", small_swf());
  const auto complete = AllOf(HasSubstr("dfrs-sim " PACKAGE_VERSION), HasSubstr(base::sha256_hex(small_swf())),
                              HasSubstr("--estimates=trace"));
  const std::vector<std::string> more{"--estimates", "trace"};
  for (const std::vector<std::string>& first :
       {std::vector<std::string>{"annotate", log}, {"import", "swf", log}, {"import", "swf", log, "--swf"}}) {
    std::vector<std::string> words = first;
    words.insert(words.end(), more.begin(), more.end());
    const std::string made = output_of(words);
    EXPECT_THAT(made, AllOf(complete, HasSubstr(log))) << words[1];
    output_of({"run", "-", "-a", "EASY"}, {.input = made});
    // Who anonymises a log does not want to tell its name.
    if (first.front() != "import") continue;
    words.emplace_back("--anonymise");
    EXPECT_THAT(output_of(words), AllOf(complete, Not(HasSubstr("small.swf"))));
  }
  output_of({"run", log, "-a", "EASY", "--record", folder / "record"});
  output_of({"replay", folder / "record", "--trace", folder / "jobs.dfrs"});
  EXPECT_THAT(file_bytes(folder / "jobs.dfrs"), AllOf(HasSubstr("dfrs-sim " PACKAGE_VERSION),
                                                      HasSubstr(base::sha256_hex(file_bytes(folder / "record")))));
}

TEST(CliOrigin, ThePrintedLineRepeatsTheAdvice) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("small.dfrs", small_trace());
  const std::string page = output_of({"advise", trace, "--penalty", "20", "--kill-at-estimate"});
  const std::size_t at = page.find("dfrs-sim advise ");
  ASSERT_NE(at, std::string::npos) << page;
  const std::string line = page.substr(at, page.find('\n', at) - at);
  EXPECT_EQ(output_of(words_of(line.substr(9))), page);
}

TEST(CliOrigin, ThePrintedLineRepeatsTheResult) {
  const TemporaryFolder folder;
  const std::string log = folder.write("log.swf", hpc2n_swf());
  const std::string first = output_of({"compare", log, "-a", "EASY,GreedyP*/OPT=MIN", "--nodes", "130", "--penalty",
                                       "20", "--take", "1", "--format", "json"});
  std::string line = nlohmann::json::parse(first).at("origin").at("repeat_with").at(0);
  ASSERT_TRUE(line.starts_with("dfrs-sim compare "));
  std::erase(line, '\'');
  std::vector<std::string> words = words_of(line.substr(9));
  words.insert(words.end(), {"--format", "json"});
  EXPECT_EQ(output_of(words), first);
}

TEST(CliOrigin, ReportRefusesResultsThatDiffer) {
  const TemporaryFolder folder;
  const std::string one = folder.write("one.dfrs", small_trace());
  std::string text = small_trace();
  const std::string two = folder.write("two.dfrs", text.replace(text.find("small"), 5, "other"));
  const auto results = [&](const std::string& trace, const std::string& floor, const std::string& name) {
    output_of({"compare", trace, "-a", "EASY", "--stretch-floor", floor, "-o", folder / name});
    return folder / name;
  };
  const std::string a = results(one, "10", "a.csv");
  const std::string b = results(two, "60", "b.csv");
  const std::string c = results(two, "10", "c.csv");
  expect_failure(dfrs_sim({"report", a, b, "-o", folder / "r.html"}), kExitUsage,
                 {"different simulation options: '--stretch-floor=10' and '--stretch-floor=60';"});
  EXPECT_EQ(dfrs_sim({"report", a, c, "--format", "text"}).exit_code, 0);

  // Files of older versions have no such columns.
  std::string old = file_bytes(c);
  for (std::size_t at = 0; (at = old.find(",program,", at)) != std::string::npos;) old.replace(at, 9, ",p,");
  std::istringstream lines(old);
  std::string bare;
  for (std::string row; std::getline(lines, row);) {
    std::size_t end = row.size();
    for (int k = 0; k < 5; ++k) end = row.rfind(',', end - 1);
    bare += row.substr(0, end) + "\n";
  }
  const Outcome unknown = dfrs_sim({"report", a, folder.write("bare.csv", bare), "--format", "text"});
  EXPECT_EQ(unknown.exit_code, 0) << unknown.err;
  EXPECT_THAT(unknown.err, HasSubstr("do not say what made them"));
}

}  // namespace
}  // namespace dfrs::sim
