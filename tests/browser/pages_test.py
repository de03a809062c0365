#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every HTML page that dfrs-sim writes, in headless Chromium: no error in the console, no request to the network, in
light, dark and print; and the timelines against the logs of their runs.

Usage: tests/browser/pages_test.py      with the program in $DFRS_SIM; screenshots go to $DFRS_SCREENSHOTS, if set.
Exit: 0 all is well, 1 it is not, 77 no Chromium or Selenium
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import chromium  # noqa: E402
from run_log import RunLog  # noqa: E402

SIM = os.environ.get("DFRS_SIM", "./dfrs-sim")
ROOT = Path(__file__).resolve().parents[2]
USERS = 5
failures = []


def expect(what, got, wanted=True):
    if got != wanted:
        failures.append(f"{what}: {str(got)[:400]}, expected {str(wanted)[:400]}")


def sim(*words):
    done = subprocess.run([SIM, *map(str, words)], capture_output=True, text=True, timeout=100)
    if done.returncode != 0:
        failures.append(f"dfrs-sim {' '.join(map(str, words))}: exit {done.returncode}: {done.stderr[-400:]}")


def write_pages(folder):
    """Runs every subcommand that writes HTML. Returns the pages."""
    trace = folder / "trace.dfrs"
    with open(trace, "w", encoding="utf-8") as out:
        subprocess.run([SIM, "generate", "--jobs", "300", "--nodes", "32", "--load", "0.9", "--seed", "5"], check=True,
                       stdout=out)
    sim("run", trace, "-a", "Triage", "--report", folder / "run.html", "--log", folder / "run.log", "--record",
        folder / "run.jsonl.gz", "--evalys", folder / "evalys.csv", "--perfetto", folder / "perfetto.json", "--paje", folder / "run.trace")
    sim("replay", folder / "run.jsonl.gz", "--report", folder / "replay.html")
    log = folder / "users.swf"
    log.write_text("; MaxNodes: 8\n; MaxProcs: 8\n" + "".join(
        f"{k} {20 * k} -1 600 {k % 4 + 1} -1 -1 {k % 4 + 1} 900 -1 1 {k % USERS} -1 -1 -1 -1 -1 -1\n" for k in range(1, 61)),
        encoding="utf-8")
    sim("run", log, "-a", "Triage", "--report", folder / "users.html")
    sim("compare", trace, "-a", "EASY,Triage", "--report", folder / "compare.html", "--timeline",
        folder / "timeline.html", "-o", folder / "results.csv")
    sim("report", folder / "results.csv", "-o", folder / "report.html")
    sim("advise", "--sacct", ROOT / "tests/golden/accounting.txt", "-o", folder / "advise.html")
    sim("reproduce", "dynp", "--parts", "table3", "--sets", "1", "-o", folder / "reproduce")
    sim("demo", "--output", folder / "demo", trace)
    return sorted(folder.rglob("*.html"))


