// SPDX-License-Identifier: GPL-2.0-or-later
// What the delivery of quotas costs: many agents (each an HTTP server with a thread, credentials checked) in a few
// processes, and one HttpNodeAgents in front of them in this one. Not part of any test:
//   make tests/bench/delivery_scale && tests/bench/delivery_scale [NODES]
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "shim/quota/http_node_agents.h"
#include "tests/shim/quota/test_node.h"
#include "tests/shim/support/munged.h"

namespace dfrs::shim {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double cpu_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

bool measure_credentials(const AuthOptions& auth) {
  constexpr int kCount = 2000;
  const RequestWords request{"POST", kDesiredTarget, "node:n1", "body"};
  const Authenticator authenticator(auth);
  std::vector<std::string> credentials;
  auto begin = Clock::now();
  for (int i = 0; i < kCount; ++i) {
    const auto made = authenticator.sign_request(request);
    if (!made) return false;
    credentials.push_back(made->credential);
  }
  const double encode = ms_since(begin) / kCount;
  begin = Clock::now();
  for (const std::string& credential : credentials) {
    if (!authenticator.verify_request(credential, request)) return false;
  }
  std::printf("credentials: %.3f ms to make, %.3f ms to check\n", encode, ms_since(begin) / kCount);
  return true;
}

// So many agents have enough descriptors in one process.
constexpr std::size_t kNodesOfAProcess = 2000;

// Agents first, first + 1, ... in a process of their own, which ends when this object does.
class Agents {
 public:
  Agents(std::size_t first, std::size_t count, const AuthOptions& auth) {
    int ports[2];
    if (pipe(ports) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      play(first, count, auth, ports[1]);
    }
    close(ports[1]);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint16_t port = 0;
      if (read(ports[0], &port, sizeof(port)) != sizeof(port)) std::abort();
      addresses_.push_back({"n" + std::to_string(first + i), "127.0.0.1", port});
    }
    close(ports[0]);
  }
  Agents(const Agents&) = delete;
  Agents& operator=(const Agents&) = delete;
  ~Agents() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  const std::vector<AgentAddress>& addresses() const { return addresses_; }

 private:
  [[noreturn]] static void play(std::size_t first, std::size_t count, const AuthOptions& auth, int ports) {
    std::vector<std::unique_ptr<TestNode>> nodes;
    for (std::size_t i = 0; i < count; ++i) {
      nodes.push_back(std::make_unique<TestNode>("n" + std::to_string(first + i), auth));
      const std::uint16_t port = nodes.back()->address().port;
      if (write(ports, &port, sizeof(port)) != sizeof(port)) _exit(1);
    }
    while (true) pause();
  }

  pid_t child_ = -1;
  std::vector<AgentAddress> addresses_;
};

int run(std::size_t count) {
  const Munged munged("delivery_scale");
  if (!measure_credentials(munged.auth())) return 1;
  std::vector<std::unique_ptr<Agents>> processes;
  std::vector<AgentAddress> addresses;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < count; i += kNodesOfAProcess) {
    processes.push_back(std::make_unique<Agents>(i, std::min(kNodesOfAProcess, count - i), munged.auth()));
    const auto& more = processes.back()->addresses();
    addresses.insert(addresses.end(), more.begin(), more.end());
  }
  for (std::size_t i = 0; i < count; ++i) all.push_back(i);
  HttpNodeAgentsOptions options;
  options.auth = munged.auth();
  options.slurm_user = options.agent_user = getuid();
  HttpNodeAgents agents(options);
  agents.set_agents(addresses);
  for (int round = 1; round <= 3; ++round) {
    const double before = cpu_seconds();
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < count; ++i)
      agents.set_desired(i, std::vector<JobQuota>{{1, round * 0.1}, {2, 0.5}, {3, 1}, {4, 1}});
    const double set = ms_since(begin);
    if (!agents.wait(all, 60000)) return 1;
    std::printf("all %zu nodes change: %.1f ms to say so, applied everywhere after %.0f ms, %.2f s of CPU here\n",
                count, set, ms_since(begin), cpu_seconds() - before);
  }
  constexpr int kSeconds = 10;
  const double cpu = cpu_seconds();
  const std::uint64_t sent = agents.counters().sent;
  std::this_thread::sleep_for(std::chrono::seconds(kSeconds));
  std::printf("at rest: %.0f requests/s, %.1f %% of a core here (without munged)\n",
              static_cast<double>(agents.counters().sent - sent) / kSeconds, (cpu_seconds() - cpu) / kSeconds * 100);
  const auto begin = Clock::now();
  agents.set_desired(0, std::vector<JobQuota>{});
  if (!agents.wait(std::vector<std::size_t>{0}, 10000)) return 1;
  std::printf("one node changes: applied after %.1f ms\n", ms_since(begin));
  return 0;
}

}  // namespace
}  // namespace dfrs::shim

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return dfrs::shim::run(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2000);
}
