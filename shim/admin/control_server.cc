// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/admin/control_server.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <optional>

#include "dfrs-config.h"
#include "shim/admin/history_json.h"
#include "shim/admin/metrics.h"
#include "shim/admin/status_json.h"
#include "shim/auth/authenticator.h"
#include "shim/http/prometheus.h"

namespace dfrs::shim {
namespace {

// Every user may ask for what is costly: what a repack would do, the last hours, which may be megabytes, and metrics,
// which cost a look at all jobs. These answers are used again for a while.
constexpr std::chrono::seconds kRepackAge{1};
constexpr std::chrono::seconds kHistoryAge{1};
constexpr std::chrono::seconds kMetricsAge{5};
constexpr std::size_t kMaxBody = 64 << 10;

HttpAnswer answer(const Json& json) { return {200, json_text(json)}; }

// An answer that is made again only when it is old.
class Remembered {
 public:
  explicit Remembered(std::chrono::seconds age) : age_(age) {}
  HttpAnswer get(const std::function<HttpAnswer()>& make) {
    const auto now = std::chrono::steady_clock::now();
    if (!answer_ || now - made_ > age_) {
      answer_ = make();
      made_ = now;
    }
    return *answer_;
  }

 private:
  std::chrono::seconds age_;
  std::chrono::steady_clock::time_point made_;
  std::optional<HttpAnswer> answer_;
};

HttpAnswer bad_request(std::string_view message) { return http_error(400, "bad_request", message); }

}  // namespace

struct ControlServer::Handlers {
  Handlers(const Inspection& inspection_in, record::Recorder& recorder_in, std::string cluster_in,
           std::function<void(const std::string&)> log_in, std::function<void()> wake_in)
      : inspection(inspection_in),
        recorder(recorder_in),
        cluster(std::move(cluster_in)),
        log(std::move(log_in)),
        wake(std::move(wake_in)) {}

  const Inspection& inspection;
  record::Recorder& recorder;
  std::string cluster;
  std::function<void(const std::string&)> log;
  std::function<void()> wake;
  // Only the server's thread uses these.
  Remembered repack_answer{kRepackAge};
  Remembered history_answer{kHistoryAge};
  Remembered metrics_answer{kMetricsAge};
  std::atomic<const HttpServer*> running = nullptr;

  HttpAnswer version() const {
    return answer({{"format", kControlFormat}, {"version", PACKAGE_VERSION}, {"cluster", cluster}});
  }

  HttpAnswer explain(const HttpRequest& request) const {
    const auto given = request.query.find("job");
    if (given == request.query.end()) return bad_request("expected a job's number: /v1/explain?job=17");
    std::uint32_t job = 0;
    const std::string& text = given->second;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), job);
    if (code != std::errc{} || end != text.data() + text.size() || job == 0) {
      return bad_request(fmt::format("'{}' is not a job's number", text));
    }
    const auto explained = inspection.explain(job);
    if (!explained) return http_error(404, "no_such_job", explained.error());
    return answer(explain_json(job, *explained));
  }

  HttpAnswer repack() {
    return repack_answer.get([this] {
      const auto plan = inspection.repack_dry_run();
      return plan ? answer(repack_json(*plan)) : http_error(409, "no_plan", plan.error());
    });
  }

  HttpAnswer history() {
    return history_answer.get([this] { return answer(history_json(inspection.past())); });
  }

  HttpAnswer metrics() {
    return metrics_answer.get([this] {
      // Null for a request that comes before start() has returned.
      const HttpServer* const server = running;
      return HttpAnswer{200,
                        format_metrics(inspection.status(), server != nullptr ? server->counters() : HttpCounters{}),
                        kMetricsType};
    });
  }

  HttpAnswer record(const HttpRequest& request) const {
    const Json order = Json::parse(request.body, nullptr, false);
    const char* const expected = "expected {\"on\": \"/path/of/a/new/file\"} or {\"off\": true}";
    if (!order.is_object() || order.size() != 1) return bad_request(expected);
    if (order.contains("off") && order["off"] == true) {
      recorder.off();
    } else if (order.contains("on") && order["on"].is_string()) {
      const std::string path = order["on"];
      if (!path.starts_with('/')) return bad_request(fmt::format("'{}' is not an absolute path", path));
      if (path.find('\0') != std::string::npos) return bad_request("the path contains a NUL byte");
      if (const auto made = recorder.on(path); !made) return http_error(409, "no_record", made.error());
    } else {
      return bad_request(expected);
    }
    if (wake) wake();
    const record::RecordingState state = recorder.state();
    if (log) {
      log(state.on ? fmt::format("recording to {}, switched on by user id {}", *state.path, request.uid)
                   : fmt::format("recording switched off by user id {}", request.uid));
    }
    return answer(recording_json(state));
  }
};

ControlServer::ControlServer(std::unique_ptr<Handlers> handlers, std::unique_ptr<HttpServer> server)
    : handlers_(std::move(handlers)), server_(std::move(server)) {}

ControlServer::~ControlServer() = default;

tl::expected<std::unique_ptr<ControlServer>, std::string> ControlServer::start(ControlServerOptions options,
                                                                               const Inspection& inspection,
                                                                               record::Recorder& recorder) {
  auto handlers = std::make_unique<Handlers>(inspection, recorder, options.cluster, options.log, options.wake);
  Handlers* const h = handlers.get();
  HttpServerOptions http;
  http.bind_address = options.bind_address;
  http.port = options.port;
  http.receiver = controller_receiver(options.cluster);
  http.auth = options.auth;
  http.requests_per_minute = options.requests_per_minute;
  http.costly_requests_per_minute = options.repacks_per_minute;
  http.administrator = options.slurm_user;
  http.max_body = kMaxBody;
  http.log = options.log;
  const auto get = [](const char* path, std::function<HttpAnswer(const HttpRequest&)> handler) {
    return HttpRoute{"GET", path, Access::user, std::move(handler)};
  };
  std::vector<HttpRoute> routes{
      get("/v1/version", [h](const HttpRequest&) { return h->version(); }),
      get("/v1/status",
          [h](const HttpRequest&) { return answer(status_json(h->inspection.status(), h->recorder.state())); }),
      get("/v1/nodes", [h](const HttpRequest&) { return answer(nodes_json(h->inspection.status())); }),
      get("/v1/explain", [h](const HttpRequest& request) { return h->explain(request); }),
      {"GET", "/v1/history", Access::user, [h](const HttpRequest&) { return h->history(); }, Cost::much},
      {"GET", "/v1/repack", Access::user, [h](const HttpRequest&) { return h->repack(); }, Cost::much},
      get("/v1/record", [h](const HttpRequest&) { return answer(recording_json(h->recorder.state())); }),
      {"POST", "/v1/record", Access::administrator, [h](const HttpRequest& request) { return h->record(request); }}};
  if (options.metrics)
    routes.push_back({"GET", "/metrics", Access::anyone, [h](const HttpRequest&) { return h->metrics(); }});
  auto server = HttpServer::start(std::move(http), std::move(routes));
  if (!server) return tl::unexpected(server.error());
  h->running = server->get();
  return std::unique_ptr<ControlServer>(new ControlServer(std::move(handlers), std::move(*server)));
}

}  // namespace dfrs::shim
