// SPDX-License-Identifier: GPL-2.0-or-later
// The list of reproductions: each is declared first and then listed by year of its paper, with those without a paper
// last.
#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

extern const Reproduction kDynp;
extern const Reproduction kRr5724;
extern const Reproduction kIpdps2010;
extern const Reproduction kRr7659;
extern const Reproduction kSc15;
extern const Reproduction kGangCloud;
extern const Reproduction kTriageStudy;
extern const Reproduction kRivalsStudy;

std::span<const Reproduction> all_reproductions() {
  static const Reproduction kAll[]{kDynp, kRr5724, kIpdps2010, kRr7659, kGangCloud, kSc15, kTriageStudy, kRivalsStudy};
  return kAll;
}

}  // namespace dfrs::sim
