// SPDX-License-Identifier: GPL-2.0-or-later
// What nearly every library includes, to be compiled once (tests/by_folder.mk). Sources include what they use all the
// same.
#ifndef DFRS_TESTS_BY_FOLDER_H
#define DFRS_TESTS_BY_FOLDER_H

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <unordered_map>
#include <variant>
#include <vector>

#endif
