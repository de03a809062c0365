// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/gang/reading_fit.h"

#include <cmath>
#include <vector>

#include "sim/reproduce/cell_count.h"
#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

ReadingFit reading_fit(std::span<const double> ours, std::span<const double> published) {
  ReadingFit fit;
  const Summary theirs = summarize(published);
  fit.ours = summarize(ours);
  double squares = 0;
  double product = 0;
  std::vector<Comparison> compared;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    compared.push_back({"", "", "", published[k], ours[k]});
    squares += (ours[k] - published[k]) * (ours[k] - published[k]);
    product += (ours[k] - fit.ours.mean) * (published[k] - theirs.mean);
    fit.signs += (ours[k] < 0) == (published[k] < 0) ? 1 : 0;
    fit.near += std::abs(ours[k] - published[k]) <= kPaperPrecision ? 1 : 0;
  }
  const auto n = static_cast<double>(ours.size());
  fit.agree = count_cells(compared).agree;
  fit.distance = std::sqrt(squares / n);
  fit.correlation = product / (n - 1) / fit.ours.stddev / theirs.stddev;
  return fit;
}

}  // namespace dfrs::sim
