// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rr5724_readings.h"

#include <array>

namespace dfrs::sim {
namespace {

using dfrs::divisible::Bender02Instants;
using dfrs::divisible::Bender02Reading;
using dfrs::divisible::MctDivReading;
using dfrs::divisible::OfflineReading;
using divisible::DensityReading;
using divisible::EmptySites;
using divisible::SizeReading;
using divisible::SpeedReading;
using divisible::StretchBasis;

constexpr std::array<ReproductionPart, 17> kNames{{
    {"sizes-log",
     "sizes of databanks uniform in their logarithm: \"a continuous range of 10 megabytes to 1 gigabyte\""},
    {"speeds-close", "speeds of the six reference platforms within a factor of 2 of each other, not of 3"},
    {"speeds-same", "all reference platforms equally fast"},
    {"sites-used", "every site holds a databank: one that happens to hold none is drawn again"},
    {"pace-10", "processors ten times as fast: ten times the requests (\"thousands of tasks\"), each as much shorter"},
    {"density-equal", "every databank gets an equal share of the requests, wherever it is"},
    {"density-shared", "the density counts all ten processors of a site: ten times the load"},
    {"stretch-reach", "the stretch compares with the time alone on the sites that hold the databank"},
    {"mct-div-fixed", "MCT-DIV divides a request over the sites idle when it starts, and keeps to them"},
    {"mct-div-even", "MCT-DIV divides a request over all sites by their power, behind what waits there"},
    {"bender02-instance", "Bender02 knows the greatest and least size of the instance in advance"},
    {"bender02-active", "Bender02 compares the sizes of unfinished requests"},
    {"bender02-limits", "Bender02 takes 10 MB and 1 GB as least and greatest size"},
    {"bender02-releases", "Bender02 decides at releases only: \"each time a new job arrives\""},
    {"bender02-always", "Bender02 decides whenever the order of pseudo-stretches changes"},
    {"offline-edf", "Offline works on its parts of the optimal schedule without a break, as Online-EDF does"},
    {"fit", "sizes-log, speeds-close, sites-used, offline-edf and bender02-limits together"},
}};

// False for an unknown name.
bool adopt(std::string_view name, Rr5724Assumed& a) {
  if (name == "sizes-log") {
    a.generator.sizes = SizeReading::log_uniform;
  } else if (name == "speeds-close") {
    a.generator.speeds = SpeedReading::close;
  } else if (name == "speeds-same") {
    a.generator.speeds = SpeedReading::same;
  } else if (name == "sites-used") {
    a.generator.empty_sites = EmptySites::drawn;
  } else if (name == "pace-10") {
    a.generator.pace = 10;
  } else if (name == "density-equal") {
    a.generator.reading = DensityReading::equal;
  } else if (name == "density-shared") {
    a.generator.reading = DensityReading::shared;
  } else if (name == "stretch-reach") {
    a.basis = StretchBasis::reach;
  } else if (name == "mct-div-fixed") {
    a.rules.mct_div = MctDivReading::fixed;
  } else if (name == "mct-div-even") {
    a.rules.mct_div = MctDivReading::even;
  } else if (name == "bender02-instance") {
    a.rules.bender02 = Bender02Reading::instance;
  } else if (name == "bender02-active") {
    a.rules.bender02 = Bender02Reading::active;
  } else if (name == "bender02-limits") {
    a.rules.bender02 = Bender02Reading::limits;
  } else if (name == "bender02-releases") {
    a.rules.bender02_instants = Bender02Instants::releases;
  } else if (name == "bender02-always") {
    a.rules.bender02_instants = Bender02Instants::always;
  } else if (name == "offline-edf") {
    a.rules.offline = OfflineReading::edf;
  } else if (name == "fit") {
    for (const std::string_view part : {"sizes-log", "speeds-close", "sites-used", "offline-edf", "bender02-limits"}) {
      if (!adopt(part, a)) return false;
    }
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::span<const ReproductionPart> rr5724_readings() { return kNames; }

Result<Rr5724Assumed> rr5724_assumed(std::span<const std::string> names) {
  Rr5724Assumed assumed;
  for (const std::string& name : names) {
    if (!adopt(name, assumed)) return error(kExitInternal, "no reading of RR-5724 is called " + name);
  }
  return assumed;
}

}  // namespace dfrs::sim
