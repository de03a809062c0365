/* SPDX-License-Identifier: GPL-2.0-or-later
 * plugin/slow.h: several pieces of work in a row change the answer, and no fewer.
 */
#include "plugin/slow.h"

#include <stdio.h>
#include <string.h>

static int failures;

/* Work of the lengths: s takes longer than the limit, f does not, = takes exactly as long. The answers after each. */
static void expect(const char* lengths, const char* answers) {
  struct slow slow = {.limit = 0.05, .turns = 3};
  char seen[64] = "";
  for (size_t i = 0; i < strlen(lengths); ++i) {
    slow_worked(&slow, lengths[i] == 's' ? 0.051 : lengths[i] == '=' ? 0.05 : 0.01);
    seen[i] = slow.is ? 's' : 'f';
  }
  const bool holds = strcmp(seen, answers) == 0;
  printf("%s: %s gives %s, expected %s\n", holds ? "ok" : "FAIL", lengths, seen, answers);
  failures += !holds;
}

int main(void) {
  expect("fff", "fff");
  expect("sss", "ffs");
  expect("ssfssfss", "ffffffff");
  expect("sssffsfffs", "ffssssssff");
  expect("====", "ffff");
  expect("sss==s===f", "ffssssssff");
  return failures != 0;
}
