// SPDX-License-Identifier: GPL-2.0-or-later
// The headers that most files include. With --enable-precompiled-headers g++ reads them once for all (Makefile.am), and
// without it where a file includes them: nothing else may stand here.
// Without #pragma once, which g++ warns about in a file that it precompiles.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tl/expected.hpp>
