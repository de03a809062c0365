/* SPDX-License-Identifier: GPL-2.0-or-later
 * Checks that the plugins' interface is plain C: otherwise this file does not compile.
 */
#include "tests/shim/c_abi.h"

#include "shim/controller.h"
#include "shim/gate.h"

enum dfrs_plan_kind c_abi_plan_kind(uint32_t job_id) {
  const struct dfrs_plan plan = dfrs_gate_plan(job_id);
  return plan.kind;
}

size_t c_abi_operation_size(void) { return sizeof(struct dfrs_operation); }
size_t c_abi_job_size(void) { return sizeof(struct dfrs_job); }
size_t c_abi_node_size(void) { return sizeof(struct dfrs_node); }
