#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Moves within a timeline, in headless Chromium: by wheel, by mouse and by keys alone.

Usage: tests/browser/timeline_view_test.py      with the program in $DFRS_SIM
Exit: 0 all is well, 1 it is not, 77 no Chromium or Selenium
"""
import sys

sys.dont_write_bytecode = True
import checks  # noqa: E402
import sample_pages  # noqa: E402
from checks import expect  # noqa: E402
from timeline_page import key, width  # noqa: E402

# Over a quarter of the chart's height. Selenium's wheel has no modifiers.
WHEEL_WITH_SHIFT = """
const [canvas] = arguments;
const chart = dfrsTimeline.page.charts[0];
const box = canvas.getBoundingClientRect();
const y = chart.rows / chart.ratio / 4;
const before = chart.nodeAt(y);
canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -300, shiftKey: true, clientX: box.left + 300, clientY: box.top + y,
  bubbles: true, cancelable: true}));
return [before, chart.nodeAt(y)];
"""


def check_moves_in_view(browser, page):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
    browser.open(page)
    whole = browser.js("return dfrsTimeline.view()")
    canvas = browser.driver.find_element("css selector", ".run canvas")
    ActionChains(browser.driver).scroll_from_origin(ScrollOrigin.from_element(canvas), 0, -600).perform()
    browser.settled()
    wheeled = browser.js("return dfrsTimeline.view()")
    expect("the wheel zooms in", width(wheeled) < 0.7 * width(whole))
    ActionChains(browser.driver).drag_and_drop_by_offset(canvas, 150, 0).perform()
    browser.settled()
    dragged = browser.js("return dfrsTimeline.view()")
    expect("a drag keeps the width", abs(width(dragged) / width(wheeled) - 1) < 1e-6)
    expect("a drag to the right shows earlier times", dragged["begin"] < wheeled["begin"])
    closer = key(browser, "+")
    expect("+ zooms in", width(closer) < width(dragged))
    expect("an arrow pans", key(browser, "ARROW_RIGHT")["begin"] > closer["begin"])
    fewer = key(browser, "PAGE_UP")
    expect("Page Up zooms in nodes", fewer["last"] - fewer["first"] < 1)
    more = key(browser, "PAGE_DOWN")
    expect("Page Down zooms out", more["last"] - more["first"] > fewer["last"] - fewer["first"])
    expect("neither changes the time", [more["begin"], more["end"]], [fewer["begin"], fewer["end"]])
    rows = browser.js(WHEEL_WITH_SHIFT, canvas)
    browser.settled()
    low = browser.js("return dfrsTimeline.view()")
    expect("Shift and the wheel zoom in nodes", low["last"] - low["first"] < 0.8)
    expect("the node under the pointer stays there", abs(rows[0] - rows[1]) < 0.2)
    expect("but not in time", [low["begin"], low["end"]], [more["begin"], more["end"]])
    down = key(browser, "ARROW_DOWN")
    expect("an arrow down pans in nodes", down["first"] > low["first"])
    key(browser, "HOME")
    ActionChains(browser.driver).double_click(canvas).perform()
    browser.until(f"dfrsTimeline.view().end - dfrsTimeline.view().begin < {0.6 * width(whole)}", 5)
    browser.js("dfrsTimeline.page.select(undefined)")
    browser.wait_js("setTimeout(arguments[0], 400)")  # the zoom of a double click glides
    back = key(browser, "HOME")
    expect("Home shows the whole run", [back[name] for name in ("first", "last")], [0, 1])
    expect("Home shows all of its time", abs(width(back) - width(whole)) < 1e-6 * width(whole))
    browser.js("const {begin} = dfrsTimeline.view(); dfrsTimeline.show(begin + 1000, begin + 1010)")
    browser.settled()
    expect("seconds are reached", abs(width(browser.js("return dfrsTimeline.view()")) - 10) < 1e-3)
    expect("console", browser.errors(), [])


# Pans by whole pixels and hatches, twice, so that the second picture is a copy out of a larger one; then draws the same view afresh.
PANNED = """
const {page} = dfrsTimeline;
const chart = page.charts[0];
const span = page.whole.end - page.whole.begin;
page.show(page.whole.begin + 0.4 * span, page.whole.begin + 0.6 * span);
page.draw();
for (const columns of [40, 92]) {
  const {begin, end} = page.time;
  const by = columns * (end - begin) / chart.columns;
  page.show(begin + by, end + by);
  page.draw();
}
const look = () => {
  const copy = new OffscreenCanvas(chart.canvas.width, chart.canvas.height).getContext('2d', {willReadFrequently: true});
  copy.drawImage(chart.canvas, 0, 0);
  return new Uint32Array(copy.getImageData(0, 0, chart.canvas.width, chart.canvas.height).data.buffer);
};
const copied = look();
const covers = chart.cover.columns;
chart.cover = undefined;
page.draw();
const fresh = look();
let differ = 0;
for (let k = 0; k < fresh.length; k++) differ += fresh[k] !== copied[k];
const back = new Set(fresh).size;
return [covers > chart.columns, differ / fresh.length, back];
"""


def check_pans(browser, page):
    browser.open(page)
    copied, differ, seen = browser.js(PANNED)
    expect("a pan copies out of a larger picture", copied)
    expect("the picture has colours", seen > 3)
    # An edge between two pixels may round to the one or the other.
    expect(f"a pan shows what a fresh picture shows (but for {differ:.2%})", differ < 0.002)
    expect("console", browser.errors(), [])


def check_keys(browser, page, log):
    """Jobs by keys alone: the next and the previous one in view, its whole life, and the table."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys
    browser.open(page)
    selected = "return dfrsTimeline.page.job ?? null"
    jobs = [job for job, _ in sorted(log.first.items())]
    key(browser, "n")
    first = browser.js(selected)
    expect("N selects the first job", first, jobs[0])
    key(browser, "n")
    expect("N selects the next job", browser.js(selected), jobs[1])
    key(browser, "p")
    expect("P goes back", browser.js(selected), first)
    key(browser, "P")
    expect("P goes round, in capitals, too", browser.js(selected), jobs[-1])
    whole = browser.js("return dfrsTimeline.view()")
    life = key(browser, "ENTER")
    expect("Enter zooms to the job", width(life) < 0.5 * width(whole))
    expect("from its start", life["begin"] < log.first[jobs[-1]] < life["end"])
    key(browser, "ESCAPE")
    key(browser, "HOME")
    # From the chart on with Tab alone: to the buttons of the table, and Enter there.
    chart = browser.driver.find_element("css selector", ".run canvas")
    chart.send_keys("")
    browser.js("arguments[0].focus()", chart)
    for _ in range(40):
        ActionChains(browser.driver).send_keys(Keys.TAB).perform()
        if browser.js("return document.activeElement.closest('#table tbody') !== null"):
            break
    expect("Tab reaches the table", browser.js("return document.activeElement.textContent"), str(jobs[0]))
    ActionChains(browser.driver).send_keys(Keys.TAB).send_keys(Keys.ENTER).perform()
    expect("Enter in the table selects", browser.js(selected), jobs[1])
    expect("and shows the job", f"Job {jobs[1]} under Triage" in browser.driver.find_element("id", "details").text)
    more = browser.driver.find_element("id", "more")
    rows = len(browser.driver.find_elements("css selector", "#table tbody tr"))
    more.send_keys(Keys.ENTER)
    browser.settled()
    expect("more rows by Enter", len(browser.driver.find_elements("css selector", "#table tbody tr")) > rows)
    # The help, and the lines of a panel, which its legend turns off.
    browser.driver.find_element("id", "help-button").send_keys(Keys.ENTER)
    expect("the help is shown", browser.driver.find_element("id", "help").is_displayed())
    expect("and says so", browser.driver.find_element("id", "help-button").get_attribute("aria-expanded"), "true")
    legend = browser.driver.find_elements("css selector", "#panels .u-legend .u-series th")[1]
    browser.js("arguments[0].scrollIntoView()", legend)
    legend.click()
    expect("a click in the legend turns a line off",
           browser.js("return dfrsTimeline.page.panels.plots[0].series.map((line) => line.show)"), [True, False, True])
    # By keys: back on, and the second one off.
    browser.js("arguments[0].querySelector('button').focus()", legend)
    ActionChains(browser.driver).send_keys(Keys.ENTER).send_keys(Keys.TAB).send_keys(Keys.SPACE).perform()
    expect("keys turn lines on and off", browser.js(
        "return dfrsTimeline.page.panels.plots[0].series.slice(1).map((line) => [line.show, line.label.textContent, line.label.ariaPressed])"),
        [[True, "in use", "true"], [False, "needed", "false"]])
    expect("console", browser.errors(), [])


def test(browser, folder):
    log = sample_pages.write_run(folder)
    check_pans(browser, folder / "run.html")
    check_moves_in_view(browser, folder / "run.html")
    check_keys(browser, folder / "run.html", log)


if __name__ == "__main__":
    sys.exit(checks.main(test))
