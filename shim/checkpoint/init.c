/* SPDX-License-Identifier: GPL-2.0-or-later
 * dfrs-init: the first process of a program's pid namespace. It takes up orphans as init does and ends as the program
 * does; the namespace ends with it. It is root's, has no input and runs nothing: a restored program gets its old
 * process ids only if it does not have the first one, which the kernel treats in its own way.
 *
 * Usage: dfrs-init PID       of the program, a child of this process
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

int main(int count, char** words) {
  const pid_t program = count == 2 ? (pid_t)atoi(words[1]) : 0;
  if (program <= 0) {
    fprintf(stderr, "dfrs-init: dfrsd starts this program\n");
    return 2;
  }
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended == program) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (ended < 0 && errno != EINTR) return 255;
  }
}
