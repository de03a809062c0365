// SPDX-License-Identifier: GPL-2.0-or-later
// Metrics in Prometheus' text format, version 0.0.4.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shim/http/server.h"

namespace dfrs::shim {

inline constexpr const char* kMetricsType = "text/plain; version=0.0.4";

/// `name="value"`, quoted as the format wants it.
std::string metric_label(std::string_view name, std::string_view value);

class MetricsText {
 public:
  /// What follows are samples of this family. type: gauge or counter.
  void family(const char* name, const char* type, const char* help);
  /// labels: of metric_label(), joined by commas; may be empty.
  void sample(const std::string& labels, double value);
  void sample(const std::string& labels, std::uint64_t value);
  std::string take() { return std::move(text_); }

 private:
  void line(const std::string& labels, const std::string& value);
  const char* name_ = "";
  std::string text_;
};

/// The families of a server's counters. `labels`: of every sample.
void add_http_families(MetricsText& text, const HttpCounters& http, const std::string& labels);

}  // namespace dfrs::shim
