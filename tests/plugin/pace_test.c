/* SPDX-License-Identifier: GPL-2.0-or-later
 * plugin/pace.h: a few pieces of work in a row, and a share of the time in the long run.
 */
#include "plugin/pace.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

static int failures;

static void expect(bool holds, const char* what) {
  printf("%s: %s\n", holds ? "ok" : "FAIL", what);
  failures += !holds;
}

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

static void by_hand(void) {
  struct pace pace = {.share = 0.2, .credit = 3};
  expect(near(pace_rest(&pace, 100), 0), "in the beginning nothing waits");
  pace_worked(&pace, 100, 100.5);
  expect(near(pace_owed(&pace, 100.5), 2) && near(pace_rest(&pace, 100.5), 0), "half a second owes two, on credit");
  pace_worked(&pace, 100.5, 101);
  expect(near(pace_rest(&pace, 101), 1), "at once half a second more: four are owed, one more than the credit");
  expect(near(pace_rest(&pace, 101.75), 0.25) && near(pace_rest(&pace, 102), 0), "rest passes");
  pace_worked(&pace, 103, 103.5);
  expect(near(pace_owed(&pace, 103.5), 4), "two seconds later half of that was still owed");
  expect(near(pace_owed(&pace, 200), 0), "what is not owed is not saved up");
}

/* Works whenever it may. Returns the share of the time from `after` on. */
static double share_of_work(double took, double after) {
  struct pace pace = {.share = 0.2, .credit = 8};
  double now = 0, worked = 0;
  while (now < 1000) {
    now += pace_rest(&pace, now);
    pace_worked(&pace, now, now + took);
    if (now >= after) worked += took;
    now += took;
  }
  return worked / (now - after);
}

static void in_the_long_run(void) {
  expect(share_of_work(0.25, 100) < 0.202 && share_of_work(0.25, 100) > 0.198,
         "short work takes its share of the time");
  expect(share_of_work(5, 100) < 0.21, "long work does, too");
  expect(share_of_work(0.25, 0) < 0.2 + 2.5 / 1000, "with what the credit gives in the beginning");
}

static void none_waits_that_comes_seldom(void) {
  struct pace pace = {.share = 0.2, .credit = 8};
  bool waits = false;
  for (double now = 0; now < 100; now += 1.3) {
    waits = waits || pace_rest(&pace, now) > 0;
    pace_worked(&pace, now, now + 0.25);
  }
  expect(!waits, "work that takes less than its share never waits");
}

int main(void) {
  by_hand();
  in_the_long_run();
  none_waits_that_comes_seldom();
  return failures != 0;
}
