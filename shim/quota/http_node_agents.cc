// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/quota/http_node_agents.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/signals.h"
#include "shim/auth/session.h"
#include "shim/quota/protocol.h"

namespace dfrs::shim {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// One in so many requests under way may be to a node that did not answer the last time.
constexpr std::size_t kShareOfFailing = 4;
// Idle connections to keep open. With more nodes than that none is kept: their turns come round, so that the connection
// of a node would always have been closed for another's, for which libcurl looks through all of them.
constexpr long kMaxIdleConnections = 1024;
// How often in a row an agent must name the same newer state before we raise our epoch above it: see on_stale().
constexpr int kStaleBeforeNewEpoch = 3;
constexpr milliseconds kLongestPoll{1000};
// How often a node is asked how far the checkpoint of a job has come.
constexpr milliseconds kAttemptPoll{200};
// QuotaMode=off: how often a node whose agent does not answer is asked to lift its quotas.
constexpr int kAttemptsToLift = 6;
// More nodes than 5,000 share a thousand refreshes a second, as long as each still gets one while its agent trusts the
// last one (StopGuardOptions::fresh, 15 s).
constexpr std::size_t kRefreshesOfASecond = 1000;
constexpr milliseconds kLongestRefresh{12000};

// Whether the host is an address, not a name. libcurl remembers addresses, too, and with each request looks through all
// that it remembers.
bool is_number(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 || inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

enum class Queue { none, changed, failing, refresh };

// One node. Requests under way share it, so that it outlives changes of the list.
struct Node {
  explicit Node(uid_t agent_user) : session(agent_user) {}

  AgentAddress address;
  ClientSession session;  // of the thread that sends
  bool listed = true;     // still one of the agents
  std::optional<std::vector<JobQuota>> desired;
  std::uint64_t version = 0;  // of desired; counts its changes
  std::uint64_t applied = 0;  // the version that the agent has applied completely
  bool in_flight = false;
  bool failing = false;  // the last request failed
  Clock::time_point next{};
  milliseconds backoff{0};
  Clock::time_point answered{};
  Clock::time_point measured{};  // what the report says of jobs
  bool ever_answered = false;
  NodeReport report;  // without ages and current
  StateOrder newer;   // named by a stale answer, and how often in a row
  int newer_seen = 0;
  int attempts = 0;  // at lifting quotas
  // Where it waits for its next request: see Impl::enqueue().
  std::uint64_t number = 0;
  Queue queue = Queue::none;
  Clock::time_point queued_for{};
};

}  // namespace

struct HttpNodeAgents::Impl {
  enum class Outcome {
    applied,     // completely
    incomplete,  // accepted, but a part failed
    again,       // out of order: send again at once
    failed,
  };

  // A transfer handle and its present use.
  struct Slot {
    HttpTransfer transfer;
    std::shared_ptr<Node> node;
    std::uint64_t version = 0;
  };

  explicit Impl(HttpNodeAgentsOptions options_in)
      : options(std::move(options_in)), authenticator(options.auth), epoch(options.epoch) {}

  const HttpNodeAgentsOptions options;
  const Authenticator authenticator;

  mutable std::mutex mutex;
  std::condition_variable answered;
  std::vector<std::shared_ptr<Node>> nodes;  // and what is in them
  // Nodes that wait for a request, by its time: one with thousands of nodes must not go over all for each answer.
  using Waiting = std::map<std::pair<Clock::time_point, std::uint64_t>, std::shared_ptr<Node>>;
  Waiting changed, failing, refreshed;
  std::uint64_t last_number = 0;
  std::uint64_t epoch;
  std::uint64_t sequence = 0;
  DeliveryCounters counters;
  bool stop = false;

  // Only the thread uses these.
  CURLM* multi = nullptr;
  bool keep_connections = true;
  std::vector<std::unique_ptr<Slot>> idle;
  std::map<CURL*, std::unique_ptr<Slot>> busy;

  std::thread thread;

  void log(const std::string& message) const {
    if (options.log) options.log(message);
  }
  void wake() const {
    if (multi != nullptr) curl_multi_wakeup(multi);
  }

  bool stopping() const {
    const std::lock_guard lock(mutex);
    return stop;
  }

