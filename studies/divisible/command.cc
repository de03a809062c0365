// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim divisible: the scheduling rules of RR-5724 on divisible load.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/counted.h"
#include "base/sha256.h"
#include "sim/campaign/parallel.h"
#include "sim/campaign/results.h"
#include "sim/cli/option_texts.h"
#include "sim/cli/option_values.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/errors.h"
#include "sim/io/input_source.h"
#include "sim/io/output_file.h"
#include "sim/metrics/metrics.h"
#include "studies/commands.h"
#include "studies/divisible/host/generator.h"
#include "studies/divisible/host/instance_file.h"
#include "studies/divisible/host/simulation.h"
#include "studies/divisible/rules/algorithm.h"
#include "studies/study_origin.h"

namespace dfrs::sim {
namespace {

using dfrs::divisible::Algorithm;
using divisible::DensityReading;
using divisible::Metrics;
using divisible::RunResult;
using divisible::StretchBasis;

// Options that do not change results.
constexpr std::array<std::string_view, 6> kPresentation{"--format",       "--output", "--jobs-csv",
                                                        "--schedule-csv", "--save",   "--threads"};
// Options of generated instances.
constexpr std::array<std::string_view, 8> kGenerating{"--clusters",        "--databanks", "--availability", "--density",
                                                      "--density-reading", "--duration",  "--instances",    "--seed"};

struct DivisibleCommand {
  std::vector<std::string> sources;
  divisible::GeneratorOptions generator;
  std::string reading = "shared";
  std::uint64_t instances = 1;
  std::vector<std::string> algorithms;
  std::string stretch = "platform";
  std::string format = "text";
  std::string results_file, jobs_file, schedule_file, save_file;
  unsigned threads = 0;
  StudyOrigin origin;

  void run() {
    const std::vector<Algorithm> chosen = parse();
    basis_ = stretch == "reach" ? StretchBasis::reach : StretchBasis::platform;
    load();
    if (!save_file.empty() && all_.size() != 1) throw UsageError("--save takes one instance; give --instances 1");
    check_outputs_differ({{"--output", results_file},
                          {"--jobs-csv", jobs_file},
                          {"--schedule-csv", schedule_file},
                          {"--save", save_file}});
    check_inputs_kept(sources, {{"--output", results_file},
                                {"--jobs-csv", jobs_file},
                                {"--schedule-csv", schedule_file},
                                {"--save", save_file}});
    std::optional<OutputFile> results_output, jobs_output, schedule_output;
    if (!results_file.empty()) results_output.emplace(or_throw(OutputFile::create(results_file)));
    if (!jobs_file.empty()) jobs_output.emplace(or_throw(OutputFile::create(jobs_file)));
    if (!schedule_file.empty()) schedule_output.emplace(or_throw(OutputFile::create(schedule_file)));
    if (!save_file.empty()) or_throw(write_file(save_file, divisible::format_instance(all_.front())));

    const std::vector<RunResult> runs = simulate_all(chosen);
    std::vector<Metrics> metrics;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      metrics.push_back(divisible::measure(all_[k / chosen.size()], runs[k], basis_));
    }
    if (results_output) or_throw(results_output->write(results_csv(chosen, metrics)));
    if (jobs_output) or_throw(jobs_output->write(jobs_csv(chosen, runs)));
    if (schedule_output) or_throw(schedule_output->write(schedule_csv(chosen, runs)));
    const std::vector<Line> lines = compare(chosen, metrics);
    const std::string text = format == "json" ? json(lines) : format == "csv" ? csv(lines) : table(lines);
    if (results_output) or_throw(results_output->commit());
    if (jobs_output) or_throw(jobs_output->commit());
    if (schedule_output) or_throw(schedule_output->commit());
    print(text);
  }

 private:
  std::vector<Algorithm> parse() const {
    std::vector<Algorithm> chosen;
    const auto add = [&](Algorithm algorithm) {
      if (std::find(chosen.begin(), chosen.end(), algorithm) == chosen.end()) chosen.push_back(algorithm);
    };
    for (const std::string& name : algorithms) {
      if (name == "all") {
        for (const Algorithm algorithm : dfrs::divisible::all_algorithms()) add(algorithm);
        continue;
      }
      const auto parsed = dfrs::divisible::parse_algorithm(name);
      if (!parsed) throw UsageError(parsed.error().message + " (`dfrs-sim list --divisible` shows all)");
      add(*parsed);
    }
    return chosen;
  }