def check_looks(browser, pages, shots):
    for page in pages:
        name = f"{page.parent.name}-{page.stem}" if page.parent.name in ("reproduce", "demo") else page.stem
        for media, scheme in (("screen", "light"), ("screen", "dark"), ("print", "light")):
            browser.media(media, scheme)
            browser.open(page)
            expect(f"{name}, {media}, {scheme}: console", browser.errors(), [])
            expect(f"{name}, {media}, {scheme}: requests", browser.requests(), [])
            expect(f"{name}: has a title", bool(browser.driver.title))
            back = browser.js("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
            if page.stem in ("run", "replay", "timeline", "users"):
                expect(f"{name}, {media}, {scheme}: dark page", sum(back[:3]) < 200, scheme == "dark")
            if shots:
                browser.driver.save_screenshot(str(shots / f"{name}-{media}-{scheme}.png"))
    browser.media()


def check_states(browser, log, what, run=0):
    counts = browser.js("return dfrsTimeline.counts(arguments[0])", run)
    for name, count in log.counts.items():
        expect(f"{what}: {name}", counts[name], count)
    instants = log.between(150)
    states = browser.js("return arguments[0].map((time) => dfrsTimeline.state(time, arguments[1]))", instants, run)
    for time, state in zip(instants, states):
        running, waiting, paused = log.at(time)
        expect(f"{what}: waiting at {time}", sorted(state["waiting"]), sorted(waiting))
        expect(f"{what}: paused at {time}", sorted(state["paused"]), sorted(paused))
        expect(f"{what}: nodes at {time}", {each["job"]: each["nodes"] for each in state["running"]},
               {job: nodes for job, (_, nodes) in running.items()})
        for each in state["running"]:
            expect(f"{what}: yield of {each['job']} at {time}", abs(each["yield"] - running[each["job"]][0]) < 1e-5)
    return instants


def check_bars(browser, log, instants):
    """Points of the chart, by the height that the share of each job should have there."""
    for time in instants[::10]:
        running, _, _ = log.at(time)
        for job, (value, nodes) in list(running.items())[:3]:
            got = browser.js(
                "const run = dfrsTimeline.runs[0]; const [time, node, job] = arguments;"
                "const own = run.stack(node, time).find((each) => run.id[each.job] === job);"
                "const need = run.need[run.numbers.get(job)] / run.nodeCpu[node];"
                "return own && [own.share, need]", time, nodes[0], job)
            expect(f"job {job} on node {nodes[0]} at {time}", got is not None)
            if got:
                expect(f"share of job {job} at {time}", abs(got[0] - got[1] * value * nodes.count(nodes[0])) < 1e-4)


def key(browser, name):
    from selenium.webdriver.common.keys import Keys
    browser.driver.find_element("css selector", ".run canvas").send_keys(getattr(Keys, name, name))
    browser.settled()
    return browser.js("return dfrsTimeline.view()")


def width(view):
    return view["end"] - view["begin"]


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
    expect("Page Up zooms in nodes", key(browser, "PAGE_UP")["last"] - browser.js("return dfrsTimeline.view().first") < 1)
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


def check_reasons(browser, folder, log):
    """The page tells of each job what --explain tells, at the same times; pauses in the same words."""
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
            expect(f"{page}: times of job {job}", [line["time"] for line in got], [round(event["t"], 3) for event in events])
            for line, event in zip(got, events):
                if event["event"] == "paused":
                    expect(f"{page}: pause of job {job}", line["text"], event["text"])
    job = jobs[0]
    browser.open(folder / "run.html", f"#job={job}")
    browser.settled()
    text = browser.driver.find_element("id", "details").text
    for event in wanted[job]:
        if event["event"] == "paused":
            expect("the details say why", event["text"] in text)


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
    browser.driver.switch_to.default_content()
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


def check_exports(folder, log):
    rows = list(csv.DictReader(open(folder / "evalys.csv", encoding="utf-8")))
    counts = log.counts
    expect("rows for Evalys", len(rows), counts["starts"] + counts["resumes"] + counts["moves"])
    expect("completed rows", sum(row["success"] == "1" for row in rows), counts["completed"])
    for row in rows:
        if "#" not in row["job_id"]:
            expect(f"start of job {row['job_id']}", float(row["starting_time"]), log.first[int(row["job_id"])])
    events = json.load(open(folder / "perfetto.json", encoding="utf-8"))["traceEvents"]
    bars = [event for event in events if event["ph"] == "X"]
    nodes = sum(len(row["allocated_resources"].split()) > 0 for row in rows)
    expect("every row has nodes", nodes, len(rows))
    expect("bars for Perfetto", len(bars), sum(int(row["requested_number_of_resources"]) for row in rows))
    begun = [line for line in open(folder / "run.trace", encoding="utf-8") if line.startswith("4 ") and "job" in line]
    expect("states for Paje", len(begun), len(bars))
    free = {}
    for bar in bars:
        thread = (bar["pid"], bar["tid"])
        expect("bars of a thread do not overlap", bar["ts"] >= free.get(thread, 0))
        free[thread] = bar["ts"] + bar["dur"]


def main():
    shots = Path(os.environ["DFRS_SCREENSHOTS"]) if os.environ.get("DFRS_SCREENSHOTS") else None
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    browser = chromium.Browser()
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            pages = write_pages(folder)
            log = RunLog(folder / "run.log")
            expect("the run pauses and moves jobs", min(log.counts["pauses"], log.counts["moves"]) > 0)
            check_looks(browser, pages, shots)
            for page, run in (("run", 0), ("replay", 0), ("timeline", 1)):
                browser.open(folder / f"{page}.html")
                instants = check_states(browser, log, page, run)
                if page == "run":
                    check_bars(browser, log, instants)
            check_pans(browser, folder / "run.html")
            check_moves_in_view(browser, folder / "run.html")
            check_jobs(browser, folder / "run.html", log)
            check_reasons(browser, folder, log)
            check_users(browser, folder / "users.html")
            check_advice(browser, folder / "advise.html")
            check_exports(folder, log)
            print(f"{len(pages)} pages: {', '.join(page.stem for page in pages)}")
    finally:
        browser.close()
    for failure in failures[:40]:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