  void run() {
    while (true) {
      milliseconds pause = kLongestPoll;
      try {
        if (stopping()) break;
        pause = start_due();
        int running = 0;
        curl_multi_perform(multi, &running);
        if (collect()) pause = milliseconds(0);
      } catch (const std::exception& error) {  // out of memory: try again later
        log(fmt::format("delivery of quotas: {}", error.what()));
      }
      curl_multi_poll(multi, nullptr, 0, static_cast<int>(pause.count()), nullptr);
    }
    for (auto& [handle, slot] : busy) curl_multi_remove_handle(multi, handle);
    busy.clear();
    idle.clear();
  }

  // A request that is due.
  struct Due {
    std::shared_ptr<Node> node;
    std::uint64_t version;
    HttpCall call;
  };

  // Starts requests that are due, up to max_parallel. Returns the time until the next one is due.
  milliseconds start_due() {
    std::vector<Due> due;
    milliseconds pause = kLongestPoll;
    {
      const std::lock_guard lock(mutex);
      const auto now = Clock::now();
      keep_connections = nodes.size() <= static_cast<std::size_t>(kMaxIdleConnections);
      for (std::shared_ptr<Node>& node : choose_due(now)) {
        HttpCall call = next_call(*node);
        const std::uint64_t version = node->version;
        due.push_back({std::move(node), version, std::move(call)});
      }
      pause = until_next(now);
    }
    for (Due& each : due) {
      // Each asks for a credential, which may be slow.
      if (stopping()) break;
      start(each.node, each.version, std::move(each.call));
    }
    return pause;
  }

  Waiting& waiting(Queue queue) {
    return queue == Queue::changed ? changed : queue == Queue::failing ? failing : refreshed;
  }

  // Puts a node where it waits for its next request. To be called after each change of what that depends on. mutex is
  // held.
  void enqueue(const std::shared_ptr<Node>& node) {
    if (node->queue != Queue::none) waiting(node->queue).erase({node->queued_for, node->number});
    node->queue = Queue::none;
    if (!node->listed || node->in_flight || !node->desired || node->next == Clock::time_point::max()) return;
    node->queue = node->failing ? Queue::failing : node->applied == node->version ? Queue::refresh : Queue::changed;
    node->queued_for = node->next;
    waiting(node->queue).emplace(std::pair(node->queued_for, node->number), node);
  }

  // Changes first, then refreshes. mutex is held.
  std::vector<std::shared_ptr<Node>> choose_due(Clock::time_point now) {
    std::vector<std::shared_ptr<Node>> due;
    const std::size_t free = options.max_parallel - std::min(options.max_parallel, busy.size());
    const std::size_t most_failing = std::max<std::size_t>(1, options.max_parallel / kShareOfFailing);
    std::size_t failing_under_way = 0;
    for (const auto& [handle, slot] : busy) failing_under_way += slot->node->failing ? 1 : 0;
    for (const Queue queue : {Queue::changed, Queue::failing, Queue::refresh}) {
      Waiting& those = waiting(queue);
      while (due.size() < free && !those.empty() && those.begin()->first.first <= now) {
        if (queue == Queue::failing && failing_under_way++ >= most_failing) break;
        const std::shared_ptr<Node> node = those.begin()->second;
        node->in_flight = true;
        enqueue(node);
        due.push_back(node);
      }
    }
    return due;
  }

  // Time until the next request is due. Those that are due already start when another one ends. mutex is held.
  milliseconds until_next(Clock::time_point now) const {
    milliseconds pause = kLongestPoll;
    for (const Waiting* const those : {&changed, &failing, &refreshed}) {
      const auto next = those->upper_bound({now, std::numeric_limits<std::uint64_t>::max()});
      if (next != those->end()) pause = std::min(pause, std::chrono::ceil<milliseconds>(next->first.first - now));
    }
    return pause;
  }

  // The request with a node's desired state. mutex is held.
  HttpCall next_call(const Node& node) {
    ++counters.sent;
    const DesiredState state{node.address.node, {epoch, ++sequence}, *node.desired};
    return {node.address.host,    node.address.port, "POST", kDesiredTarget, node_receiver(node.address.node),
            format_desired(state)};
  }