  void load() {
    for (const std::string& source : sources) {
      const Text text = or_throw(read_text(source));
      all_.push_back(or_throw(divisible::parse_instance(text, source_name(source))));
      origin.sources.push_back({source, base::sha256_hex(text)});
    }
    if (!sources.empty()) return;
    if (reading == "processor") generator.reading = DensityReading::processor;
    if (reading == "alone") generator.reading = DensityReading::alone;
    const std::uint64_t first = generator.seed;
    for (std::uint64_t k = 0; k < instances; ++k) {
      generator.seed = first + k;
      all_.push_back(or_throw(divisible::generate(generator)));
    }
  }

  std::vector<RunResult> simulate_all(std::span<const Algorithm> chosen) const {
    std::vector<RunResult> runs(all_.size() * chosen.size());
    const auto simulate_one = [&](std::size_t k) {
      return divisible::simulate(all_[k / chosen.size()], chosen[k % chosen.size()], {basis_, !schedule_file.empty()})
          .map([&](RunResult run) { runs[k] = std::move(run); });
    };
    or_throw(try_parallel_for(runs.size(), threads, simulate_one, terminal_progress("simulations")));
    return runs;
  }

  std::string results_csv(std::span<const Algorithm> chosen, std::span<const Metrics> metrics) const {
    std::string text =
        "instance,jobs,algorithm,max_stretch,sum_stretch,mean_flow_s,makespan_s,utilization,source,source_sha256" +
        StudyOrigin::csv_header() + '\n';
    for (std::size_t k = 0; k < metrics.size(); ++k) {
      const divisible::Instance& instance = all_[k / chosen.size()];
      const Metrics& m = metrics[k];
      const StudyOrigin::Source source = sources.empty() ? StudyOrigin::Source{} : origin.sources[k / chosen.size()];
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{}{}\n", csv_field(instance.name),
                     instance.jobs.size(), algorithm_name(chosen[k % chosen.size()]), m.max_stretch, m.sum_stretch,
                     m.mean_flow, m.makespan, m.utilization, csv_field(source.name), source.sha256,
                     origin.csv_fields());
    }
    return text;
  }

