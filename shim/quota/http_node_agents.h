// SPDX-License-Identifier: GPL-2.0-or-later
// Sends desired states to the node agents over HTTP and receives their reports. One thread serves all nodes.
//
// Every request carries the whole desired state of its node with an order (epoch, sequence) of its own, so that lost,
// repeated or late requests and answers do no harm. Changes are sent at once. Every node also gets its state
// repeatedly, so that a restarted agent or node has it and reports. Nodes that do not answer are retried, less and less
// often, and never delay the others.
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
  std::uint64_t epoch = 1;  ///< > 0; higher than that of every earlier controller
  AuthOptions auth;
  uid_t slurm_user = 0;  ///< only answers of this user and root are accepted
  uid_t agent_user = 0;  ///< whom agents run as: only this user can read what begins a session with them
  bool enabled = true;   ///< false (QuotaMode=off): agents are only asked to lift quotas
  /// After which a state is sent again; with more than 5,000 nodes 1 ms for each of them, but 12 s at most.
  std::chrono::milliseconds refresh{5000};
  std::chrono::milliseconds retry_min{250};  ///< after an error; doubled at each further one
  std::chrono::milliseconds retry_max{10000};
  std::size_t max_parallel = 64;  ///< most requests at once; > 0
  HttpCallLimits limits;
  /// Any thread. Gets one message when a node's errors begin and one when they end.
  std::function<void(const std::string&)> log;
};

class HttpNodeAgents final : public NodeAgents {
 public:
  explicit HttpNodeAgents(HttpNodeAgentsOptions options);
  /// Cancels requests under way; returns within 2 s if the service of credentials answers.
  ~HttpNodeAgents() override;

  void set_agents(std::span<const AgentAddress> agents) override;
  void set_desired(std::size_t node, std::span<const JobQuota> jobs) override;
  bool wait(std::span<const std::size_t> nodes, std::uint32_t wait_ms) override;
  void retry_now(std::size_t node) override;
  NodeReport report(std::size_t node) const override;

  DeliveryCounters counters() const override;
  /// As in the options, unless agents had states of a later epoch; then it is higher than that.
  std::uint64_t epoch() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dfrs::shim
