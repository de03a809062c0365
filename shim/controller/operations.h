// SPDX-License-Identifier: GPL-2.0-or-later
// The operations of a step, in the form that the plugin gets.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "shim/controller.h"
#include "shim/controller/job.h"

namespace dfrs::shim {

class OperationList {
 public:
  /// Invalidates what publish() has handed out.
  void clear();
  /// `nodes`: one per task, ascending.
  void start(const Job& job, std::span<const NodeIndex> nodes, bool after_requeue);
  void suspend(const Job& job) { add(DFRS_OP_SUSPEND, job); }
  void resume(const Job& job) { add(DFRS_OP_RESUME, job); }
  void requeue(const Job& job) { add(DFRS_OP_REQUEUE, job); }
  /// `at`: s since the epoch.
  void end_time(const Job& job, std::int64_t at) { add(DFRS_OP_END_TIME, job).end_time = at; }
  /// `text`: the whole new comment; empty removes the comment.
  void comment(const Job& job, std::string text);

  bool has(dfrs_operation_kind kind) const;
  std::size_t size() const { return list_.size(); }
  const dfrs_operation& operator[](std::size_t index) const { return list_[index]; }
  /// Fills `out` for the plugin; its arrays are valid until clear(). `wake_at`: s since the epoch. O(operations).
  void publish(dfrs_operations& out, Seconds wake_at);

 private:
  dfrs_operation& add(dfrs_operation_kind kind, const Job& job);

  std::vector<dfrs_operation> list_;
  std::vector<std::size_t> first_;  // by operation: where its nodes begin
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint16_t> tasks_;
  std::deque<std::string> texts_;
};

}  // namespace dfrs::shim
