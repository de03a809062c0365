// SPDX-License-Identifier: GPL-2.0-or-later
// GoogleTest's headers, which take long to compile. With --enable-precompiled-headers g++ reads them once for all
// (tests/goals.mk), and without it where a test includes them: nothing else may stand here.
// Without #pragma once, which g++ warns about in a file that it precompiles. Test programs have files in C, too.
#ifdef __cplusplus
#include "base/std_once.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#endif
