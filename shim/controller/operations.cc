// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/operations.h"

#include <algorithm>

const char* dfrs_operation_name(enum dfrs_operation_kind kind) {
  switch (kind) {
    case DFRS_OP_START:
      return "start";
    case DFRS_OP_SUSPEND:
      return "suspend";
    case DFRS_OP_RESUME:
      return "resume";
    case DFRS_OP_REQUEUE:
      return "requeue";
    case DFRS_OP_END_TIME:
      return "end time";
    case DFRS_OP_COMMENT:
      return "comment";
  }
  return "unknown operation";
}

namespace dfrs::shim {

void OperationList::clear() {
  list_.clear();
  first_.clear();
  nodes_.clear();
  tasks_.clear();
  texts_.clear();
}

dfrs_operation& OperationList::add(dfrs_operation_kind kind, const Job& job) {
  dfrs_operation op{};
  op.kind = kind;
  op.key = job.key();
  list_.push_back(op);
  first_.push_back(nodes_.size());
  return list_.back();
}

void OperationList::start(const Job& job, std::span<const NodeIndex> nodes, bool after_requeue) {
  dfrs_operation& op = add(DFRS_OP_START, job);
  op.after_requeue = after_requeue;
  for (NodeIndex n : nodes) {
    if (nodes_.size() > first_.back() && nodes_.back() == n && tasks_.back() < UINT16_MAX) {
      ++tasks_.back();
    } else {
      nodes_.push_back(n);
      tasks_.push_back(1);
    }
  }
  op.node_count = static_cast<std::uint32_t>(nodes_.size() - first_.back());
}

void OperationList::comment(const Job& job, std::string text) {
  dfrs_operation& op = add(DFRS_OP_COMMENT, job);
  if (text.empty()) return;
  texts_.push_back(std::move(text));
  op.text = texts_.back().c_str();
}

bool OperationList::has(dfrs_operation_kind kind) const {
  return std::any_of(list_.begin(), list_.end(), [&](const dfrs_operation& op) { return op.kind == kind; });
}

void OperationList::publish(dfrs_operations& out, Seconds wake_at) {
  for (std::size_t k = 0; k < list_.size(); ++k) {
    if (list_[k].node_count == 0) continue;
    list_[k].nodes = nodes_.data() + first_[k];
    list_[k].node_tasks = tasks_.data() + first_[k];
  }
  out.list = list_.data();
  out.count = list_.size();
  out.wake_at = wake_at;
}

}  // namespace dfrs::shim
