// SPDX-License-Identifier: GPL-2.0-or-later
// Readings of rules that RR-5724 leaves open. The defaults are what the commands use; the others serve
// `dfrs-sim reproduce rr5724 --parts readings`, which tests them against the published tables.
#pragma once

#include <cstdint>

namespace dfrs::divisible {

/// How MCT-DIV divides an arriving job (section 5.3: "all resources that are able to execute the job").
enum class MctDivReading : std::uint8_t {
  early,  ///< over the clusters that hold its databank, so that it completes first; a cluster that becomes free helps
  fixed,  ///< over those that are idle when it starts; it keeps to them (the rule of section 3.2, never revised)
  even,   ///< over all that hold its databank, by their power, whatever waits there
};

/// The greatest and the least size in Bender02's ratio Delta.
enum class Bender02Reading : std::uint8_t {
  seen,      ///< of the jobs so far
  active,    ///< of the incomplete jobs
  instance,  ///< of all jobs, known in advance
  limits,    ///< of all databanks that the paper allows: 1 GB and 10 MB
};

/// When Bender02 compares pseudo-stretches, which change with time.
enum class Bender02Instants : std::uint8_t {
  events,    ///< at releases and completions
  releases,  ///< at releases only ("each time a new job arrives")
  always,    ///< at every instant at which their order changes, too
};

/// What Offline does within the deadlines of the optimal maximum stretch.
enum class OfflineReading : std::uint8_t {
  intervals,  ///< works in each interval on what the solution has there
  edf,        ///< works on the solution's parts without a break, those that end first first
};

struct Readings {
  OfflineReading offline = OfflineReading::intervals;
  MctDivReading mct_div = MctDivReading::early;
  Bender02Reading bender02 = Bender02Reading::seen;
  Bender02Instants bender02_instants = Bender02Instants::events;

  friend bool operator==(const Readings&, const Readings&) = default;
};

}  // namespace dfrs::divisible
