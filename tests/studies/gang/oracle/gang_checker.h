// SPDX-License-Identifier: GPL-2.0-or-later
// Invariants of every run of gang scheduling on leased machines under any policy, checked from just the decisions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "studies/gang/host/elastic_simulation.h"

namespace dfrs::oracle {

/// A gang's tasks run at the same time, each on its own machine, for the execution time, without interruption; machines
/// are leased and set up before they are used, released only when they have nothing to do, and never more than the
/// limit; a gang migrates at most once, while it waits, onto idle machines, and when the monitor or its starvation
/// permits; every gang that came in the end left.
class GangChecker final : public sim::GangObserver {
 public:
  explicit GangChecker(const gang::Options& options);
  void on_event(Seconds now, const gang::Event& event, const sim::GangJob& job,
                const gang::Decisions& decisions) override;
  void on_setup(Seconds now, const gang::Lease& lease, Seconds delay) override;

  /// Breaches, in words; empty if there are none. Call at the end.
  std::vector<std::string> violations() const;
  std::size_t moves() const { return moves_; }
  std::size_t starved_moves() const { return starved_moves_; }
  std::size_t releases() const { return releases_; }
  std::size_t setups() const { return setups_; }

 private:
  struct Machine {
    bool leased = false;
    Seconds ready = 0;
    int queued = 0;
    long running = -1;
  };
  struct Gang {
    Seconds arrival = 0;
    std::uint32_t tasks = 0;
    Seconds execution = 0;
    gang::MachineSet machines;
    int moved = 0;
    bool running = false;
    Seconds start = 0;
  };
  void breach(const std::string& text) { violations_.push_back(text); }
  bool ready(gang::MachineIndex m) const { return machines_[m].leased && machines_[m].ready <= now_; }
  void check_dispatches(const gang::Decisions& decisions);
  std::size_t check_moves(const gang::Decisions& decisions);  ///< how many are not of starved gangs
  void check_starts(const gang::Decisions& decisions, std::size_t normal_moves);
  void check_machines(const gang::Decisions& decisions);

  gang::Options options_;
  Seconds now_ = 0;  ///< of the event at hand
  std::string at_;   ///< its time, in words
  std::vector<Machine> machines_;
  std::map<JobSlot, Gang> gangs_;
  std::size_t normal_starts_ = 0;
  std::size_t moves_ = 0, starved_moves_ = 0, releases_ = 0, setups_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace dfrs::oracle
