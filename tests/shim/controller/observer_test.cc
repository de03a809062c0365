// SPDX-License-Identifier: GPL-2.0-or-later
// Which jobs the controller knows after a snapshot.
#include "shim/controller/observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/shim/controller/node_list.h"

namespace dfrs::shim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

dfrs_job pending(std::uint32_t id, std::int64_t submit = 1) {
  dfrs_job job{};
  job.key = {id, 0, submit};
  job.phase = DFRS_JOB_PENDING;
  job.tasks = job.cpus_per_task = 1;
  job.memory_per_task = 100;
  job.time_limit = UINT32_MAX;
  job.name = "job";
  job.partition = "dfrs";
  return job;
}

class Sight {
 public:
  Sight() { list_.add("n0", 4, 1000); }

  /// The numbers of the jobs known after a snapshot with these.
  std::vector<std::uint32_t> see(const std::vector<dfrs_job>& shown) {
    dfrs_snapshot snapshot = list_.snapshot();
    snapshot.jobs = shown.data();
    snapshot.job_count = shown.size();
    observer_.observe(snapshot, saved_, saved_.totals, jobs_, nodes_);
    std::vector<std::uint32_t> known;
    jobs_.each([&](const Job& job) { known.push_back(job.id); });
    return known;
  }

 private:
  NodeList list_;
  Config config_;
  Log log_;
  Observer observer_{config_, log_};
  SavedState saved_;
  JobTable jobs_;
  Nodes nodes_;
};

TEST(Observer, ForgetsWhatASnapshotDoesNotShow) {
  Sight sight;
  EXPECT_THAT(sight.see({pending(1), pending(2), pending(3)}), ElementsAre(1, 2, 3));
  EXPECT_THAT(sight.see({pending(3), pending(1)}), ElementsAre(1, 3));
  EXPECT_THAT(sight.see({pending(4), pending(3)}), ElementsAre(3, 4)) << "as many as before";
  EXPECT_THAT(sight.see({}), IsEmpty());
}

// Slurm never does, but then others that are gone must not stay.
TEST(Observer, AJobMayBeShownTwice) {
  Sight sight;
  EXPECT_THAT(sight.see({pending(1), pending(2)}), ElementsAre(1, 2));
  EXPECT_THAT(sight.see({pending(1), pending(1)}), ElementsAre(1));
  EXPECT_THAT(sight.see({pending(1), pending(2)}), ElementsAre(1, 2));
  EXPECT_THAT(sight.see({pending(1), pending(1, 7)}), ElementsAre(1)) << "another job of that number";
}

}  // namespace
}  // namespace dfrs::shim