  std::string jobs_csv(std::span<const Algorithm> chosen, std::span<const RunResult> runs) const {
    std::string text = "instance,algorithm,job,release,work,databank,completion,stretch\n";
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const divisible::Instance& instance = all_[k / chosen.size()];
      const dfrs::divisible::Platform platform(instance.clusters, instance.databanks);
      for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
        const divisible::Job& job = instance.jobs[j];
        const Seconds end = runs[k].completions[j];
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{}\n", csv_field(instance.name),
                       algorithm_name(chosen[k % chosen.size()]), j, job.release, job.size, job.databank, end,
                       (end - job.release) * stretch_weight(platform, job, basis_));
      }
    }
    return text;
  }

  std::string schedule_csv(std::span<const Algorithm> chosen, std::span<const RunResult> runs) const {
    std::string text = "instance,algorithm,begin,end,job,cluster,rate\n";
    for (std::size_t k = 0; k < runs.size(); ++k) {
      for (const divisible::Segment& s : runs[k].segments) {
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{}\n", csv_field(all_[k / chosen.size()].name),
                       algorithm_name(chosen[k % chosen.size()]), s.begin, s.end, s.job, s.cluster, s.rate);
      }
    }
    return text;
  }

  // An algorithm over all instances.
  struct Line {
    std::string_view algorithm;
    double max_stretch = 0;  // means
    double mean_stretch = 0;
    double mean_flow = 0;
    double utilization = 0;
    Summary of_max, of_sum;  // degradation from the best algorithm on each instance, as in the paper
  };

  std::vector<Line> compare(std::span<const Algorithm> chosen, std::span<const Metrics> metrics) const {
    std::vector<Line> lines;
    for (std::size_t a = 0; a < chosen.size(); ++a) {
      Line& line = lines.emplace_back();
      line.algorithm = algorithm_name(chosen[a]);
      std::vector<double> of_max, of_sum;
      for (std::size_t k = 0; k < all_.size(); ++k) {
        const Metrics& m = metrics[k * chosen.size() + a];
        double best_max = m.max_stretch, best_sum = m.sum_stretch;
        for (std::size_t b = 0; b < chosen.size(); ++b) {
          best_max = std::min(best_max, metrics[k * chosen.size() + b].max_stretch);
          best_sum = std::min(best_sum, metrics[k * chosen.size() + b].sum_stretch);
        }
        of_max.push_back(m.max_stretch / best_max);
        of_sum.push_back(m.sum_stretch / best_sum);
        const auto count = static_cast<double>(all_.size());
        const auto jobs = static_cast<double>(job_count());
        line.max_stretch += m.max_stretch / count;
        line.mean_stretch += m.sum_stretch / jobs;
        line.mean_flow += m.mean_flow * static_cast<double>(all_[k].jobs.size()) / jobs;
        line.utilization += m.utilization / count;
      }
      line.of_max = summarize(of_max);
      line.of_sum = summarize(of_sum);
    }
    return lines;
  }

  std::size_t job_count() const {
    std::size_t jobs = 0;
    for (const divisible::Instance& instance : all_) jobs += instance.jobs.size();
    return jobs;
  }

  static std::string formatted(std::string_view row, const Line& l) {
    return fmt::format(fmt::runtime(row), l.algorithm, l.max_stretch, l.of_max.mean, l.of_max.stddev, l.of_max.max,
                       l.mean_stretch, l.of_sum.mean, l.of_sum.stddev, l.of_sum.max, l.mean_flow, l.utilization);
  }

  std::string csv(std::span<const Line> lines) const {
    std::string text =
        "algorithm,max_stretch,max_stretch_degradation_mean,max_stretch_degradation_sd,max_stretch_degradation_max,"
        "mean_stretch,sum_stretch_degradation_mean,sum_stretch_degradation_sd,sum_stretch_degradation_max,"
        "mean_flow_s,utilization" +
        StudyOrigin::csv_header() + '\n';
    for (const Line& line : lines) {
      text += formatted("{},{},{},{},{},{},{},{},{},{},{}", line) + origin.csv_fields() + '\n';
    }
    return text;
  }

  std::string json(std::span<const Line> lines) const {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    const auto degradation = [](const Summary& s) {
      return nlohmann::ordered_json{{"mean", s.mean}, {"sd", s.stddev}, {"median", s.median}, {"max", s.max}};
    };
    for (const Line& l : lines) {
      rows.push_back({{"algorithm", l.algorithm},
                      {"max_stretch", l.max_stretch},
                      {"max_stretch_degradation", degradation(l.of_max)},
                      {"mean_stretch", l.mean_stretch},
                      {"sum_stretch_degradation", degradation(l.of_sum)},
                      {"mean_flow_s", l.mean_flow},
                      {"utilization", l.utilization}});
    }
    const nlohmann::ordered_json out{
        {"instances", all_.size()}, {"jobs", job_count()}, {"algorithms", rows}, {"origin", origin.json()}};
    return out.dump(2) + "\n";
  }

  std::string table(std::span<const Line> lines) const {
    const bool markdown = format == "markdown";
    std::string text = fmt::format("{}, {}; degradation is from the best of these algorithms on each\n\n",
                                   all_.size() == 1 ? all_.front().name : fmt::format("{} instances", all_.size()),
                                   base::counted(job_count(), "job"));
    text +=
        markdown
            ? "| algorithm | max stretch | degradation: mean | SD | max | mean stretch | degradation of the sum: "
              "mean | SD | max | mean flow, s | utilization |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
            : "             max stretch    degradation from best   mean stretch  sum: degradation from best  mean "
              "flow  utili-\nalgorithm           mean     mean      SD      max           mean     mean      SD     "
              " max          s  zation\n";
    for (const Line& line : lines) {
      text += formatted(
          markdown
              ? "| {} | {:.3f} | {:.4f} | {:.4f} | {:.4f} | {:.3f} | {:.4f} | {:.4f} | {:.4f} | {:.2f} | {:.3f} |\n"
              : "{:<12} {:>11.3f} {:>8.4f} {:>7.4f} {:>8.4f} {:>14.3f} {:>8.4f} {:>7.4f} {:>8.4f} {:>10.2f} "
                "{:>7.3f}\n",
          line);
    }
    return text + (markdown ? "\n```\n" + origin.text() + "```\n" : "\n" + origin.text());
  }

  StretchBasis basis_ = StretchBasis::platform;
  std::vector<divisible::Instance> all_;
};

constexpr const char* kFooter =
    R"(A request needs a databank and runs on any number of processors of the clusters that hold it. Without SOURCE,
instances are drawn as in RR-5724: speeds of clusters, sizes of databanks (10 .. 1000 MB; a request takes as much
work as its databank has MB), databanks on clusters, fifteen minutes of requests.

