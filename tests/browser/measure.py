#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sizes and speeds of timeline pages in headless Chromium: time to the first contentful paint, time until the page is
drawn and answers, and frames per second while it pans at three widths of time.

Usage: tests/browser/measure.py PAGE.html...
       tests/browser/measure.py --picture PAGE.html#VIEW PICTURE.png [WIDTH HEIGHT]   a picture of a view, for documents
"""
import os
import sys

sys.dont_write_bytecode = True
import chromium  # noqa: E402

PAN = """
const [part, done] = arguments;
const {page} = dfrsTimeline;
const span = page.whole.end - page.whole.begin;
const middle = page.whole.begin + 0.4 * span;
page.show(middle, middle + part * span);
page.settle();
let frames = 0;
let begin;
const step = (now) => {
  begin ??= now;
  if (now - begin > 3000) return done([1000 * frames / (now - begin), page.charts.every((chart) => chart.exact)]);
  frames++;
  page.panBy(0.004);
  requestAnimationFrame(step);
};
requestAnimationFrame(step);
"""


def measure(browser, page):
    opened = browser.open(os.path.abspath(page))
    painted = browser.js("return performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1000
    counts = browser.js("return dfrsTimeline.counts()")
    print(f"{page}: {os.path.getsize(page) / 1e6:.1f} MB, {counts['jobs']} jobs, {counts['steps']} changes of a yield")
    print(f"  first contentful paint after {painted:.2f} s, drawn and ready after {opened:.2f} s")
    for part in (0.5, 0.03, 0.001):
        frames, exact = browser.wait_js(PAN, part)
        print(f"  pans over {part:g} of the time at {frames:.0f} frames/s, {'every bar' if exact else 'summed up'}")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    chromium.require()
    if sys.argv[1] == "--picture":
        width, height = map(int, sys.argv[4:6] or (1200, 1000))
        browser = chromium.Browser(width, height)
        page, _, view = sys.argv[2].partition("#")
        browser.open(os.path.abspath(page), "#" + view)
        frames = browser.driver.find_elements("css selector", "iframe")  # the advice has its timeline in one
        for frame in frames:
            browser.driver.switch_to.frame(frame)
            browser.settled()
            browser.driver.switch_to.default_content()
        if not frames:
            browser.settled()
        browser.driver.save_screenshot(sys.argv[3])
    else:
        browser = chromium.Browser()
        for page in sys.argv[1:]:
            measure(browser, page)
    browser.close()


if __name__ == "__main__":
    main()
