#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs in a timeline, in headless Chromium: search, filters, the table, and what is told of each.

Usage: tests/browser/timeline_jobs_test.py      with the program in $DFRS_SIM; screenshots go to $DFRS_SCREENSHOTS, if set.
Exit: 0 all is well, 1 it is not, 77 no Chromium or Selenium
"""
import json
import subprocess
import sys

sys.dont_write_bytecode = True
import checks  # noqa: E402
import sample_pages  # noqa: E402
from checks import SIM, check_looks, expect  # noqa: E402
from sample_pages import USERS  # noqa: E402
from timeline_page import key  # noqa: E402


def check_jobs(browser, page, log):
    from selenium.webdriver import ActionChains
    browser.open(page)
    # The one with the thickest bar, so that a pixel hits it.
    job = browser.js(
        "const {run} = dfrsTimeline.page.charts[0]; const share = (job) => {"
        "const stay = run.staysOf(run.numbers.get(job))[0]; const time = (run.from[stay] + run.to[stay]) / 2;"
        "return run.stack(run.node[run.nodeFirst[stay]], time).find((each) => each.stay === stay)?.share ?? 0; };"
        "return arguments[0].reduce((best, job) => share(job) > share(best) ? job : best)", sorted(log.pausing))
    box = browser.driver.find_element("id", "search")
    box.send_keys(f"{job}\n")
    browser.settled()
    details = browser.driver.find_element("id", "details").text
    expect("the search selects the job", f"Job {job} under Triage" in details)
    expect("the details name its pauses", "paused for" in details and "resumed" in details)
    expect("the address has the job", f"job={job}" in browser.js("return location.hash"))
    link = browser.js("return location.hash")
    seen = browser.js("return dfrsTimeline.view()")
    browser.open(page, link)
    again = browser.js("return dfrsTimeline.view()")
    expect("a link shows the same range", all(abs(seen[name] - again[name]) < 2e-3 for name in ("begin", "end")))
    expect("a link selects the job", f"Job {job} under" in browser.driver.find_element("id", "details").text)
    # The middle of a bar of the job, in the page's coordinates.
    x, y = browser.js(
        "const chart = dfrsTimeline.page.charts[0]; const {run} = chart; const stay = run.staysOf(run.numbers.get(arguments[0]))[0];"
        "const time = (run.from[stay] + run.to[stay]) / 2; const node = run.node[run.nodeFirst[stay]];"
        "const own = run.stack(node, time).find((each) => each.stay === stay);"
        "const row = node + 1 - own.low - own.share / 2;"
        "return [GUTTER + chart.columnOf(time) / chart.ratio, chart.rowOf(row) / chart.ratio]", job)
    canvas = browser.driver.find_element("css selector", ".run canvas")
    left, top = x - canvas.size["width"] / 2, y - canvas.size["height"] / 2
    ActionChains(browser.driver).move_to_element_with_offset(canvas, round(left), round(top)).perform()
    tip = browser.driver.find_element("id", "tip").text
    expect("the tip names the job", f"job {job}" in tip)
    key(browser, "ESCAPE")
    expect("Escape selects none", browser.driver.find_element("id", "details").is_displayed(), False)
    ActionChains(browser.driver).move_to_element_with_offset(canvas, round(left), round(top)).click().perform()
    expect("a click selects the job", f"Job {job} under" in browser.driver.find_element("id", "details").text)
    expect("no job of that number", browser.js("return dfrsTimeline.find(987654321)"), False)
    check_filters(browser, page, log)
    expect("console", browser.errors(), [])


def check_names(browser, page, log):
    """What a screen reader is told: tables with their names and headings, and what the charts show."""
    browser.open(page)
    job = sorted(log.pausing)[0]
    browser.js("dfrsTimeline.find(arguments[0])", job)
    browser.settled()
    names = {}
    for node in browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]:
        if not node["ignored"]:
            names.setdefault(node["role"]["value"], set()).add(node.get("name", {}).get("value", ""))
    expect("tables with names", {"Jobs in view", f"Stays of job {job} on nodes under Triage"} - names.get("table", set()), set())
    expect("no table without one", "" in names.get("table", ()), False)
    headings = {"job", "waited", "paused for", "pauses", "ended", "from", "penalty", "mean yield", "nodes"}
    expect("headings of columns", headings - names.get("columnheader", set()), set())
    charts = names.get("image", set()) | names.get("img", set())
    expect("the chart of nodes", [name for name in charts if name.startswith("Nodes over time under Triage")] != [])
    expect("the panels", {"Mean yield of running jobs", "Memory held by running jobs"} - charts, set())
    expect("headings without a scope", browser.js("return document.querySelectorAll('th:not([scope])').length"), 0)


def check_filters(browser, page, log):
    for name, jobs in (("paused", log.pausing), ("moved", log.moving)):
        browser.open(page)
        browser.driver.find_element("id", name).click()
        browser.settled()
        expect(f"jobs left by the filter '{name}'", sorted(browser.js(
            "const chart = dfrsTimeline.page.charts[0]; return Array.from(chart.run.id.filter((_, k) => chart.shown[k]))")),
            sorted(jobs))
        note = browser.driver.find_element("id", "table-note").text
        expect("the table says how many", note.startswith(f"{len(jobs)} jobs in view"))
        expect("the address has the filter", f"{name}=1" in browser.js("return location.hash"))
    rows = browser.driver.find_elements("css selector", "#table tbody tr")
    expect("rows of the table", len(rows), min(100, len(log.moving)))


def check_reasons(browser, folder, log):
    """The page tells of each job what --explain tells, at the same times and in the same words. Of a long story it has the
    newest part (kMostTold in sim/timeline/told.h, which counts events that are not told, too)."""
    told = {"waits", "started", "resumed", "moved", "paused"}
    jobs = [*sorted(log.pausing)[:3], *sorted(log.moving)[:3], *sorted(log.first)[:3]]
    wanted = {}
    for job in jobs:
        done = subprocess.run([SIM, "run", folder / "trace.dfrs", "-a", "Triage", "--no-bound", "--explain", str(job), "--json"],
                              capture_output=True, text=True, timeout=100, check=True)
        events = json.loads(done.stdout)["explanation"]["events"]
        wanted[job] = [event for event in events if event["event"] in told]
    for page, run in (("run", 0), ("replay", 0), ("timeline", 1)):
        browser.open(folder / f"{page}.html")
        for job, events in wanted.items():
            got = browser.js("return dfrsTimeline.told(arguments[0], arguments[1])", job, run)
            if len(events) > 30:
                expect(f"{page}: most of the story of job {job}", len(got) >= 30)
                events = events[-len(got):]
            expect(f"{page}: times of job {job}", [line["time"] for line in got], [round(event["t"], 3) for event in events])
            expect(f"{page}: what happened to job {job}", [line["text"] for line in got], [event["text"] for event in events])
    said = " ".join(event["text"] for events in wanted.values() for event in events)
    expect("reasons name nodes and resources", [word in said for word in (" on node", "too little memory left")], [True, True])
    job = jobs[0]
    browser.open(folder / "run.html", f"#job={job}")
    browser.settled()
    text = browser.driver.find_element("id", "details").text
    for event in wanted[job]:
        if event["event"] == "paused":
            expect("the details say why", event["text"] in text)


def check_sizes(browser, page, trace):
    """The filter by the number of tasks."""
    tasks = {int(row[0]): int(row[2]) for row in (line.split() for line in open(trace, encoding="utf-8")) if row[0] != ";"}
    browser.open(page)
    for least, most in ((4, None), (2, 8), (None, 1)):
        for name, value in (("least", least), ("most", most)):
            box = browser.driver.find_element("id", name)
            box.clear()
            box.send_keys("\n" if value is None else f"{value}\n")
        browser.settled()
        wanted = sorted(job for job, count in tasks.items() if (least or 1) <= count <= (most or count))
        expect(f"jobs of {least} to {most} tasks", sorted(browser.js(
            "const chart = dfrsTimeline.page.charts[0]; return Array.from(chart.run.id.filter((_, k) => chart.shown[k]))")),
            wanted)
        expect("the table says how many", browser.driver.find_element("id", "table-note").text.startswith(f"{len(wanted)} jobs"))
        address = browser.js("return location.hash")
        expect("the address has the sizes", ["least=" in address, "most=" in address], [least is not None, most is not None])
    expect("console", browser.errors(), [])


def check_users(browser, page):
    """Colours and the filter by user, user 0 of a log included."""
    browser.open(page)
    for user in (0, USERS - 1):
        box = browser.driver.find_element("id", "user")
        box.clear()
        box.send_keys(f"{user}\n")
        browser.settled()
        expect(f"jobs of user {user}", browser.js(
            "const chart = dfrsTimeline.page.charts[0]; return Array.from(chart.run.id.filter((_, k) => chart.shown[k]))"),
            [job for job in range(1, 61) if job % USERS == user])
    browser.driver.find_element("id", "user").clear()
    colours = browser.js(
        "const {run} = dfrsTimeline.page.charts[0]; const all = run.id.map(() => 1);"
        "return Array.from(colours.ofJobs(run, 'user', all), (colour, job) => [run.user[job], colour])")
    expect("a colour for each user", len({tuple(each) for each in colours}), USERS)
    expect("colours of users", len({colour for _, colour in colours}), USERS)
    expect("console", browser.errors(), [])


def check_comparison(browser, page):
    """Whose jobs the table lists, and how to get to those of the other run."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys
    browser.open(page)
    browser.settled()
    note = browser.driver.find_element("id", "table-note")
    expect("the table of the first run", ["in view under EASY" in note.text, note.text.partition("; ")[2]],
           [True, "for those under Triage, click or focus its chart"])
    first, second = browser.driver.find_elements("css selector", ".run canvas")
    browser.js("arguments[0].focus()", first)
    ActionChains(browser.driver).send_keys(Keys.TAB).perform()
    expect("Tab goes to the second chart", browser.js("return document.activeElement === arguments[0]", second))
    expect("the table of the second run", ["in view under Triage" in note.text, note.text.partition("; ")[2]],
           [True, "for those under EASY, click or focus its chart"])
    pauses = browser.js("return [...document.querySelectorAll('#table tbody tr')].map((row) => Number(row.cells[8].textContent))")
    expect("with its jobs, which are paused", sum(pauses) > 0)
    expect("console", browser.errors(), [])


