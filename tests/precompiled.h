// SPDX-License-Identifier: GPL-2.0-or-later
// What nearly every test includes, to be compiled once (tests/selections.mk). Tests include what they use all the same.
#ifndef DFRS_TESTS_PRECOMPILED_H
#define DFRS_TESTS_PRECOMPILED_H

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#endif
