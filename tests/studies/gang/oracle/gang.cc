// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/studies/gang/oracle/gang.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

namespace dfrs::oracle {
namespace {

using Machines = std::vector<int>;

std::string text_of(double time) { return std::to_string(time); }
std::string text_of(const Machines& machines) {
  std::string text;
  for (int m : machines) text += " " + std::to_string(m);
  return text;
}

// The cloud as in the paper.
struct Cloud {
  struct Machine {
    bool leased = false;
    bool ready = false;
    double since = 0;
    std::deque<int> queue;  // gangs, one task each
    int running = -1;
  };
  enum class Place { absent, held, queued, starved, migrated, running, gone };
  struct Gang {
    Place place = Place::absent;
    Machines machines;
    double end = 0;
    int request = -1;  // waits for it
  };
  struct Request {
    double ready;
    Machines machines;
    bool open = true;
  };

  explicit Cloud(const GangCase& from) : in(from), machines(from.options.machine_limit), gangs(from.jobs.size()) {
    for (unsigned m = 0; m < in.options.machine_minimum; ++m) machines[m].leased = machines[m].ready = true;
  }

  const GangCase& in;
  std::vector<Machine> machines;
  std::vector<Gang> gangs;
  std::vector<Request> requests;
  std::vector<int> dispatched;  // all gangs ever, in this order
  double now = 0;
  int starts_since_migration = 0;
  int arrivals_until_release = 0;
  GangStory story;
  std::vector<std::string> dispatches, moves, starts, leases, releases;

  int tasks(int g) const { return static_cast<int>(in.jobs[g].tasks); }
  int count(bool Machine::* what) const {
    return static_cast<int>(std::count_if(machines.begin(), machines.end(), [&](const Machine& m) { return m.*what; }));
  }
  bool any(Place place) const {
    return std::any_of(gangs.begin(), gangs.end(), [&](const Gang& g) { return g.place == place; });
  }
  // Kept for a gang that migrated.
  bool kept(int m) const {
    return std::any_of(gangs.begin(), gangs.end(), [&](const Gang& g) {
      return g.place == Place::migrated && std::count(g.machines.begin(), g.machines.end(), m) != 0;
    });
  }
  bool idle(int m) const { return machines[m].ready && machines[m].running < 0 && !kept(m); }
  bool all_idle(int g) const {
    return std::all_of(gangs[g].machines.begin(), gangs[g].machines.end(), [&](int m) { return idle(m); });
  }
  int idle_count() const {
    int n = 0;
    for (int m = 0; m < static_cast<int>(machines.size()); ++m) n += idle(m) ? 1 : 0;
    return n;
  }

  void run() {
    std::size_t next = 0;
    for (;;) {
      double when = next < in.jobs.size() ? in.jobs[next].arrival : kNever;
      int gang = -1;
      int request = -1;
      for (int r = 0; r < static_cast<int>(requests.size()); ++r) {
        const bool lower = request >= 0 && requests[r].ready == when &&
                           requests[r].machines.front() < requests[request].machines.front();
        if (requests[r].open && (requests[r].ready < when || (requests[r].ready == when && (request < 0 || lower)))) {
          when = requests[r].ready;
          request = r;
        }
      }
      for (int g = 0; g < static_cast<int>(gangs.size()); ++g) {
        if (gangs[g].place != Place::running) continue;
        const bool lower =
            gang >= 0 && gangs[g].end == when && gangs[g].machines.front() < gangs[gang].machines.front();
        if (gangs[g].end < when || (gangs[g].end == when && (gang < 0 || lower))) {
          when = gangs[g].end;
          gang = g;
        }
      }
      if (when == kNever) break;
      now = when;
      if (gang >= 0) {
        depart(gang);
      } else if (request >= 0) {
        ready(request);
      } else {
        arrive(static_cast<int>(next++));
      }
      cycle();
      while (in.options.migrated_start == gang::MigratedStart::at_once && any(Place::migrated)) cycle();
      release();
      tell();
    }
    // The run ends with the last departure.
    for (const Machine& m : machines) {
      if (m.leased) story.lease_time += now - m.since;
    }
  }

  void depart(int g) {
    for (int m : gangs[g].machines) machines[m].running = -1;
    gangs[g].place = Place::gone;
    story.lines.push_back(text_of(now) + " end " + std::to_string(g));
  }

