// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/cli/replay.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

namespace dfrs::sim {
namespace {

using nlohmann::json;

enum class State { future, waiting, running, paused, done };

struct Live {
  ReplayedJob* job = nullptr;
  State state = State::future;
  std::vector<std::size_t> nodes;
  double yield = 0;
  double progress = 0;  // seconds of work at full speed
  double blocked_until = 0;
  double seen = 0;  // time of `progress`
};

class Replayer {
 public:
  Replayer(Replay& result, double penalty, bool exclusive)
      : result_(result), penalty_(penalty), exclusive_(exclusive), memory_(result.nodes.size(), 0) {
    for (auto& [id, job] : result.jobs) live_[id].job = &job;
  }

  void line(const json& entry) {
    const double t = entry.at("t");
    if (t < now_) throw ReplayError("time goes back");
    now_ = t;
    for (auto& [id, live] : live_) advance(live);
    for (const json& id : entry.value("completed", json::array())) complete(id);
    for (const json& id : entry.value("submitted", json::array())) submit(id);
    for (const json& id : entry.value("paused", json::array())) pause(id);
    // All moved jobs leave their old nodes before any takes new ones.
    const json moved = entry.value("moved", json::object());
    for (const auto& [id, nodes] : moved.items()) {
      Live& live = in_state(id, State::running, "moved");
      if (live.nodes == nodes.get<std::vector<std::size_t>>())
        throw ReplayError("job " + id + " is moved to where it is");
      take(live, -1);
    }
    for (const auto& [id, nodes] : moved.items()) {
      Live& live = in_state(id, State::running, "moved");
      place(live, nodes);
      live.blocked_until = now_ + penalty_;
      ++live.job->moves;
    }
    const json resumed = entry.value("resumed", json::object());
    for (const auto& [id, nodes] : resumed.items()) {
      Live& live = in_state(id, State::paused, "resumed");
      place(live, nodes);
      live.state = State::running;
      live.blocked_until = now_ + penalty_;
    }
    const json started = entry.value("started", json::object());
    for (const auto& [id, nodes] : started.items()) {
      Live& live = in_state(id, State::waiting, "started");
      place(live, nodes);
      live.state = State::running;
      live.job->start = now_;
    }
    const json yields = entry.value("yields", json::object());
    for (const auto& [id, yield] : yields.items()) {
      Live& live = in_state(id, State::running, "given a yield");
      live.yield = yield;
      if (!(live.yield > 0 && live.yield <= 1)) throw ReplayError("job " + id + ": yield outside (0, 1]");
    }
    check_machine();
  }

  void end() const {
    for (const auto& [id, live] : live_) {
      if (live.state != State::done) throw ReplayError("job " + std::to_string(id) + " never ends");
    }
  }

 private:
  Live& in_state(std::int64_t id, State state, const char* what) {
    const auto found = live_.find(id);
    if (found == live_.end()) throw ReplayError("no job " + std::to_string(id) + " in the trace");
    if (found->second.state != state) throw ReplayError("job " + std::to_string(id) + " cannot be " + what + " now");
    return found->second;
  }
  Live& in_state(const std::string& id, State state, const char* what) { return in_state(std::stoll(id), state, what); }

  void advance(Live& live) const {
    if (live.state == State::running) {
      live.progress += live.yield * std::max(0.0, now_ - std::max(live.seen, live.blocked_until));
    }
    live.seen = now_;
  }

  void complete(std::int64_t id) {
    Live& live = in_state(id, State::running, "completed");
    const double work = live.job->run_time;
    if (std::abs(live.progress - work) > 1e-6 * (1 + work)) {
      throw ReplayError("job " + std::to_string(id) + " completes after " + std::to_string(live.progress) + " of " +
                        std::to_string(work) + " s of work");
    }
    take(live, -1);
    live.nodes.clear();
    live.state = State::done;
    live.job->end = now_;
  }

  void submit(std::int64_t id) {
    Live& live = in_state(id, State::future, "submitted");
    if (now_ != live.job->submit) throw ReplayError("job " + std::to_string(id) + " is submitted at another time");
    live.state = State::waiting;
  }

  void pause(std::int64_t id) {
    Live& live = in_state(id, State::running, "paused");
    take(live, -1);
    live.nodes.clear();
    live.yield = 0;
    live.state = State::paused;
    ++live.job->pauses;
  }

  void place(Live& live, const json& nodes) {
    live.nodes = nodes.get<std::vector<std::size_t>>();
    if (live.nodes.size() != live.job->tasks) throw ReplayError("not one node per task");
    for (const std::size_t node : live.nodes) {
      if (node >= memory_.size()) throw ReplayError("no such node");
    }
    take(live, 1);
  }

  void take(const Live& live, int sign) {
    for (const std::size_t node : live.nodes) memory_[node] += sign * live.job->memory;
  }

  // Memory and CPU are checked after the whole line, because jobs change places within it.
  void check_machine() const {
    std::vector<double> cpu(memory_.size(), 0);
    std::vector<int> tasks(memory_.size(), 0);
    for (const auto& [id, live] : live_) {
      if (live.state != State::running) continue;
      if (live.yield <= 0) throw ReplayError("job " + std::to_string(id) + " runs without a yield");
      for (const std::size_t node : live.nodes) {
        cpu[node] += live.yield * live.job->cpu_need;
        ++tasks[node];
      }
    }
    for (std::size_t node = 0; node < memory_.size(); ++node) {
      const std::string name = "node " + std::to_string(node);
      if (memory_[node] > result_.nodes[node].memory) throw ReplayError(name + ": memory exceeded");
      if (cpu[node] > result_.nodes[node].cpu * (1 + 1e-9)) throw ReplayError(name + ": CPU exceeded");
      if (exclusive_ && tasks[node] > 1) throw ReplayError(name + ": shared");
    }
  }

  Replay& result_;
  double penalty_;
  bool exclusive_;
  double now_ = 0;
  std::map<std::int64_t, Live> live_;
  std::vector<long long> memory_;  // in use, by node
};

}  // namespace

Replay read_trace(const std::string& trace) {
  Replay result;
  std::istringstream lines(trace);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    if (line.starts_with("; Nodes:")) {
      std::string skip;
      std::size_t count = 0;
      ReplayedNode node;
      words >> skip >> skip >> count >> skip >> node.cpu >> skip >> node.memory;
      result.nodes.insert(result.nodes.end(), count, node);
    } else if (!line.empty() && line[0] != ';') {
      std::int64_t id = 0;
      ReplayedJob job;
      words >> id >> job.submit >> job.tasks >> job.cpu_need >> job.memory >> job.run_time;
      if (!words) throw ReplayError("cannot read: " + line);
      result.jobs[id] = job;
    }
  }
  return result;
}

Replay replay(const std::string& trace, const std::string& log, double penalty, bool exclusive) {
  Replay result = read_trace(trace);
  Replayer replayer(result, penalty, exclusive);
  std::istringstream lines(log);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      replayer.line(json::parse(line));
    } catch (const ReplayError& error) {
      throw ReplayError("log line " + std::to_string(number) + ": " + error.what());
    }
  }
  replayer.end();
  return result;
}

}  // namespace dfrs::sim