  void start(const std::shared_ptr<Node>& node, std::uint64_t version, HttpCall call) {
    std::unique_ptr<Slot> slot;
    if (idle.empty()) {
      slot = std::make_unique<Slot>();
    } else {
      slot = std::move(idle.back());
      idle.pop_back();
    }
    slot->node = node;
    slot->version = version;
    const bool forget_host = !keep_connections && is_number(call.host);
    const auto ready = slot->transfer.prepare(authenticator, std::move(call), options.limits, &node->session);
    if (!ready) {
      finish(*slot, tl::unexpected(ready.error()));
      release(std::move(slot));
      return;
    }
    CURL* const handle = slot->transfer.handle();
    curl_easy_setopt(handle, CURLOPT_FORBID_REUSE, keep_connections ? 0L : 1L);
    curl_easy_setopt(handle, CURLOPT_DNS_CACHE_TIMEOUT, forget_host ? 0L : 60L);
    const CURLMcode error = curl_multi_add_handle(multi, handle);
    if (error != CURLM_OK) {
      finish(*slot, tl::unexpected(HttpCallError{fmt::format("libcurl: {}", curl_multi_strerror(error))}));
      release(std::move(slot));
      return;
    }
    busy[handle] = std::move(slot);
  }

  void release(std::unique_ptr<Slot> slot) {
    slot->node.reset();
    idle.push_back(std::move(slot));
  }

  // Finishes requests that have ended; true if there were any.
  bool collect() {
    bool any = false;
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      any = true;
      CURL* const handle = message->easy_handle;
      const CURLcode result = message->data.result;
      const auto found = busy.find(handle);
      if (found == busy.end()) continue;
      std::unique_ptr<Slot> slot = std::move(found->second);
      busy.erase(found);
      finish(*slot, slot->transfer.finish(authenticator, result, options.slurm_user));
      curl_multi_remove_handle(multi, handle);
      release(std::move(slot));
    }
    return any;
  }

  void finish(const Slot& slot, const tl::expected<HttpCallAnswer, HttpCallError>& answer) {
    std::optional<std::string> news;
    {
      const std::lock_guard lock(mutex);
      Node& node = *slot.node;
      node.in_flight = false;
      const bool had_error = !node.report.last_request;
      const bool session_ended = !answer && answer.error().session_ended;
      if (!session_ended) node.report.last_request = {};
      const Outcome outcome = take_answer(node, slot.version, answer);
      const auto now = Clock::now();
      node.failing = outcome == Outcome::failed;
      if (outcome == Outcome::failed || outcome == Outcome::incomplete) {
        node.backoff = std::clamp(node.backoff * 2, options.retry_min, options.retry_max);
        node.next = now + node.backoff;
      } else {
        node.backoff = milliseconds(0);
        node.next =
            outcome == Outcome::applied ? now + (makes_checkpoint(node) ? kAttemptPoll : spread_refresh()) : now;
      }
      if (!options.enabled && !session_ended && (outcome == Outcome::applied || ++node.attempts == kAttemptsToLift))
        node.next = Clock::time_point::max();
      // The state has changed since the request was made.
      if (!node.failing && node.version != slot.version) node.next = now;
      enqueue(slot.node);
      const tl::expected<void, std::string>& request = node.report.last_request;
      if (node.listed && request.has_value() == had_error) {
        news = had_error ? fmt::format("agent of node {}: no more errors", node.address.node)
                         : fmt::format("agent of node {}: {}", node.address.node, request.error());
      }
    }
    answered.notify_all();
    if (news) log(*news);
  }

  // Up to a fifth less than configured, so that requests that began together spread out. mutex is held.
  milliseconds spread_refresh() {
    constexpr std::uint64_t kParts = 64;
    const auto part = static_cast<double>(sequence * 39 % kParts) / kParts;
    const milliseconds shared = std::min(milliseconds(1000 * nodes.size() / kRefreshesOfASecond), kLongestRefresh);
    return std::chrono::duration_cast<milliseconds>(std::max(options.refresh, shared) * (1 - 0.2 * part));
  }

  static bool makes_checkpoint(const Node& node) {
    return node.desired && std::any_of(node.desired->begin(), node.desired->end(),
                                       [](const JobQuota& job) { return job.checkpoint.has_value(); });
  }