# How many yields of the selected job the page lists, and those that it has.
LISTED = """
const {run} = dfrsTimeline.page.charts[0];
const stays = Array.from(run.staysOf(run.numbers.get(arguments[0])));
return [document.querySelectorAll('#details tbody tr').length,
  [...document.querySelectorAll('#details tbody tr')].reduce((sum, row) => sum + row.cells[6].textContent.split(' from ').length - 1, 0),
  stays.length, stays.reduce((sum, stay) => sum + run.stepFirst[stay + 1] - run.stepFirst[stay], 0)];
"""


def check_yields(browser, page):
    """A job whose yield changes often: the page lists some of its yields, and all of them if it is asked to."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys
    browser.open(page)
    browser.js("dfrsTimeline.find(1)")
    browser.settled()
    rows, listed, stays, all_ = browser.js(LISTED, 1)
    expect("some yields of a long stay", [rows, listed < all_, all_ > 60], [stays, True, True])
    expect("it says that there are more", "more" in browser.driver.find_element("id", "details").text)
    button = browser.driver.find_element("css selector", "#details .toggle")
    expect("it offers all", button.text, f"List all: {stays} stay{'s' if stays > 1 else ''} on nodes, {all_} yields")
    browser.js("arguments[0].focus()", button)
    ActionChains(browser.driver).send_keys(Keys.ENTER).perform()
    expect("all yields", browser.js(LISTED, 1)[:2], [stays, all_])
    ActionChains(browser.driver).send_keys(Keys.ENTER).perform()
    expect("fewer again", browser.js(LISTED, 1)[1], listed)
    ActionChains(browser.driver).send_keys(Keys.ENTER).perform()
    browser.js("dfrsTimeline.find(2); dfrsTimeline.find(1)")
    expect("another job was selected since", browser.js(LISTED, 1)[1], listed)
    browser.js("dfrsTimeline.find(2)")
    expect("a job without more has no button", browser.driver.find_elements("css selector", "#details .toggle"), [])
    expect("console", browser.errors(), [])


def test(browser, folder):
    log = sample_pages.write_run(folder)
    sample_pages.write_replay(folder)
    sample_pages.write_comparison(folder)
    sample_pages.write_users(folder)
    sample_pages.write_busy(folder)
    check_looks(browser, [folder / f"{name}.html" for name in ("users", "busy")])
    check_jobs(browser, folder / "run.html", log)
    check_names(browser, folder / "run.html", log)
    check_reasons(browser, folder, log)
    check_sizes(browser, folder / "run.html", folder / "trace.dfrs")
    check_users(browser, folder / "users.html")
    check_comparison(browser, folder / "timeline.html")
    check_yields(browser, folder / "busy.html")


if __name__ == "__main__":
    sys.exit(checks.main(test))