  void ready(int r) {
    requests[r].open = false;
    for (int m : requests[r].machines) machines[m].ready = true;
    arrivals_until_release = static_cast<int>(in.options.release_pause);
    for (int g = 0; g < static_cast<int>(gangs.size()); ++g) {
      if (gangs[g].place != Place::held) continue;
      if (gangs[g].request >= 0 && requests[gangs[g].request].open) continue;
      if (tasks(g) <= count(&Machine::ready)) dispatch(g);
    }
  }

  void arrive(int g) {
    arrivals_until_release = std::max(0, arrivals_until_release - 1);
    gangs[g].place = Place::held;
    const int room = static_cast<int>(in.options.machine_limit) - count(&Machine::leased);
    const int there = count(&Machine::ready);
    double waiting = 0;
    for (const Machine& m : machines) waiting += static_cast<double>(m.queue.size());
    int wanted = 0;
    if (tasks(g) > there) {
      wanted = std::min(room, tasks(g) - there);
    } else if (waiting / count(&Machine::leased) > in.options.load_threshold) {
      wanted = std::min(room, tasks(g));
      if (wanted == 0) return dispatch(g);
    } else {
      return dispatch(g);
    }
    if (wanted == 0) return;
    Request request{now + in.setup_delays[requests.size()], {}};
    for (int m = 0; static_cast<int>(request.machines.size()) < wanted; ++m) {
      if (machines[m].leased) continue;
      machines[m].leased = true;
      machines[m].since = now;
      request.machines.push_back(m);
    }
    leases.push_back(" lease" + text_of(request.machines));
    gangs[g].request = static_cast<int>(requests.size());
    requests.push_back(request);
  }

  // The machines `from`, shortest queue first.
  Machines by_queue(Machines from, bool with_running) const {
    std::stable_sort(from.begin(), from.end(), [&](int a, int b) {
      const auto length = [&](int m) {
        return machines[m].queue.size() + (with_running && machines[m].running >= 0 ? 1U : 0U);
      };
      return length(a) < length(b);
    });
    return from;
  }

  void dispatch(int g) {
    Machines all;
    for (int m = 0; m < static_cast<int>(machines.size()); ++m) {
      if (machines[m].ready) all.push_back(m);
    }
    all = by_queue(all, in.options.queue_length == gang::QueueLength::tasks);
    all.resize(static_cast<std::size_t>(tasks(g)));
    std::sort(all.begin(), all.end());
    for (int m : all) machines[m].queue.push_back(g);
    gangs[g].machines = all;
    gangs[g].place = Place::queued;
    dispatched.push_back(g);
    dispatches.push_back(" dispatch " + std::to_string(g) + ":" + text_of(all));
  }

  void start(int g, const char* route) {
    for (int m : gangs[g].machines) {
      auto& queue = machines[m].queue;
      queue.erase(std::find(queue.begin(), queue.end(), g));
      machines[m].running = g;
    }
    gangs[g].place = Place::running;
    gangs[g].end = now + in.jobs[g].execution;
    starts.push_back(" start " + std::to_string(g) + " " + route);
  }

  void migrate(int g, bool starved) {
    Machines from;
    Machines stay;
    for (int m : gangs[g].machines) (idle(m) ? stay : from).push_back(m);
    Machines open;
    for (int m = 0; m < static_cast<int>(machines.size()); ++m) {
      if (idle(m) && std::count(stay.begin(), stay.end(), m) == 0) open.push_back(m);
    }
    Machines to = by_queue(open, false);
    to.resize(from.size());
    std::sort(to.begin(), to.end());
    for (int m : from) machines[m].queue.erase(std::find(machines[m].queue.begin(), machines[m].queue.end(), g));
    for (int m : stay) machines[m].queue.erase(std::find(machines[m].queue.begin(), machines[m].queue.end(), g));
    gangs[g].machines = stay;
    gangs[g].machines.insert(gangs[g].machines.end(), to.begin(), to.end());
    std::sort(gangs[g].machines.begin(), gangs[g].machines.end());
    for (int m : gangs[g].machines) machines[m].queue.push_front(g);
    gangs[g].place = Place::migrated;
    moves.push_back(" move " + std::to_string(g) + ":" + text_of(from) + " to" + text_of(to) +
                    (starved ? " starved" : ""));
  }

