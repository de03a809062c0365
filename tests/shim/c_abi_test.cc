// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/shim/c_abi.h"

#include <gtest/gtest.h>

#include "shim/controller.h"
#include "shim/gate.h"

namespace {

TEST(CAbi, StructuresAreTheSameInBothLanguages) {
  EXPECT_EQ(c_abi_operation_size(), sizeof(dfrs_operation));
  EXPECT_EQ(c_abi_job_size(), sizeof(dfrs_job));
  EXPECT_EQ(c_abi_node_size(), sizeof(dfrs_node));
}

TEST(CAbi, StructureIsReturnedByValue) { EXPECT_EQ(c_abi_plan_kind(4711), DFRS_PLAN_NONE); }

}  // namespace
