// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/gang/host/gang_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text_table.h"

namespace dfrs::sim {
namespace {

struct Figure {
  const char* name;     // in CSV and JSON
  const char* heading;  // in text; nullptr: not shown
  double (*value)(const GangMetrics&);
};

constexpr std::array kFigures{
    Figure{"response_time", "response time", [](const GangMetrics& m) { return m.mean_response; }},
    Figure{"bounded_slowdown", "bounded slowdown", [](const GangMetrics& m) { return m.mean_bounded_slowdown; }},
    Figure{"response_by_tasks", nullptr, [](const GangMetrics& m) { return m.response_by_tasks; }},
    Figure{"response_rise", nullptr, [](const GangMetrics& m) { return m.response_rise; }},
    Figure{"wait", nullptr, [](const GangMetrics& m) { return m.mean_wait; }},
    Figure{"migrations", "migrations", [](const GangMetrics& m) { return static_cast<double>(m.migrations); }},
    Figure{"starved_migrations", nullptr,
           [](const GangMetrics& m) { return static_cast<double>(m.starved_migrations); }},
    Figure{"migrated_tasks", nullptr, [](const GangMetrics& m) { return static_cast<double>(m.migrated_tasks); }},
    Figure{"starved_starts", nullptr, [](const GangMetrics& m) { return static_cast<double>(m.starved_starts); }},
    Figure{"lease_time", "lease time", [](const GangMetrics& m) { return m.lease_time; }},
    Figure{"lease_from_ready", nullptr, [](const GangMetrics& m) { return m.lease_from_ready; }},
    Figure{"lease_whole_units", nullptr, [](const GangMetrics& m) { return m.lease_whole_units; }},
    Figure{"busy_time", nullptr, [](const GangMetrics& m) { return m.busy_time; }},
    Figure{"utilization", "utilization", [](const GangMetrics& m) { return m.utilization(); }},
    Figure{"machines", "machines", [](const GangMetrics& m) { return m.mean_machines(); }},
    Figure{"most_machines", nullptr, [](const GangMetrics& m) { return static_cast<double>(m.most_machines); }},
    Figure{"leases", nullptr, [](const GangMetrics& m) { return static_cast<double>(m.leases); }},
    Figure{"held", nullptr, [](const GangMetrics& m) { return static_cast<double>(m.held); }},
    Figure{"end", nullptr, [](const GangMetrics& m) { return m.end; }},
};

std::string threshold_name(double threshold) { return std::isinf(threshold) ? "none" : fmt::format("{}", threshold); }

// Three decimals for small numbers, none for large ones.
std::string with_interval(const ConfidenceInterval& i) {
  const double size = std::abs(i.mean);
  const int decimals = size < 10 ? 3 : size < 1000 ? 1 : 0;
  const std::string mean = fmt::format("{:.{}f}", i.mean, decimals);
  return std::isinf(i.half_width) ? mean : fmt::format("{} ±{:.{}f}", mean, i.half_width, decimals);
}

std::string number(double value) { return std::isinf(value) ? std::string() : fmt::format("{}", value); }

std::string settings_csv(const GangReport& report, const GangReport::Row& row) {
  const gang::Options& o = row.experiment.options.policy;
  return fmt::format("{},{},{},{},{}", gang::name(o.scheduler), gang::name(o.migration),
                     threshold_name(o.starvation_threshold), report.workload.arrival_rate,
                     report.workload.small_probability);
}

constexpr const char* kSettings = "scheduler,migration,x_factor,lambda,q";

}  // namespace

std::optional<ConfidenceInterval> GangReport::cost_performance_of(const Row& row) const {
  const gang::Options& o = row.experiment.options.policy;
  if (o.scheduler != gang::Scheduler::ljfs) return std::nullopt;
  for (const Row& base : rows) {
    const gang::Options& b = base.experiment.options.policy;
    if (b.scheduler != gang::Scheduler::afcfs || b.migration != o.migration ||
        b.starvation_threshold != o.starvation_threshold) {
      continue;
    }
    return cost_performance(base.runs, row.runs);
  }
  return std::nullopt;
}

bool GangReport::growing(const Row& row) {
  const ConfidenceInterval rise = interval_of(row.runs, [](const GangMetrics& m) { return m.response_rise; });
  return rise.mean > 1 && (std::isinf(rise.half_width) || rise.mean - rise.half_width > 0.5);
}

bool GangReport::wide(const Row& row) {
  constexpr std::array kJudged{&GangMetrics::mean_response, &GangMetrics::mean_bounded_slowdown,
                               &GangMetrics::lease_time};
  const auto wide = [&](const ConfidenceInterval& i) {
    return std::isfinite(i.half_width) && 2 * i.half_width > std::abs(i.mean);
  };
  return std::any_of(kJudged.begin(), kJudged.end(),
                     [&](const auto member) {
                       return wide(interval_of(row.runs, [&](const GangMetrics& m) { return m.*member; }));
                     }) ||
         wide(interval_of(row.runs, [](const GangMetrics& m) { return m.mean_machines(); }));
}

namespace {

bool any_row(const GangReport& report, bool (*is)(const GangReport::Row& row)) {
  return std::any_of(report.rows.begin(), report.rows.end(), is);
}

base::TextTable text_table(const GangReport& report, bool compared) {
  base::TextTable table;
  const bool marks = any_row(report, &GangReport::unstable);
  table.column("scheduler");
  table.column("migration");
  table.column("X-factor", base::Align::right);
  for (const Figure& f : kFigures) {
    if (f.heading != nullptr) table.column(f.heading, base::Align::right);
  }
  if (compared) table.column("CPE", base::Align::right);
  if (marks) table.column("");
  for (const GangReport::Row& row : report.rows) {
    const gang::Options& o = row.experiment.options.policy;
    std::vector<std::string> cells{std::string(gang::name(o.scheduler)), std::string(gang::name(o.migration)),
                                   threshold_name(o.starvation_threshold)};
    for (const Figure& f : kFigures) {
      if (f.heading != nullptr) cells.push_back(with_interval(interval_of(row.runs, f.value)));
    }
    if (compared) {
      const auto cpe = report.cost_performance_of(row);
      cells.push_back(cpe ? with_interval(*cpe) : "-");
    }
    if (marks) cells.emplace_back(GangReport::unstable(row) ? "unstable" : "");
    table.row(std::move(cells));
  }
  return table;
}

}  // namespace

std::string text_report(const GangReport& report) {
  const GangReport::Row& first = report.rows.front();
  const bool compared = std::any_of(report.rows.begin(), report.rows.end(), [&](const GangReport::Row& row) {
    return report.cost_performance_of(row).has_value();
  });
  std::string text =
      fmt::format("lambda {}, q {} ({} tasks per gang on average), mu {}; {} x {} gangs, seed {}\n\n",
                  report.workload.arrival_rate, report.workload.small_probability, report.workload.mean_tasks(),
                  report.workload.service_rate, first.runs.size(), first.runs.front().finished, report.seed);
  text += text_table(report, compared).text();
  text += "\nTimes are in time units. ";
  if (first.runs.size() > 1) text += "± is half of the 95 % confidence interval over the replications. ";
  text +=
      "Migrations count gangs;\nlease time is that of all machines together, utilization the part of it with a task "
      "running, machines their\nmean number.\n";
  if (compared)
    text +=
        "CPE: the share of AFCFS's lease time that LJFS saves, plus that of its response time; negative: AFCFS is "
        "better.\n";
  if (any_row(report, &GangReport::wide)) {
    text +=
        "unstable: an interval is wider than its mean (2 x ± > mean), so the row says little: the replications do not\n"
        "agree. Give more gangs or replications (--gangs, --replications); if that does not help, the machines cannot\n"
        "keep up with the arrivals (--lambda).\n";
  }
  if (any_row(report, &GangReport::growing)) {
    text +=
        "unstable: response times grow to the end of the runs, so the row's means depend on --gangs. The machines\n"
        "cannot keep up with the arrivals: give more machines (--limit) or fewer arrivals (--lambda).\n";
  }
  return text + '\n' + report.origin.text();
}

std::string csv_report(const GangReport& report) {
  std::string text = fmt::format("{},replications,gangs", kSettings);
  for (const Figure& f : kFigures) text += fmt::format(",{0},{0}_half_width", f.name);
  text += ",cpe,cpe_half_width,unstable" + StudyOrigin::csv_header() + '\n';
  for (const GangReport::Row& row : report.rows) {
    text += fmt::format("{},{},{}", settings_csv(report, row), row.runs.size(), row.runs.front().finished);
    for (const Figure& f : kFigures) {
      const ConfidenceInterval i = interval_of(row.runs, f.value);
      text += fmt::format(",{},{}", number(i.mean), number(i.half_width));
    }
    const auto cpe = report.cost_performance_of(row);
    text += cpe ? fmt::format(",{},{}", number(cpe->mean), number(cpe->half_width)) : ",,";
    text += (GangReport::unstable(row) ? ",1" : ",0") + report.origin.csv_fields() + '\n';
  }
  return text;
}

std::string csv_runs(const GangReport& report) {
  std::string text = fmt::format("{},replication,gangs", kSettings);
  for (const Figure& f : kFigures) text += fmt::format(",{}", f.name);
  text += StudyOrigin::csv_header() + '\n';
  for (const GangReport::Row& row : report.rows) {
    for (std::size_t r = 0; r < row.runs.size(); ++r) {
      text += fmt::format("{},{},{}", settings_csv(report, row), r, row.runs[r].finished);
      for (const Figure& f : kFigures) text += fmt::format(",{}", f.value(row.runs[r]));
      text += report.origin.csv_fields() + '\n';
    }
  }
  return text;
}

std::string json_report(const GangReport& report) {
  using Json = nlohmann::ordered_json;
  const auto interval = [](const ConfidenceInterval& i) {
    return Json{{"mean", i.mean}, {"half_width", std::isinf(i.half_width) ? Json() : Json(i.half_width)}};
  };
  Json out{{"lambda", report.workload.arrival_rate},
           {"q", report.workload.small_probability},
           {"mu", report.workload.service_rate},
           {"mean_tasks", report.workload.mean_tasks()},
           {"replications", report.rows.front().runs.size()},
           {"gangs", report.rows.front().runs.front().finished},
           {"seed", report.seed},
           {"rows", Json::array()}};
  for (const GangReport::Row& row : report.rows) {
    const gang::Options& o = row.experiment.options.policy;
    Json line{{"scheduler", gang::name(o.scheduler)},
              {"migration", gang::name(o.migration)},
              {"x_factor", std::isinf(o.starvation_threshold) ? Json() : Json(o.starvation_threshold)}};
    for (const Figure& f : kFigures) line[f.name] = interval(interval_of(row.runs, f.value));
    if (const auto cpe = report.cost_performance_of(row)) line["cpe"] = interval(*cpe);
    line["unstable"] = GangReport::unstable(row);
    out["rows"].push_back(std::move(line));
  }
  out["origin"] = report.origin.json();
  return out.dump(2) + "\n";
}

}  // namespace dfrs::sim