  void cycle() {
    for (int g : dispatched) {
      if (gangs[g].place == Place::migrated) pending.push_back(g);
    }
    std::sort(pending.begin(), pending.end(), [&](int a, int b) { return order[a] < order[b]; });
    for (int g : pending) start(g, "migrated");
    pending.clear();

    for (int g : dispatched) {
      const sim::GangJob& job = in.jobs[g];
      const bool reached = job.execution == 0
                               ? in.options.starvation_threshold < kNever
                               : (now - job.arrival + job.execution) / job.execution >= in.options.starvation_threshold;
      if (gangs[g].place == Place::queued && reached) gangs[g].place = Place::starved;
    }
    std::vector<int> starved;
    for (int g : dispatched) {
      if (gangs[g].place == Place::starved) starved.push_back(g);
    }
    std::stable_sort(starved.begin(), starved.end(), [&](int a, int b) {
      const auto since = [&](int g) {
        return in.jobs[g].arrival + (in.options.starvation_threshold - 1) * in.jobs[g].execution;
      };
      return since(a) < since(b);
    });
    for (int g : starved) {
      if (all_idle(g)) {
        start(g, "starved");
      } else if (in.options.migration != gang::Migration::none && tasks(g) <= idle_count()) {
        order[g] = moved++;
        migrate(g, true);
      } else if (in.options.starved_order == gang::StarvedOrder::reserve) {
        break;
      }
    }
    if (any(Place::starved)) return;

    bool none = true;
    for (int g; (g = next_normal()) >= 0; none = false) {
      start(g, "normal");
      ++starts_since_migration;
    }
    if (!none || starts_since_migration < static_cast<int>(in.options.migration_interval)) return;
    int chosen = -1;
    for (int g : dispatched) {
      if (gangs[g].place != Place::queued || tasks(g) > idle_count()) continue;
      if (in.options.migration == gang::Migration::first_fit && chosen < 0) chosen = g;
      if (in.options.migration == gang::Migration::best_fit && (chosen < 0 || tasks(g) > tasks(chosen))) chosen = g;
    }
    if (chosen < 0) return;
    order[chosen] = moved++;
    migrate(chosen, false);
    starts_since_migration = 0;
  }

  // The gang that the scheduler starts, or -1.
  int next_normal() const {
    int best = -1;
    if (in.options.scheduler == gang::Scheduler::afcfs) {
      for (int g : dispatched) {  // in front of all its queues
        if (gangs[g].place != Place::queued || !all_idle(g)) continue;
        const auto& m = gangs[g].machines;
        if (std::all_of(m.begin(), m.end(), [&](int k) { return machines[k].queue.front() == g; })) return g;
      }
      for (int g : dispatched) {  // further down
        if (gangs[g].place == Place::queued && all_idle(g)) return g;
      }
      return -1;
    }
    for (int g : dispatched) {
      if (gangs[g].place == Place::queued && all_idle(g) && (best < 0 || tasks(g) > tasks(best))) best = g;
    }
    return best;
  }

  void release() {
    if (any(Place::held) || any(Place::migrated) || any(Place::starved) || arrivals_until_release > 0) return;
    Machines gone;
    for (int m = static_cast<int>(in.options.machine_minimum); m < static_cast<int>(machines.size()); ++m) {
      if (!machines[m].ready || machines[m].running >= 0 || !machines[m].queue.empty()) continue;
      story.lease_time += now - machines[m].since;
      machines[m] = {};
      gone.push_back(m);
    }
    if (!gone.empty()) releases.push_back(" release" + text_of(gone));
  }

  void tell() {
    std::sort(starts.begin(), starts.end());  // all at one time: their order does not matter
    for (auto* list : {&dispatches, &moves, &starts, &leases, &releases}) {
      for (const std::string& line : *list) story.lines.push_back(text_of(now) + line);
      list->clear();
    }
  }

  std::vector<int> pending;
  std::map<int, int> order;  // of migration
  int moved = 0;
};

Machines listed(const gang::MachineSet& set) {
  Machines list;
  set.for_each([&](gang::MachineIndex m) { list.push_back(static_cast<int>(m)); });
  return list;
}

class Listed final : public sim::GangSource {
 public:
  explicit Listed(const std::vector<sim::GangJob>& jobs) : jobs_(jobs) {}
  std::optional<sim::GangJob> next() override {
    return at_ < jobs_.size() ? std::optional(jobs_[at_++]) : std::nullopt;
  }

 private:
  const std::vector<sim::GangJob>& jobs_;
  std::size_t at_ = 0;
};

class ListedDelays final : public sim::SetupDelays {
 public:
  explicit ListedDelays(const std::vector<Seconds>& delays) : delays_(delays) {}
  Seconds next() override { return delays_.at(at_++); }

