// SPDX-License-Identifier: GPL-2.0-or-later
// The mount namespace of a program: a copy of its caller's in which /proc shows the processes of the program's own pid
// namespace. criu needs the /proc of the pid namespace that it runs in, and finds files only by mounts of the namespace
// that it runs in. So for a dump it enters the program's namespace and takes the program's /proc away while all stand
// still.
#pragma once

#include <sys/types.h>

#include <string>
#include <tl/expected.hpp>

namespace dfrs::shim {

// All errors are one line.

/// A mount namespace for the calling process and its later children. What is mounted outside from now on appears in it,
/// and not the other way round. For processes with one thread.
tl::expected<void, std::string> unshare_mounts();
/// In such a namespace: its /proc shows the pid namespace of the calling process.
tl::expected<void, std::string> mount_own_proc();
/// The same from outside, for the namespaces of this first process. Does nothing if it does already. Waits for two
/// children of the calling process.
tl::expected<void, std::string> mount_own_proc_of(pid_t init);
/// For a process that is to be `criu dump`: enters the mount namespace of this first process and takes its /proc away.
tl::expected<void, std::string> enter_without_own_proc(pid_t init);

}  // namespace dfrs::shim
