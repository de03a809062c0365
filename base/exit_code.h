// SPDX-License-Identifier: GPL-2.0-or-later
// The exit codes that mean the same for all our programs. They are part of the interface; each program may add its own.
#pragma once

namespace dfrs::base {

inline constexpr int kExitOk = 0;
inline constexpr int kExitInternal = 1;  ///< a bug in the program: please report it
inline constexpr int kExitUsage = 2;     ///< unknown option or subcommand; value out of range
inline constexpr int kExitInput = 3;     ///< the data read is not what it should be (message names file and line)
inline constexpr int kExitIo = 4;        ///< a file cannot be read or written (missing, no permission, disk full)
inline constexpr int kExitNetwork = 5;   ///< another host cannot be reached, or its answer is not to be trusted

}  // namespace dfrs::base
