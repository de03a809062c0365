#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages of compare, report, advise, reproduce and demo, in headless Chromium: tables, figures, links, and no request to
the network.

Usage: tests/browser/reports_test.py      with the program in $DFRS_SIM; screenshots go to $DFRS_SCREENSHOTS, if set.
Exit: 0 all is well, 1 it is not, 77 no Chromium or Selenium
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import checks  # noqa: E402
import sample_pages  # noqa: E402
from checks import check_looks, expect  # noqa: E402
from sample_pages import REPRODUCED  # noqa: E402
from timeline_page import width  # noqa: E402


def check_requests(browser, folder):
    """A page that loads a file beside it would be found out."""
    (folder / "beside.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", encoding="utf-8")
    leaky = folder / "leaky.html"
    leaky.write_text("<!DOCTYPE html><link rel='icon' href='data:,'><img src='beside.svg'>", encoding="utf-8")
    browser.open(leaky)
    expect("a file beside the page", [Path(url).name for url in browser.requests()], ["beside.svg"])


def check_reports(browser, pages):
    """Reports of compare and of published results: tables, figures that are drawn, and links within the page."""
    for page in pages:
        browser.open(page)
        name = f"{page.parent.name}/{page.stem}"
        expect(f"{name}: tables", browser.js("return document.querySelectorAll('table').length") > 0)
        expect(f"{name}: empty rows", browser.js(
            "return [...document.querySelectorAll('table')].filter((table) => table.rows.length < 2).length"), 0)
        expect(f"{name}: figures without a size", browser.js(
            "return [...document.querySelectorAll('img, svg')].filter((each) => !(each.getBoundingClientRect().width > 50)).length"), 0)
        expect(f"{name}: broken links", browser.js(
            "return [...document.querySelectorAll('a[href^=\"#\"]')].filter((each) => !document.getElementById(each.hash.slice(1))).length"), 0)
        expect(f"{name}: not wider than the window", browser.js(
            "return document.documentElement.scrollWidth <= window.innerWidth"))
        expect("console", browser.errors(), [])


def check_advice(browser, page):
    """The charts, and the timeline of the worst day within the page."""
    browser.open(page)
    expect("charts of the advice", browser.js("return document.querySelectorAll('figure svg').length"), 1)
    frame = browser.driver.find_element("css selector", "iframe")
    browser.driver.execute_script("arguments[0].scrollIntoView()", frame)
    browser.driver.switch_to.frame(frame)
    browser.settled()
    expect("two runs of the worst day", browser.js("return dfrsTimeline.runs.length"), 2)
    view = browser.js("return dfrsTimeline.view()")
    expect("a day", width(view), 86400)
    jobs = browser.js("return dfrsTimeline.runs.map((run) => run.id.length)")
    expect("jobs on that day", min(jobs) > 0)
    browser.driver.find_element("id", "search").send_keys(f"{browser.js('return dfrsTimeline.runs[0].id[0]')}\n")
    browser.settled()
    expect("a job's details within the page", "Job" in browser.driver.find_element("id", "details").text)
    check_link_to_frame(browser, page)
    expect("console", browser.errors(), [])


# What the timeline shows.
VIEW = ("(({time, nodes, job, colour}) => JSON.stringify([Math.round(time.begin), Math.round(time.end), nodes, job ?? null,"
        " colour]))(dfrsTimeline.page)")


def check_link_to_frame(browser, page):
    """In the frame: the page's address holds the view of the timeline, so that a link or a new address shows it."""
    def frame(condition):
        element = browser.driver.find_element("css selector", "iframe")
        browser.js("arguments[0].scrollIntoView()", element)  # out of sight it does not draw
        browser.driver.switch_to.frame(element)
        browser.until(f"window.dfrsTimeline !== undefined && {condition}")

    job = browser.js("return dfrsTimeline.page.job")
    begin = browser.js("return dfrsTimeline.page.whole.begin")
    browser.js("dfrsTimeline.show(arguments[0], arguments[1])", begin + 3600, begin + 7200)
    browser.settled()
    shown = browser.js(f"return {VIEW}")
    browser.driver.switch_to.default_content()
    browser.until("location.hash.includes('t=')")
    words = browser.js("return location.hash")
    expect("the view in the page's address", (words.startswith("#t="), f"job={job}" in words), (True, True))
    browser.open(page, words)
    frame(f"{VIEW} === '{shown}'")
    browser.js("dfrsTimeline.page.showWhole(); dfrsTimeline.page.select(undefined)")
    browser.settled()
    browser.driver.switch_to.default_content()
    browser.until("location.hash === ''")
    browser.js("location.hash = arguments[0]", words)
    frame(f"{VIEW} === '{shown}'")
    browser.driver.switch_to.default_content()


def test(browser, folder):
    sample_pages.write_run(folder)
    sample_pages.write_comparison(folder)
    sample_pages.write_reports(folder)
    pages = sorted(folder.rglob("*.html"))
    check_looks(browser, [page for page in pages if page.stem not in ("run", "timeline")])
    check_requests(browser, folder)
    reports = [page for page in pages if page.parent.name in ("reproduce", "demo") or page.stem in ("report", "compare")]
    expect("reports", [page.stem for page in reports], ["compare", "report", "report", *REPRODUCED])
    check_reports(browser, reports)
    check_advice(browser, folder / "advise.html")
    print(f"{len(pages)} pages: {', '.join(page.stem for page in pages)}")


if __name__ == "__main__":
    sys.exit(checks.main(test))
