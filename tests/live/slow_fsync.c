/* SPDX-License-Identifier: GPL-2.0-or-later
 * Preloaded into slurmctld: a disk on which each fsync() takes half a second, so that what happens between the start of
 * a job and the end of the save does happen.
 */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int fsync(int fd) {
  const struct timespec wait = {.tv_nsec = 500000000};
  nanosleep(&wait, NULL);
  return (int)syscall(SYS_fsync, fd);
}
