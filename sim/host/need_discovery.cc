// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/need_discovery.h"

#include <algorithm>

namespace dfrs::sim {

void NeedDiscovery::begin_sample(JobSlot job, Seconds since, Seconds now) {
  Sample& sample = samples_[job];
  sample.since = since;
  sample.virtual_time = slots_.view(job).clock.at(now);
  sample.work = progress_.done(job, now);
}

void NeedDiscovery::watch(JobSlot job, Seconds now) {
  begin_sample(job, std::max(now, slots_.view(job).clock.since), now);
  if (!samples_[job].watched) watched_.push_back(job);
  samples_[job].watched = true;
  if (next_look_ == kNever) next_look_ = now + interval_;
}

// True if the job's CPU use in the last `length` seconds changes its need.
bool NeedDiscovery::measure(JobSlot job, Seconds length, Seconds now) {
  JobView& view = slots_.view(job);
  const TrueJob& truth = slots_.truth(job);
  Sample& sample = samples_[job];
  // What a node agent sees: CPU seconds used and CPU seconds the quotas allowed, as fractions of the request.
  const double asked = instance_.jobs[truth.index].asked();
  const double used = (progress_.done(job, now) - sample.work) * truth.cpu_need / asked;
  const double given = (view.clock.at(now) - sample.virtual_time) * view.cpu_need / asked;
  if (!sample.need.sample(used / length, given / length, length, rule_)) return false;
  view.cpu_need = asked * sample.need.need();
  return true;
}

void NeedDiscovery::look(Seconds now, std::vector<Event>& events) {
  std::erase_if(watched_, [&](JobSlot job) {
    if (slots_.view(job).state != JobState::running) {
      samples_[job].watched = false;
      return true;
    }
    const Seconds length = now - samples_[job].since;
    if (!(length > 0)) return false;  // still serving its penalty
    if (measure(job, length, now)) events.push_back({EventKind::changed, job});
    begin_sample(job, now, now);
    return false;
  });
  next_look_ = watched_.empty() ? kNever : now + interval_;
}

}  // namespace dfrs::sim
