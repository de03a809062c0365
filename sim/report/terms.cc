// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/terms.h"

namespace dfrs::sim {

const std::vector<Term>& report_terms() {
  static const std::vector<Term> terms{
      {"stretch",
       "How much slower a job was than alone on the cluster: time from submission to completion over its processing "
       "time, where short times are raised to a floor (10 s unless the options say otherwise). 1 is a job that ran at "
       "once at full speed; the maximum is the stretch of the worst-served job."},
      {"bound",
       "A stretch below which no scheduler can bring the worst-served job of the instance, even if it knew all jobs "
       "beforehand and memory did not matter."},
      {"degradation from bound",
       "Maximum stretch over the bound of the instance: how many times worse the worst-served job was than "
       "unavoidable. 1 would be perfect; lower is better. avg, std, median, p90 (nine of ten instances are at most "
       "this) and max are over the instances."},
      {"low, high",
       "The 95 % interval of the average before them, by 2,000 bootstrap resamples of the instances (BCa, seed "
       "20100419): how far it would move with other instances of the same kind. With fewer than ten instances it is "
       "shorter than it should be. CSV and JSON have interval and median of every average."},
      {"above the best",
       "How much higher the degradation is than that of the algorithm with the lowest average, instance by instance. "
       "Where the interval includes 0, these instances cannot tell the two apart."},
      {"underutilization",
       "Capacity that stood idle or made no progress while jobs in the system could have used it, relative to the work "
       "of all jobs. 0 is none, 0.5 is half as much as all the work done; lower is better."},
      {"pauses and moves",
       "A paused job is put aside, its memory saved, and goes on later; a moved one goes on at once on other nodes. "
       "Both cost the job time and the cluster traffic. Batch schedulers do neither."},
      {"GB/s", "Memory of paused and moved jobs over the length of the run, GB of 1024 MiB, the average of instances."},
      {"offered load",
       "Work that arrives per time over the capacity of the cluster: at 1 it could just be done by a cluster that is "
       "always busy."},
  };
  return terms;
}

}  // namespace dfrs::sim
