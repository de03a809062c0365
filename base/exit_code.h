// SPDX-License-Identifier: GPL-2.0-or-later
// Exit codes that all our programs share. They are part of the interface; a program may add its own.
#pragma once

namespace dfrs::base {

inline constexpr int kExitOk = 0;
inline constexpr int kExitInternal = 1;  ///< a bug in the program: please report it
inline constexpr int kExitUsage = 2;     ///< unknown option or subcommand; value out of range
inline constexpr int kExitInput = 3;     ///< invalid input data; the message names file and line
inline constexpr int kExitIo = 4;        ///< a file cannot be read or written (missing, no permission, disk full)
inline constexpr int kExitNetwork = 5;   ///< cannot reach another host, or cannot trust its answer

}  // namespace dfrs::base
