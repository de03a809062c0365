// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a record step by step: views, events and what was decided, as they were.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "record/line_source.h"
#include "record/record_error.h"
#include "record/step_lines.h"

namespace dfrs::shim {

/// Bounds on what a record may hold, so that a damaged one cannot take all memory.
inline constexpr std::size_t kMaxRecordSlots = 1'000'000;
inline constexpr std::size_t kMaxRecordNodes = 1'000'000;
inline constexpr std::uint32_t kMaxRecordTasks = 1'000'000;

class RecordReader {
 public:
  /// `name` is for messages.
  RecordReader(std::unique_ptr<LineSource> lines, std::string name);
  ~RecordReader();

  /// The next step; false at the end. Errors: RecordError naming file, line, what was found and what was expected: a
  /// line that is no JSON, unknown or missing members, values out of range, a view that contradicts itself (a running
  /// job without nodes, nodes that do not exist). A last line that was cut off is dropped: see cut_off().
  bool next();

  // ---- of the step that next() read

  /// Line in the file, from 1.
  std::size_t line() const { return line_; }
  /// The first step of an engine made of make().
  bool new_engine() const { return new_engine_; }
  const EngineMake& make() const { return make_; }
  const std::string& version() const { return version_; }
  ClusterView view() const { return {now_, nodes_, views_, rigid_dims_}; }
  Estimates estimates() const { return {estimates_}; }
  std::span<const Event> events() const { return events_; }
  /// What was decided then, in the words of outcome_text().
  tl::expected<const Decisions*, Error> outcome() const;

  /// At the end: the record ends within a line, which was dropped.
  bool cut_off() const { return lines_->cut_off(); }

 private:
  using Json = nlohmann::json;
  [[noreturn]] void fail(const std::string& what) const;
  void read_header(const Json& object);
  void read_step(const Json& object);
  void read_nodes(const Json& object);
  void read_jobs(const Json& object);
  void read_job(const Json& object);
  void read_events(const Json& list);
  void read_decisions(const Json& object);
  void read_error(const Json& object);
  void read_eligible(const Json& value, std::size_t slot);
  void check_job(std::size_t slot) const;

  void check_members(const Json& object, std::span<const std::string> known, const char* what) const;
  const Json& member(const Json& object, const char* name, const char* what) const;
  double number(const Json& value, const char* what) const;
  double finite(const Json& value, const char* what) const;
  std::uint64_t whole(const Json& value, std::uint64_t most, const char* what) const;
  bool flag(const Json& value, const char* what) const;
  std::string text(const Json& value, const char* what) const;
  RigidVector rigid(const Json& value) const;
  const Json& list(const Json& value, std::size_t least, std::size_t most, const char* what) const;
  std::vector<NodeIndex> node_list(const Json& value, const char* what) const;

  std::unique_ptr<LineSource> lines_;
  std::string name_;
  std::string text_;
  std::size_t line_ = 0;
  bool new_engine_ = false;
  bool begun_ = false;
  EngineMake make_;
  std::string version_;

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

}  // namespace dfrs::shim