  // Enters an answer, report.last_request included. mutex is held.
  Outcome take_answer(Node& node, std::uint64_t version, const tl::expected<HttpCallAnswer, HttpCallError>& answer) {
    const auto wrong = [&](std::string why) { node.report.last_request = tl::unexpected(std::move(why)); };
    if (!answer && answer.error().session_ended) return Outcome::again;  // as after a restart of the agent
    if (!answer) {
      ++(answer.error().refused ? counters.refused : counters.failed);
      node.report.reachable = false;
      wrong(answer.error().message);
      return Outcome::failed;
    }
    node.report.reachable = true;
    node.answered = Clock::now();
    node.ever_answered = true;
    if (answer->status == 409) {
      ++counters.stale;
      return on_stale(node, answer->body);
    }
    if (answer->status != 200) {
      ++counters.failed;
      wrong(fmt::format("status {}: {}", answer->status, answer->body.substr(0, 300)));
      return Outcome::failed;
    }
    auto report = parse_report(answer->body);
    if (!report) {
      ++counters.failed;
      wrong(report.error());
      return Outcome::failed;
    }
    ++counters.applied;
    node.newer_seen = 0;
    node.report.swap_total_mib = report->swap_total_mib;
    node.report.swap_free_mib = report->swap_free_mib;
    node.report.jobs = std::move(report->jobs);
    node.measured = node.answered -
                    std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(report->measured_ago));
    if (!report->errors.empty()) {
      const auto& first = report->errors.front();
      wrong(fmt::format("{}{}{}", first.job_id != 0 ? fmt::format("job {}: ", first.job_id) : "", first.message,
                        report->errors.size() > 1 ? fmt::format(" (and {} more)", report->errors.size() - 1) : ""));
      return Outcome::incomplete;
    }
    node.applied = std::max(node.applied, version);
    return Outcome::applied;
  }

  // The agent has a newer state than ours. In our epoch: a later request of ours came first, and the next one has a
  // higher number anyway. In a later epoch: another controller has taken over, which we must not fight; or our epoch is
  // too low, because our state was lost and the clock was set back. In that case the agent keeps reporting the same
  // state, and we choose a higher epoch. Only agents can make us do so, because answers are authenticated.
  Outcome on_stale(Node& node, const std::string& body) {
    const auto have = parse_stale(body);
    if (!have) {
      node.report.last_request = tl::unexpected(have.error());
      return Outcome::failed;
    }
    if (have->epoch <= epoch) {
      node.newer_seen = 0;
      if (have->epoch == epoch) sequence = std::max(sequence, have->sequence);
      return Outcome::again;
    }
    node.report.last_request =
        tl::unexpected(fmt::format("the agent has a newer state ({}.{} against {}.{}); is another controller active?",
                                   have->epoch, have->sequence, epoch, sequence));
    node.newer_seen = *have == node.newer ? node.newer_seen + 1 : 1;
    node.newer = *have;
    if (node.newer_seen >= kStaleBeforeNewEpoch && have->epoch != std::numeric_limits<std::uint64_t>::max()) {
      epoch = have->epoch + 1;
      node.newer_seen = 0;
    }
    return Outcome::failed;
  }
};

HttpNodeAgents::HttpNodeAgents(HttpNodeAgentsOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {
  curl_setup();
  impl_->multi = curl_multi_init();
  if (impl_->multi == nullptr) throw std::bad_alloc();
  curl_multi_setopt(impl_->multi, CURLMOPT_MAXCONNECTS, kMaxIdleConnections);
  // Signals are for the host program's threads, not for this one.
  const base::SignalsBlocked blocked;
  try {
    impl_->thread = std::thread([impl = impl_.get()] { impl->run(); });
  } catch (...) {
    curl_multi_cleanup(impl_->multi);
    throw;
  }
}

HttpNodeAgents::~HttpNodeAgents() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stop = true;
  }
  impl_->answered.notify_all();
  impl_->wake();
  if (impl_->thread.joinable()) impl_->thread.join();
  if (impl_->multi != nullptr) curl_multi_cleanup(impl_->multi);
}

