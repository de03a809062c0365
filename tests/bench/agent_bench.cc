// SPDX-License-Identifier: GPL-2.0-or-later
// What a node's agent costs: a state in which the quotas of all jobs differ, applied to a tree of plain files in place
// of the kernel's control groups; and the regular work, once a second, with these jobs and with none. Not part of any
// test:
//   make tests/bench/agent_bench && tests/bench/agent_bench [JOBS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <vector>

#include "shim/agent/agent.h"
#include "tests/shim/agent/fake_cgroups.h"
#include "tests/shim/agent/no_page_out.h"

namespace dfrs::shim {
namespace {

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

void measure(const char* what, const std::function<void(int)>& step) {
  constexpr int kTimes = 100;
  std::vector<double> took;
  for (int i = 0; i < kTimes; ++i) {
    const double begin = cpu_ms();
    step(i);
    took.push_back(cpu_ms() - begin);
  }
  std::sort(took.begin(), took.end());
  std::printf("  %-36s median %7.3f ms of CPU, longest %7.3f ms\n", what, took[kTimes / 2], took.back());
}

int run(FakeCgroups::Version version, std::uint32_t count) {
  const bool v1 = version == FakeCgroups::Version::v1;
  const FakeCgroups tree(version);
  const Folder folder;
  const Folder proc;
  NoPageOut page_out;
  auto groups = open_job_groups({tree.root(), "dfrs", "n1"}, tree);
  auto run_folder = RunFolder::open(folder / "n1");
  if (!groups || !run_folder) return 1;
  AgentOptions options;
  options.node = "n1";
  options.proc = proc.path().string();
  Agent agent(options, std::move(*groups), std::move(*run_folder), page_out);
  std::printf("control groups %s:\n", v1 ? "v1" : "v2");
  measure("a second without any job", [&](int) { agent.tick(); });
  for (std::uint32_t job = 1; !v1 && job <= count; ++job)
    tree.make_v2_group("system.slice/n1_slurmstepd.scope/job_" + std::to_string(job));
  bool good = true;
  measure("a state that changes all jobs", [&](int i) {
    DesiredState state{"n1", {1, static_cast<std::uint64_t>(i) + 1}, {}};
    for (std::uint32_t job = 1; job <= count; ++job) state.jobs.push_back({job, 0.1 + 0.01 * (i % 50), false});
    const auto report = agent.apply(state);
    good = good && report && report->errors.empty();
  });
  measure("a second with all of them", [&](int) { agent.tick(); });
  std::printf("  %u jobs, %llu quotas written\n", count,
              static_cast<unsigned long long>(agent.metrics().counters.quota_writes));
  return good ? 0 : 1;
}

}  // namespace
}  // namespace dfrs::shim

int main(int argc, char** argv) {
  const auto count = static_cast<std::uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 128);
  const int v1 = dfrs::shim::run(dfrs::shim::FakeCgroups::Version::v1, count);
  const int v2 = dfrs::shim::run(dfrs::shim::FakeCgroups::Version::v2, count);
  return v1 != 0 || v2 != 0 ? 1 : 0;
}
