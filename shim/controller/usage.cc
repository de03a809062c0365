// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/usage.h"

#include <mutex>
#include <string>

#include "shim/conf/read_config.h"
#include "shim/controller/state_file.h"
#include "shim/usage.h"

namespace dfrs::shim {
namespace {

std::optional<SavedState> read_saved(const char* conf_file, const char* state_dir) {
  const auto config = read_config(conf_file);
  if (!config || !config->charge_by_yield) return std::nullopt;
  auto saved = StateFile(state_dir).peek();
  if (!saved) return std::nullopt;
  return std::move(*saved);
}

}  // namespace

double given_share(const Job& job) { return job.running() ? job.progress.clock.rate * job.need.value : 0; }

void publish_usage(const Job& job, Seconds now, UsageLedger& ledger) {
  const bool has_run = job.running() || job.facts.phase == DFRS_JOB_SUSPENDED || job.facts.phase == DFRS_JOB_ENDING;
  if (has_run) ledger.set({job.id, job.restarts}, now, given_share(job));
}

void publish_usage(const JobTable& jobs, Seconds now, UsageLedger& ledger) {
  jobs.each([&](const Job& job) { publish_usage(job, now, ledger); });
  ledger.drop_old(now);
}

void restore_usage(const SavedState& saved, UsageLedger& ledger) {
  const Seconds at = saved.saved_at;
  for (const auto& [id, job] : saved.jobs) {
    if (job.run == SavedJob::Run::none) continue;
    const double share = job.run == SavedJob::Run::running ? job.clock.rate : 0;
    // When a run began is saved of the first one only.
    const bool known = job.restarts == 0 && job.started > 0 && job.started < at;
    const double mean = known ? (job.clock.at(at) - job.run_base) / (at - job.started) : share;
    ledger.restore({id, job.restarts}, known ? job.started : at, mean, at, share);
  }
}

}  // namespace dfrs::shim

extern "C" {

bool dfrs_usage_fraction(uint32_t job_id, uint32_t restarts, double from, double to, double* fraction) {
  try {
    const auto mean = dfrs::shim::usage_ledger().mean({job_id, restarts}, from, to);
    if (mean) *fraction = *mean;
    return mean.has_value();
  } catch (...) {
    return false;
  }
}

void dfrs_usage_restore(const char* conf_file, const char* state_dir) {
  try {
    static std::once_flag once;
    std::call_once(once, [&] {
      if (conf_file == nullptr || state_dir == nullptr) return;
      const auto saved = dfrs::shim::read_saved(conf_file, state_dir);
      if (saved) dfrs::shim::restore_usage(*saved, dfrs::shim::usage_ledger());
    });
  } catch (...) {  // no memory: not known
  }
}

}  // extern "C"