void HttpNodeAgents::set_agents(std::span<const AgentAddress> agents) {
  {
    const std::lock_guard lock(impl_->mutex);
    std::map<std::string, std::shared_ptr<Node>> known;
    for (const auto& node : impl_->nodes) known[node->address.node] = node;
    for (const auto& node : impl_->nodes) {
      node->listed = false;
      impl_->enqueue(node);  // it waits no more
    }
    impl_->nodes.clear();
    for (const AgentAddress& agent : agents) {
      std::shared_ptr<Node>& node = known[agent.node];
      // If a name is listed twice, each entry gets a node of its own.
      if (node == nullptr || node->listed) {
        node = std::make_shared<Node>(impl_->options.agent_user);
        node->number = ++impl_->last_number;
      }
      node->listed = true;
      if (!impl_->options.enabled && !node->desired) {
        node->desired.emplace();
        node->version = 1;
      }
      if (node->address != agent) {
        node->address = agent;
        node->backoff = milliseconds(0);
        node->next = Clock::time_point{};
        // The agent at the new address may not have our state.
        node->applied = 0;
      }
      impl_->enqueue(node);
      impl_->nodes.push_back(node);
    }
  }
  impl_->wake();
}

void HttpNodeAgents::set_desired(std::size_t index, std::span<const JobQuota> jobs) {
  {
    std::vector<JobQuota> wanted(jobs.begin(), jobs.end());
    for (JobQuota& job : wanted) job.suspended = job.suspended || job.paused;
    std::sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.job_id < b.job_id; });
    const std::lock_guard lock(impl_->mutex);
    if (index >= impl_->nodes.size() || !impl_->options.enabled) return;
    Node& node = *impl_->nodes[index];
    if (node.desired && *node.desired == wanted) return;
    node.desired = std::move(wanted);
    ++node.version;
    // A change does not shorten the wait of a node that failed.
    if (!node.failing) node.next = Clock::time_point{};
    impl_->enqueue(impl_->nodes[index]);
  }
  impl_->wake();
}

bool HttpNodeAgents::wait(std::span<const std::size_t> nodes, std::uint32_t wait_ms) {
  if (!impl_->options.enabled) return true;
  std::unique_lock lock(impl_->mutex);
  // The present versions: later changes do not prolong the wait.
  std::vector<std::pair<std::shared_ptr<Node>, std::uint64_t>> waited;
  for (const std::size_t index : nodes) {
    if (index >= impl_->nodes.size() || !impl_->nodes[index]->desired) return false;
    waited.emplace_back(impl_->nodes[index], impl_->nodes[index]->version);
  }
  // Each answer wakes us: those that have been seen to have their state are not looked at again until the end.
  std::size_t seen = 0;
  const auto applied = [](const auto& each) { return each.first->applied >= each.second; };
  const auto all_applied = [&] {
    while (seen < waited.size() && applied(waited[seen])) ++seen;
    if (seen < waited.size()) return false;
    if (std::all_of(waited.begin(), waited.end(), applied)) return true;
    seen = 0;  // an agent has moved
    return false;
  };
  impl_->answered.wait_for(lock, milliseconds(wait_ms), [&] { return impl_->stop || all_applied(); });
  return all_applied();
}

void HttpNodeAgents::retry_now(std::size_t index) {
  {
    const std::lock_guard lock(impl_->mutex);
    if (index >= impl_->nodes.size() || !impl_->nodes[index]->failing) return;
    impl_->nodes[index]->backoff = milliseconds(0);
    impl_->nodes[index]->next = Clock::time_point{};
    impl_->enqueue(impl_->nodes[index]);
  }
  impl_->wake();
}

NodeReport HttpNodeAgents::report(std::size_t index) const {
  const std::lock_guard lock(impl_->mutex);
  if (index >= impl_->nodes.size()) return {};
  const Node& node = *impl_->nodes[index];
  NodeReport report = node.report;
  report.current = node.desired.has_value() && node.applied == node.version;
  const auto since = [now = Clock::now(), &node](Clock::time_point then) {
    return node.ever_answered ? std::chrono::duration<double>(now - then).count()
                              : std::numeric_limits<double>::infinity();
  };
  report.age = since(node.answered);
  report.measured_age = since(node.measured);
  return report;
}

std::uint64_t HttpNodeAgents::epoch() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->epoch;
}

DeliveryCounters HttpNodeAgents::counters() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->counters;
}

}  // namespace dfrs::shim