 private:
  const std::vector<Seconds>& delays_;
  std::size_t at_ = 0;
};

class Teller final : public sim::GangObserver {
 public:
  Teller(GangStory& story, sim::GangObserver* also) : story_(story), also_(also) {}

  void on_event(Seconds now, const gang::Event& event, const sim::GangJob& job,
                const gang::Decisions& decisions) override {
    if (also_ != nullptr) also_->on_event(now, event, job, decisions);
    const auto line = [&](const std::string& text) { story_.lines.push_back(text_of(now) + text); };
    const auto number = [&](JobSlot slot) { return std::to_string(numbers_.at(slot)); };
    if (event.kind == gang::Event::Kind::arrived) numbers_[event.job] = arrived_++;
    if (event.kind == gang::Event::Kind::finished) line(" end " + number(event.job));
    for (const auto& d : decisions.dispatches) line(" dispatch " + number(d.job) + ":" + text_of(listed(d.machines)));
    for (const auto& m : decisions.moves) {
      line(" move " + number(m.job) + ":" + text_of(listed(m.from)) + " to" + text_of(listed(m.to)) +
           (m.starved ? " starved" : ""));
    }
    constexpr const char* kRoutes[] = {"normal", "migrated", "starved"};
    std::vector<std::string> starts;
    for (const auto& s : decisions.starts) {
      starts.push_back(" start " + number(s.job) + " " + kRoutes[static_cast<int>(s.route)]);
    }
    std::sort(starts.begin(), starts.end());
    for (const std::string& start : starts) line(start);
    if (decisions.lease) line(" lease" + text_of(listed(decisions.lease->machines)));
    if (!decisions.released.empty()) line(" release" + text_of(listed(decisions.released)));
  }
  void on_setup(Seconds now, const gang::Lease& lease, Seconds delay) override {
    if (also_ != nullptr) also_->on_setup(now, lease, delay);
  }

 private:
  GangStory& story_;
  sim::GangObserver* also_;
  std::map<JobSlot, int> numbers_;
  int arrived_ = 0;
};

}  // namespace

GangCase random_gang_case(Dice& dice) {
  GangCase made;
  gang::Options& o = made.options;
  o.scheduler = dice.chance(50) ? gang::Scheduler::afcfs : gang::Scheduler::ljfs;
  o.migration = dice.pick<gang::Migration>(
      {gang::Migration::none, gang::Migration::first_fit, gang::Migration::first_fit, gang::Migration::best_fit});
  o.machine_limit = static_cast<std::uint32_t>(dice.between(2, 9));
  o.machine_minimum = dice.chance(30) ? dice.below(o.machine_limit + 1) : 0;
  o.migration_interval = dice.below(5);
  o.starvation_threshold = dice.pick<double>({2, 3, 10, kNever});
  o.load_threshold = dice.pick<double>({0, 0.25, 1, kNever});
  o.release_pause = dice.below(5);
  o.queue_length = dice.chance(50) ? gang::QueueLength::tasks : gang::QueueLength::waiting;
  o.migrated_start = dice.chance(60) ? gang::MigratedStart::next_event : gang::MigratedStart::at_once;
  o.starved_order = dice.chance(50) ? gang::StarvedOrder::reserve : gang::StarvedOrder::pass;
  const bool grid = dice.chance(40);
  const auto time = [&](double most) {
    return grid ? dice.below(static_cast<std::uint32_t>(most * 4) + 1) / 4.0 : most * dice.uniform();
  };
  const int jobs = dice.between(5, 60);
  Seconds now = 0;
  for (int k = 0; k < jobs; ++k) {
    now += time(1.5);
    const auto tasks = static_cast<std::uint32_t>(dice.between(1, static_cast<int>(o.machine_limit)));
    made.jobs.push_back({now, dice.chance(50) ? tasks : (tasks + 1) / 2, time(dice.chance(30) ? 6 : 1.5)});
    made.setup_delays.push_back(time(0.5));
  }
  return made;
}

GangStory run_plainly(const GangCase& from) {
  Cloud cloud(from);
  cloud.run();
  return cloud.story;
}

GangStory run_product(const GangCase& from, sim::GangObserver* also) {
  GangStory story;
  Listed jobs(from.jobs);
  ListedDelays delays(from.setup_delays);
  Teller teller(story, also);
  sim::ElasticOptions options;
  options.policy = from.options;
  story.lease_time = or_throw(sim::simulate_gangs(jobs, delays, options, &teller)).lease_time;
  return story;
}

}  // namespace dfrs::oracle
