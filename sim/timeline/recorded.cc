// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/timeline/recorded.h"

#include "sim/timeline/collector.h"
#include "sim/timeline/told.h"
#include "sim/workload/recorded.h"

namespace dfrs::sim {

Result<timeline::Schedule> recorded_schedule(record::RecordReader& reader, const record::Stories* stories) {
  ScheduleCollector collector("");
  const Decisions none;
  for (;;) {
    const auto more = reader.next();
    if (!more) return tl::unexpected(record_error(more.error()));
    if (!*more) break;
    const auto outcome = reader.outcome();
    collector.on_step(reader.view(), reader.events(), outcome ? **outcome : none);
  }
  timeline::Schedule schedule = collector.finish();
  schedule.algorithm = reader.setup().algorithm;
  if (stories != nullptr) schedule.told = told_of(*stories, schedule);
  return schedule;
}

}  // namespace dfrs::sim
