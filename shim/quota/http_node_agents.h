// SPDX-License-Identifier: GPL-2.0-or-later
// Brings desired states to the node agents over HTTP, and their reports back. One thread for all nodes.
//
// State-based: every request carries the whole desired state of its node, under an order (epoch, sequence) of its own,
// so that it does not matter which requests or answers are lost, or come twice or late. A change is sent at once; every
// node is also sent its state again now and then, so that a restarted agent or node gets it and reports.
// Nodes that do not answer are tried again, less and less often, and never hold up the others.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "shim/http/client.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

struct HttpNodeAgentsOptions {
  std::uint64_t epoch = 1;  ///< > 0; larger than that of any controller before
  AuthOptions auth;
  uid_t slurm_user = 0;                      ///< answers of this user and of root are accepted
  bool enabled = true;                       ///< false (QuotaMode=off): agents are only asked to lift quotas
  std::chrono::milliseconds refresh{5000};   ///< a state is sent again after so long
  std::chrono::milliseconds retry_min{250};  ///< after an error; doubled at each further one
  std::chrono::milliseconds retry_max{10000};
  std::size_t max_parallel = 64;  ///< requests under way; > 0
  HttpCallLimits limits;
  /// Any thread. A node that has an error is named once, and once more when it has none.
  std::function<void(const std::string&)> log;
};

class HttpNodeAgents final : public NodeAgents {
 public:
  explicit HttpNodeAgents(HttpNodeAgentsOptions options);
  /// Gives up what is under way; within 2 s if credentials are made.
  ~HttpNodeAgents() override;

  void set_agents(std::span<const AgentAddress> agents) override;
  void set_desired(std::size_t node, std::span<const JobQuota> jobs) override;
  bool wait(std::span<const std::size_t> nodes, std::uint32_t wait_ms) override;
  NodeReport report(std::size_t node) const override;

  DeliveryCounters counters() const override;
  /// As in the options, unless agents had states of a later epoch; then it has been raised above that.
  std::uint64_t epoch() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dfrs::shim
