/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DFRS_TESTS_SHIM_C_ABI_H
#define DFRS_TESTS_SHIM_C_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "shim/gate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The layout of the structures in C, for comparison with C++. */
enum dfrs_plan_kind c_abi_plan_kind(uint32_t job_id);
size_t c_abi_operation_size(void);
size_t c_abi_job_size(void);
size_t c_abi_node_size(void);

#ifdef __cplusplus
}
#endif
#endif
