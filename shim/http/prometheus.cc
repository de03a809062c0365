// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/http/prometheus.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace dfrs::shim {

std::string metric_label(std::string_view name, std::string_view value) {
  std::string text(name);
  text += "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n')
      text += "\\n";
    else
      text += c;
  }
  return text + '"';
}

void MetricsText::family(const char* name, const char* type, const char* help) {
  name_ = name;
  fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void MetricsText::line(const std::string& labels, const std::string& value) {
  if (labels.empty())
    fmt::format_to(std::back_inserter(text_), "{} {}\n", name_, value);
  else
    fmt::format_to(std::back_inserter(text_), "{}{{{}}} {}\n", name_, labels, value);
}

void MetricsText::sample(const std::string& labels, double value) {
  line(labels, std::isinf(value) ? (value > 0 ? "+Inf" : "-Inf") : fmt::format("{}", value));
}

void MetricsText::sample(const std::string& labels, std::uint64_t value) { line(labels, fmt::format("{}", value)); }

void add_http_families(MetricsText& text, const HttpCounters& http, const std::string& labels) {
  text.family("dfrs_http_answers_total", "counter", "Requests answered, by route and status.");
  for (const auto& [answer, count] : http.answers) {
    text.sample(labels + "," + metric_label("route", answer.first) + "," +
                    metric_label("status", std::to_string(answer.second)),
                count);
  }
  text.family("dfrs_http_refusals_total", "counter", "Requests refused, by reason.");
  for (int reason = 0; reason < kRefusalCount; ++reason) {
    text.sample(labels + "," + metric_label("reason", reason_name(static_cast<Refusal>(reason))),
                http.refusals[static_cast<std::size_t>(reason)]);
  }
  text.family("dfrs_http_ended_connections_total", "counter", "Connections ended because their time was up.");
  text.sample(labels, http.ended_connections);
}

}  // namespace dfrs::shim
