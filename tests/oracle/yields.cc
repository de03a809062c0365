// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/yields.h"

#include <algorithm>
#include <numeric>

#include "tests/oracle/linear_program.h"

namespace dfrs::oracle {

std::vector<double> max_min_yields(const World& world) {
  std::vector<double> yields(world.jobs.size(), 0.0);
  std::vector<bool> fixed(world.jobs.size(), true);
  for (JobSlot job : world.order) fixed[job] = !world.jobs[job].placed();
  constexpr double kSame = 1e-12;  // shares that differ by rounding alone
  for (;;) {
    double level = 1;
    std::vector<double> share(world.nodes.size(), 1.0);
    for (NodeIndex n = 0; n < world.nodes.size(); ++n) {
      double left = world.nodes[n].spec.cpu;
      double open = 0;
      for (JobSlot job : world.order) {
        const double need = world.jobs[job].cpu_need * world.tasks_on(job, n);
        if (fixed[job]) {
          left -= need * yields[job];
        } else {
          open += need;
        }
      }
      if (open > 0) share[n] = left / open;
      level = std::min(level, share[n]);
    }
    bool any = false;
    for (JobSlot job : world.order) {
      if (fixed[job]) continue;
      bool stops = level >= 1;
      for (NodeIndex n : world.jobs[job].nodes) stops = stops || share[n] <= level * (1 + kSame);
      if (!stops) continue;
      yields[job] = level;
      any = true;
    }
    for (JobSlot job : world.order) fixed[job] = fixed[job] || yields[job] > 0;
    if (!any) return yields;
  }
}

double common_yield(const World& world) {
  double largest = 1;
  for (NodeIndex n = 0; n < world.nodes.size(); ++n) {
    largest = std::max(largest, world.load(n) / world.nodes[n].spec.cpu);
  }
  return 1 / largest;
}

double best_yield_sum(const World& world) {
  std::vector<JobSlot> running;
  for (JobSlot job : world.order) {
    if (world.jobs[job].placed()) running.push_back(job);
  }
  if (running.empty()) return 0;
  LinearProgram program;
  program.clear();
  program.cost.assign(running.size(), 1);
  program.lower.assign(running.size(), std::min(1.0, common_yield(world)));
  program.upper.assign(running.size(), 1);
  for (NodeIndex n = 0; n < world.nodes.size(); ++n) {
    for (std::size_t k = 0; k < running.size(); ++k) {
      const int tasks = world.tasks_on(running[k], n);
      if (tasks == 0) continue;
      program.column.push_back(k);
      program.value.push_back(world.jobs[running[k]].cpu_need * tasks);
    }
    program.end_row(world.nodes[n].spec.cpu);
  }
  std::vector<double> x(running.size());
  return maximize(program, x) ? std::accumulate(x.begin(), x.end(), 0.0) : -1;
}

std::vector<double> max_stretch_yields(const World& world, Seconds rest) {
  std::vector<double> yields(world.jobs.size(), 0.0);
  std::vector<JobSlot> open;
  for (JobSlot job : world.order) {
    if (world.jobs[job].placed()) open.push_back(job);
  }
  const double floor = std::min(0.01, common_yield(world));
  const auto yield_at = [&](JobSlot job, double s) {
    const double y = ((world.flow_time(job) + rest) * s - world.jobs[job].virtual_time) / rest;
    return std::clamp(y, floor, 1.0);
  };
  const auto overfull = [&](NodeIndex n, double s) {
    double used = 0;
    for (JobSlot job : world.order) {
      const bool is_open = std::count(open.begin(), open.end(), job) != 0;
      used += world.jobs[job].cpu_need * world.tasks_on(job, n) * (is_open ? yield_at(job, s) : yields[job]);
    }
    return used > world.nodes[n].spec.cpu * (1 + 1e-9);
  };
  double top = 0;  // everybody runs at full speed
  for (JobSlot job : open) {
    top = std::max(top, (world.jobs[job].virtual_time + rest) / (world.flow_time(job) + rest));
  }
  while (!open.empty()) {
    const auto some_overfull = [&](double s) {
      for (NodeIndex n = 0; n < world.nodes.size(); ++n) {
        bool any = false;
        for (JobSlot job : open) any = any || world.tasks_on(job, n) != 0;
        if (any && overfull(n, s)) return true;
      }
      return false;
    };
    double low = 0;
    double high = top;
    if (!some_overfull(top)) low = top;
    for (int k = 0; k < 200 && low < high; ++k) {
      const double middle = (low + high) / 2;
      (some_overfull(middle) ? high : low) = middle;
    }
    std::vector<JobSlot> stop;
    for (JobSlot job : open) {
      bool stops = low >= top;
      for (NodeIndex n : world.jobs[job].nodes) stops = stops || overfull(n, low * (1 + 1e-9) + 1e-12);
      if (stops) stop.push_back(job);
    }
    for (JobSlot job : stop) yields[job] = yield_at(job, low);
    if (stop.empty()) stop = open;  // cannot be: some node was overfull right above
    std::erase_if(open, [&](JobSlot job) { return std::count(stop.begin(), stop.end(), job) != 0; });
  }
  return yields;
}

double least_stretch_sum(const World& world, Seconds rest) {
  std::vector<JobSlot> running;
  for (JobSlot job : world.order) {
    if (world.jobs[job].placed()) running.push_back(job);
  }
  const double floor = std::min(0.01, common_yield(world));
  const auto progress = [&](JobSlot job, double y) { return world.jobs[job].virtual_time + y * rest; };
  const auto estimate = [&](JobSlot job, double y) { return (world.flow_time(job) + rest) / progress(job, y); };
  const auto yields_at = [&](double s) {
    std::vector<double> yields(world.jobs.size(), 0.0);
    for (JobSlot job : running) {
      const double y = ((world.flow_time(job) + rest) * s - world.jobs[job].virtual_time) / rest;
      yields[job] = std::clamp(y, floor, 1.0);
    }
    return yields;
  };
  double low = 0;
  double high = kNever;
  for (JobSlot job : running) {
    const auto full = [&](NodeIndex n) { return world.load(n) > world.nodes[n].spec.cpu * (1 + 1e-9); };
    const auto& nodes = world.jobs[job].nodes;
    if (std::any_of(nodes.begin(), nodes.end(), full)) high = std::min(high, 1 / estimate(job, 1));
  }
  if (high == kNever) return stretch_sum(world, max_min_yields(world), rest);  // all run at full speed
  if (yields_fit(world, yields_at(high), 1e-9)) low = high;
  for (int k = 0; k < 200 && low < high; ++k) {
    const double middle = (low + high) / 2;
    (yields_fit(world, yields_at(middle), 1e-9) ? low : high) = middle;
  }
  const std::vector<double> least = yields_at(low);

  // Columns: the yields, then the negative estimates.
  LinearProgram program;
  program.clear();
  const auto cut = [&](std::size_t k, double y) {
    const double value = estimate(running[k], y);
    const double slope = -value * rest / progress(running[k], y);
    program.column.insert(program.column.end(), {running.size() + k, k});
    program.value.insert(program.value.end(), {1, slope});
    program.end_row(slope * y - value);
  };
  program.cost.assign(running.size(), 0);
  program.cost.resize(2 * running.size(), 1);
  for (JobSlot job : running) program.lower.push_back(least[job]);
  for (JobSlot job : running) program.lower.push_back(-estimate(job, least[job]));
  program.upper.assign(running.size(), 1);
  for (JobSlot job : running) program.upper.push_back(-estimate(job, 1));
  for (NodeIndex n = 0; n < world.nodes.size(); ++n) {
    double used = 0;
    for (std::size_t k = 0; k < running.size(); ++k) {
      const int tasks = world.tasks_on(running[k], n);
      if (tasks == 0) continue;
      program.column.push_back(k);
      program.value.push_back(world.jobs[running[k]].cpu_need * tasks);
      used += program.value.back() * least[running[k]];
    }
    program.end_row(std::max(world.nodes[n].spec.cpu, used));
  }
  for (std::size_t k = 0; k < running.size(); ++k) {
    cut(k, least[running[k]]);
    cut(k, 1);
  }
  double best = kNever;
  std::vector<double> x(program.columns());
  for (int round = 0; round < 200; ++round) {
    if (!maximize(program, x)) return -1;
    double bound = 0;
    double value = 0;
    for (std::size_t k = 0; k < running.size(); ++k) {
      bound -= x[running.size() + k];
      value += estimate(running[k], x[k]);
    }
    best = std::min(best, value);
    if (best - bound <= 1e-6 * best) return best;
    for (std::size_t k = 0; k < running.size(); ++k) cut(k, x[k]);
  }
  return -1;
}

double stretch_sum(const World& world, const std::vector<double>& yields, Seconds rest) {
  double sum = 0;
  for (JobSlot job : world.order) {
    if (!world.jobs[job].placed()) continue;
    sum += (world.flow_time(job) + rest) / (world.jobs[job].virtual_time + yields[job] * rest);
  }
  return sum;
}

bool yields_fit(const World& world, const std::vector<double>& yields, double tolerance) {
  for (NodeIndex n = 0; n < world.nodes.size(); ++n) {
    double used = 0;
    for (JobSlot job : world.order) used += world.jobs[job].cpu_need * world.tasks_on(job, n) * yields[job];
    if (used > world.nodes[n].spec.cpu * (1 + tolerance)) return false;
  }
  for (JobSlot job : world.order) {
    if (world.jobs[job].placed() && (!(yields[job] > 0) || yields[job] > 1)) return false;
  }
  return true;
}

}  // namespace dfrs::oracle