The paper leaves open what the density counts; --density-reading chooses:
  shared     all processors, shared by the databanks on them: the density is the load of the system
  processor  one processor per cluster: a tenth of that load; fits the paper's tables
  alone      all processors for each databank alone: many times that load

A SOURCE is text:
  ; dfrs-divisible: 1
  ; Databanks: 3
  cluster 10 1.5 0,2      processors, work per second of each, databanks (- for none)
  job 0.25 120 2          release in seconds, work, databank

Bender98 computes a whole schedule again at each request: seconds to a minute for an instance of 10 clusters or more.
All others together take about a second.

Examples:
  dfrs-sim divisible                                      every algorithm on one instance
  dfrs-sim divisible --clusters 3 --databanks 3 --density 1 --instances 20
  dfrs-sim divisible --clusters 10 --databanks 10 --density 1 --instances 20 -a Online,Online-EGDF,SWRPT,SRPT,MCT
  dfrs-sim divisible --seed 7 --save example.txt && dfrs-sim divisible example.txt -a SWRPT --schedule-csv -
  dfrs-sim reproduce rr5724                               the paper's tables beside ours)";

}  // namespace

void add_divisible(const base::Command& app) {
  const base::Command command =
      app.add_subcommand("divisible", "stretch on divisible load: clusters with databanks (RR-5724)");
  auto options = std::make_shared<DivisibleCommand>();
  command.add_option("SOURCE", options->sources, "instances: files, http(s) URLs or -; without it, they are generated");
  const std::string generated = "Generated instances";
  command.add_option("--clusters", options->generator.clusters, "clusters of 10 processors (paper: 3, 10, 20)")
      .check(base::in_range(1, 1000))
      .capture_default()
      .group(generated);
  command.add_option("--databanks", options->generator.databanks, "databanks (paper: 3, 10, 20)")
      .check(base::in_range(1, 1000))
      .capture_default()
      .group(generated);
  command
      .add_option("--availability", options->generator.availability,
                  "probability that a cluster holds a databank (paper: 0.3, 0.6, 0.9)")
      .check(number_in(0, 1))
      .capture_default()
      .group(generated);
  command.add_option("--density", options->generator.density, "workload density (paper: 0.75 .. 3)")
      .check(number_in(1e-3, 100))
      .capture_default()
      .group(generated);
  command.add_option("--density-reading", options->reading, "what the density counts, see below")
      .check(base::one_of({"shared", "processor", "alone"}))
      .capture_default()
      .group(generated);
  command.add_option("--duration", options->generator.duration, "seconds in which requests arrive")
      .check(number_in(1, 1e6))
      .capture_default()
      .group(generated);
  command.add_option("--instances", options->instances, "number of instances, with seeds S, S+1, ...")
      .check(whole_number_in(1, 1'000'000))
      .capture_default()
      .group(generated);
  command.add_option("--seed", options->generator.seed, "S, the first seed")
      .check(whole_number_in(0, std::numeric_limits<std::uint64_t>::max()))
      .capture_default()
      .group(generated);
  options->algorithms = {"all"};
  command
      .add_option("-a,--algorithm,--algorithms", options->algorithms,
                  "algorithms, separated by commas; see `dfrs-sim list --divisible`")
      .delimiter(',')
      .capture_default();
  command
      .add_option("--stretch", options->stretch,
                  "compare flow time with the time alone on the whole 'platform' (the paper's weight 1 / size), or on "
                  "the clusters within 'reach', which hold the request's databank")
      .check(base::one_of({"platform", "reach"}))
      .capture_default();
  command.add_option("--format", options->format, "of the table printed")
      .check(base::one_of({"text", "markdown", "csv", "json"}))
      .capture_default();
  command.add_option("-o,--output", options->results_file, "write a row per instance and algorithm to this CSV file");
  command.add_option("--jobs-csv", options->jobs_file, "write a row per request to this file");
  command.add_option("--schedule-csv", options->schedule_file,
                     "write the schedule to this file: which cluster worked on which request, and when");
  command.add_option("--save", options->save_file, "write the instance to this file, which can be read as SOURCE");
  command.add_option("-j,--threads", options->threads, "threads (default: one per processor)")
      .check(base::in_range(1, 1024));
  command.footer(kFooter);
  command.callback([options, command] {
    std::vector<std::string_view> without(kPresentation.begin(), kPresentation.end());
    if (!options->sources.empty()) without.insert(without.end(), kGenerating.begin(), kGenerating.end());
    options->origin = {"divisible", own_options(command, without), {}};
    options->run();
  });
}

}  // namespace dfrs::sim
