#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What timelines show, in headless Chromium, against the logs of their runs: bars, marks, panels and
colours; and the exports of a run.

Usage: tests/browser/timeline_picture_test.py      with the program in $DFRS_SIM; screenshots go to $DFRS_SCREENSHOTS, if set.
Exit: 0 all is well, 1 it is not, 77 no Chromium or Selenium
"""
import csv
import json
import sys

sys.dont_write_bytecode = True
import checks  # noqa: E402
import sample_pages  # noqa: E402
import shown_values  # noqa: E402
from checks import check_looks, expect  # noqa: E402
from timeline_page import PIXELS  # noqa: E402


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


# Draws the whole run and notes each triangle that goes onto the canvas: its colour, time and node.
DRAWN = """
const {page} = dfrsTimeline;
const chart = page.charts[arguments[0]];
page.showWhole();
page.draw();
const {begin, end} = page.time;
const seen = [];
const {moveTo, fill} = CanvasRenderingContext2D.prototype;
let at;
CanvasRenderingContext2D.prototype.moveTo = function (x, y) { at = [x, y]; moveTo.call(this, x, y); };
CanvasRenderingContext2D.prototype.fill = function () {
  if (this.canvas === chart.canvas) {
    const [x, y] = at;
    seen.push([begin + (x - GUTTER) * chart.ratio / chart.columns * (end - begin), this.fillStyle, Math.round(chart.nodeAt(y))]);
  }
  fill.call(this);
};
try {
  chart.draw();
} finally {
  Object.assign(CanvasRenderingContext2D.prototype, {moveTo, fill});
}
return seen;
"""
# How many pixels of its colour a mark has where it should be, in a view of the node and of some seconds.
MARKED = PIXELS + """
const [time, node, colour, run] = arguments;
const {page} = dfrsTimeline;
const chart = page.charts[run];
page.nodes = {first: node / chart.run.nodeCpu.length, last: (node + 1) / chart.run.nodeCpu.length};
page.show(time - 5, time + 5);
page.draw();
const x = Math.round((GUTTER + chart.columnOf(time) / chart.ratio) * chart.ratio);
const wanted = colours.pixel(colour);
return pixelsOf(chart, x - 6, 0, 12, 6).filter((pixel) => pixel === wanted).length;
"""
# A node's row in a view of nothing else, in an interval without events: how many pixels of its height each job has.
HEIGHTS = PIXELS + """
const [from, to, node] = arguments;
const {page} = dfrsTimeline;
const chart = page.charts[0];
const count = chart.run.nodeCpu.length;
page.nodes = {first: node / count, last: (node + 1) / count};
page.show(from, to);
page.draw();
const middle = Math.round((GUTTER + (chart.width - GUTTER - MARGIN) / 2) * chart.ratio);
const column = pixelsOf(chart, middle, 0, 1, chart.rows);
const jobs = new Map(Array.from(chart.run.id, (job) => [colours.pixelOfNumber(job), job]));
const heights = {};
for (const pixel of column) if (jobs.has(pixel)) heights[jobs.get(pixel)] = (heights[jobs.get(pixel)] ?? 0) + 1;
return [heights, chart.rows, chart.exact];
"""


def check_marks(browser, log, run=0):
    """Each triangle on the canvas against each event of the log."""
    kinds = browser.js("return colours.marks")
    names = dict(zip(kinds, ("start", "resume", "move", "pause")))
    drawn = sorted((names.get(colour), node, time) for time, colour, node in browser.js(DRAWN, run))
    wanted = sorted((kind, node, time) for time, kind, _, node in log.marks)
    for kind, name in (("start", "starts"), ("resume", "resumes"), ("move", "moves"), ("pause", "pauses")):
        expect(f"triangles of {name}", sum(each[0] == kind for each in drawn), log.counts[name])
    # Times within a thousandth of a pixel and the rounding to ms.
    differ = [(got, want) for got, want in zip(drawn, wanted) if got[:2] != want[:2] or abs(got[2] - want[2]) > 0.01]
    expect("triangles at other places than the log's events", differ, [])
    # What arrives in pixels, where no other mark is near.
    places = [(time, node) for time, _, _, node in log.marks]
    alone = [(time, kind, node) for time, kind, _, node in log.marks
             if sum(abs(other - time) < 1 and abs(at - node) < 2 for other, at in places) == 1]
    of_kind = {}
    for time, kind, node in alone:
        if len(of_kind.setdefault(kind, [])) < 5:
            of_kind[kind].append((time, node))
    for kind, seen in of_kind.items():
        colour = next(each for each, name in names.items() if name == kind)
        for time, node in seen:
            expect(f"the triangle of a {kind} at {time} on node {node}", browser.js(MARKED, time, node, colour, run) >= 4)
    expect("kinds of triangles", len(of_kind) >= 3)


def check_heights(browser, log, trace):
    """Shares by the pixels of the chart against the log and the trace."""
    fields = [line.split() for line in open(trace, encoding="utf-8") if line[0] != ";"]
    need = {int(row[0]): float(row[3]) for row in fields}
    serves = "return dfrsTimeline.state(arguments[0]).running.filter((job) => job.penalty).map((job) => job.job)"
    seen = shared = serving = 0
    for from_, to in log.intervals(40):
        middle = (from_ + to) / 2
        running, _, _ = log.at(middle)
        hatched = log.serving(middle)
        expect(f"jobs that serve a penalty at {middle}", sorted(browser.js(serves, middle)), sorted(hatched))
        edge = 0.2 * (to - from_)
        for node in sorted({nodes[0] for _, nodes in running.values()})[::3]:
            heights, rows, exact = browser.js(HEIGHTS, from_ + edge, to - edge, node)
            expect(f"node {node} at {middle} is exact", exact)
            here = {job: value * need[job] * nodes.count(node) for job, (value, nodes) in running.items() if node in nodes}
            # Of a hatched bar every other pair of rows.
            drawn = {job: share / 2 if job in hatched else share for job, share in here.items()}
            got = {int(job): height / rows for job, height in heights.items()}
            # A share of two rows or less may be drawn or not.
            expect(f"jobs drawn on node {node} at {middle}", sorted(got),
                   sorted(job for job in here if drawn[job] > 2 / rows or job in got))
            for job, share in drawn.items():
                expect(f"drawn share of job {job} on node {node} at {middle}", abs(got.get(job, 0) - share) <= 2.5 / rows)
            seen += len(here)
            serving += len(hatched & set(here))
            shared += len(here) > 1
    expect("shares that were read from the picture", seen > 100)
    expect("nodes that several jobs share", shared > 5)
    expect("bars of jobs that serve a penalty", serving > 5)
    browser.js("dfrsTimeline.page.showWhole()")


def check_values(browser, page, log, trace):
    """The lines of the panels, and colours by yield."""
    from selenium.webdriver.support.ui import Select
    browser.open(page)
    wrong, seen = shown_values.wrong_panels(browser, log, trace, 20)
    expect("panels", wrong, [])
    expect("values in the panels", {name: len(values) > 1 for name, values in seen.items()}, dict.fromkeys(seen, True))
    Select(browser.driver.find_element("id", "colour")).select_by_value("yield")
    browser.settled()
    expect("the address has the colour", "colour=yield" in browser.js("return location.hash"))
    wrong, seen = shown_values.wrong_yield_colours(browser, log, trace, 12)
    expect("colours by yield", wrong, [])
    expect("a job at full speed among several yields", [shown_values.FULL_YIELD in seen, len(seen) > 3], [True, True])
    expect("console", browser.errors(), [])


def check_words(browser, page):
    """Of 250 nodes a row is too low for marks, which is said; one is one."""
    def status():
        browser.settled()
        return browser.driver.find_element("id", "status").text

    browser.open(page)
    counts = browser.js("return dfrsTimeline.counts()")
    marks = sum(counts[name] for name in ("starts", "resumes", "moves", "pauses"))
    expect("marks that are left out", status().split("; ")[1:], ["every bar is drawn", f"{marks} marks not drawn: zoom in"])
    browser.js("dfrsTimeline.page.zoomNodes(4)")
    expect("none is left out", status().split("; ")[1:], ["every bar is drawn"])
    browser.js("dfrsTimeline.page.showWhole()")
    browser.driver.find_element("id", "search").send_keys("4\n")  # has one task
    browser.settled()
    expect("one task", "1 task, each" in browser.driver.find_element("id", "details").text)
    first = browser.js("const [run] = dfrsTimeline.runs; return [run.submit[0], run.submit[1]]")
    browser.js("dfrsTimeline.show(arguments[0], arguments[1])", first[0] + 1, first[1] - 1)
    browser.settled()
    expect("one job", browser.driver.find_element("id", "table-note").text, "1 job in view under Triage")
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


def test(browser, folder):
    log = sample_pages.write_run(folder)
    expect("the run pauses and moves jobs", min(log.counts["pauses"], log.counts["moves"]) > 0)
    sample_pages.write_replay(folder)
    sample_pages.write_comparison(folder)
    sample_pages.write_low(folder)
    check_looks(browser, [folder / f"{name}.html" for name in ("run", "replay", "timeline", "low")])
    for page, run in (("run", 0), ("replay", 0), ("timeline", 1)):
        browser.open(folder / f"{page}.html")
        instants = check_states(browser, log, page, run)
        if page == "run":
            check_bars(browser, log, instants)
            check_heights(browser, log, folder / "trace.dfrs")
        check_marks(browser, log, run)
    check_values(browser, folder / "run.html", log, folder / "trace.dfrs")
    check_words(browser, folder / "low.html")
    check_exports(folder, log)


if __name__ == "__main__":
    sys.exit(checks.main(test))
