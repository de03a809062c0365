// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/rr7659_readings.h"

#include <array>

#include "policy/rr7659/options.h"

namespace dfrs::sim::rr7659 {
namespace {

constexpr std::array<ReproductionPart, 11> kNames{{
    {"ties", "MCB8 takes equal jobs by priority, not by submission (/TIES=PRIORITY)"},
    {"fill", "the same, and \"*\" also acts after a periodic repack (/TIES=PRIORITY/FILL)"},
    {"newest",
     "MCB8 takes the newest of equal jobs first, and GreedyP and GreedyPM place a new job before they decide which "
     "marked jobs stay (/TIES=NEWEST/PLACE=FIRST)"},
    {"fine", "MCB8-stretch searches the inverse stretch to 0.0001, not 0.01 (/FINE)"},
    {"resumes", "numbers of pauses count resumes, too: they are twice as high (tables 3, 9 and 10)"},
    {"fit", "newest, fine and resumes together, and \"*\" also acts after a periodic repack (/FILL)"},
    {"merged", "one decision for each instant (--instants merged)"},
    {"floor", "priorities count at least 30 s of flow time, as in IPDPS 2010 (--priority-floor 30)"},
    {"penalty-450", "a penalty of 450 s, not 300"},
    {"penalty-0", "no penalty"},
    {"8GB", "generated workloads on nodes of 8 GB, as in a footnote, instead of 10"},
}};

// False for an unknown name.
bool adopt(std::string_view name, Assumed& a) {
  constexpr std::string_view kTies = "/TIES=PRIORITY";
  if (name == "ties") {
    a.suffixes = {kTies};
  } else if (name == "fill") {
    a.suffixes = {"/TIES=PRIORITY/FILL", kTies};
  } else if (name == "newest") {
    a.suffixes = {"/TIES=NEWEST/PLACE=FIRST", "/TIES=NEWEST", "/PLACE=FIRST"};
  } else if (name == "fine") {
    a.suffixes = {"/FINE"};
  } else if (name == "fit") {
    a.suffixes = {"/TIES=NEWEST/FILL/PLACE=FIRST", "/TIES=NEWEST/FILL", "/TIES=NEWEST/FINE",
                  "/TIES=NEWEST/PLACE=FIRST",      "/TIES=NEWEST",      "/PLACE=FIRST"};
    a.resumes_count = true;
  } else if (name == "resumes") {
    a.resumes_count = true;
  } else if (name == "merged") {
    a.sim.events_apart = false;
  } else if (name == "floor") {
    a.sim.engine.of<DfrsOptions>().priority_floor = 30;
  } else if (name == "penalty-450") {
    a.sim.penalty = 450;
  } else if (name == "penalty-0") {
    a.sim.penalty = 0;
  } else if (name == "8GB") {
    a.memory_mib = 8190;  // a multiple of 10, so that ten times 10 % fit a node
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string Assumed::algorithm(std::string_view name) const { return with_part(name, suffixes); }

std::span<const ReproductionPart> readings() { return kNames; }

Result<Assumed> assumed(std::span<const std::string> names) {
  Assumed all;
  for (const std::string& name : names) {
    if (!adopt(name, all)) return error(kExitInternal, "no reading of RR-7659 is called " + name);
  }
  return all;
}

}  // namespace dfrs::sim::rr7659
