// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a record step by step: views, events and outcomes as they were recorded.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "policy/core/decision.h"
#include "policy/core/error.h"
#include "record/json_values.h"
#include "record/line_source.h"
#include "record/record_error.h"
#include "record/setup_reader.h"

namespace dfrs::record {

/// Limits on what a record may contain, so that a damaged one cannot exhaust memory.
inline constexpr std::size_t kMaxRecordSlots = 1'000'000;
inline constexpr std::size_t kMaxRecordNodes = 1'000'000;
inline constexpr std::uint32_t kMaxRecordTasks = 1'000'000;

class RecordReader {
 public:
  /// `name` stands for the file in messages.
  RecordReader(std::unique_ptr<LineSource> lines, std::string name)
      : lines_(std::move(lines)), name_(std::move(name)) {}
  /// Opens a file, plain or gzip; "-" is standard input.
  static tl::expected<RecordReader, RecordError> open(const std::string& path);

  /// Reads the next step; false at the end. Errors name the file and line, what was found and what was expected: a line
  /// that is not JSON, unknown or missing members, values out of range, an inconsistent view (a running job without
  /// nodes, nodes that do not exist). After an error the reader cannot be used any more. A last line that is cut off is
  /// dropped: see cut_off().
  tl::expected<bool, RecordError> next();

  // ---- the step that next() has read

  /// Line in the file, from 1.
  std::size_t line() const { return line_; }
  /// Whether this is the first step of an engine, configured as setup() says.
  bool new_engine() const { return new_engine_; }
  const EngineSetup& setup() const { return header_.setup; }
  const std::string& version() const { return header_.version; }
  ClusterView view() const { return {now_, nodes_, views_, rigid_dims_}; }
  Estimates estimates() const { return {estimates_}; }
  std::span<const Event> events() const { return events_; }
  /// The recorded decisions, or the recorded error.
  tl::expected<const Decisions*, Error> outcome() const;

  /// At the end: whether the record ends within a line, which was dropped.
  bool cut_off() const { return lines_->cut_off(); }

 private:
  using Json = nlohmann::json;
  void read_line();
  void begin_engine(const Json& object);
  void read_step(const Json& object);
  void read_nodes(const Json& object);
  void read_jobs(const Json& object);
  void read_job(const Json& object);
  void read_member(const std::string& name, const Json& value, JobView& job);
  void read_flags(const Json& value, JobFlags& flags);
  void read_events(const Json& list);
  void read_decisions(const Json& object);
  void read_error(const Json& object);
  void read_eligible(const Json& value, std::size_t slot);
  void check_job(std::size_t slot);
  std::vector<NodeIndex> node_list(const Json& value, const char* what);

  std::unique_ptr<LineSource> lines_;
  std::string name_;
  std::string text_;
  std::size_t line_ = 0;
  bool new_engine_ = false;
  bool has_step_ = false;  // the last line was a step
  bool begun_ = false;
  Header header_;
  JsonValues values_;

  double now_ = 0;
  std::size_t rigid_dims_ = 1;
  bool has_dims_ = false;
  std::vector<NodeView> nodes_;
  std::vector<JobView> views_;
  std::vector<std::vector<NodeIndex>> placements_;
  std::vector<std::unique_ptr<NodeSet>> eligible_;
  std::vector<double> estimates_;
  std::vector<Event> events_;
  Decisions decisions_;
  bool decided_ = false;
  Error error_;
};

}  // namespace dfrs::record
