#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every HTML page that dfrs-sim writes, in headless Chromium: no error in the console, no request to the network, in
light, dark and print; and the timelines against the logs of their runs.

Usage: tests/browser/pages_test.py      with the program in $DFRS_SIM; screenshots go to $DFRS_SCREENSHOTS, if set.
Exit: 0 all is well, 1 it is not, 77 no Chromium or Selenium
"""
import csv
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
import chromium  # noqa: E402
import live_page  # noqa: E402
import shown_values  # noqa: E402
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
    # Without reasons, as the live page has its timeline.
    bare = (folder / "run.html").read_text(encoding="utf-8")
    (folder / "bare.html").write_text(re.sub(r'<script [^>]*class="told".*?</script>', "", bare, flags=re.DOTALL), encoding="utf-8")
    log = folder / "users.swf"
    log.write_text("; MaxNodes: 8\n; MaxProcs: 8\n" + "".join(
        f"{k} {20 * k} -1 600 {k % 4 + 1} -1 -1 {k % 4 + 1} 900 -1 1 {k % USERS} -1 -1 -1 -1 -1 -1\n" for k in range(1, 61)),
        encoding="utf-8")
    sim("run", log, "-a", "Triage", "--report", folder / "users.html")
    sim("run", log, "-a", "Triage", "--nodes", 250, "--report", folder / "low.html")
    # The first job shares its node with one short job after the other.
    busy = folder / "busy.dfrs"
    busy.write_text("; dfrs-trace: 1\n; Name: busy\n; Nodes: 1 cpu 1 memory 1000\n1 0 1 1 10 10000 10000\n" + "".join(
        f"{k + 2} {100 + 100 * k} 1 1 10 20 20\n" for k in range(60)), encoding="utf-8")
    sim("run", busy, "-a", "Greedy*", "--report", folder / "busy.html")
    sim("compare", trace, "-a", "EASY,Triage", "--report", folder / "compare.html", "--timeline",
        folder / "timeline.html", "-o", folder / "results.csv")
    sim("report", folder / "results.csv", "-o", folder / "report.html")
    sim("advise", "--sacct", ROOT / "tests/golden/accounting.txt", "-o", folder / "advise.html")
    # The smallest part of each paper; logs of a few jobs with the names that are asked for.
    write_logs(folder / "logs")
    for name, parts in REPRODUCED.items():
        sim("reproduce", name, "--parts", parts, "--instances", "1", "--traces", folder / "logs", "-o", folder / "reproduce")
    sim("demo", "--output", folder / "demo", trace)
    return sorted(folder.rglob("*.html"))


REPRODUCED = {"dynp": "table3", "gang-cloud": "figure3-q25", "ipdps2010": "figure1a-text", "rivals": "weeks,gain",
              "rr5724": "table2", "rr7659": "figure3b", "sc15": "kth", "triage": "worlds-weeks,logs-kth"}


def write_logs(folder):
    folder.mkdir()

    def line(job, submit, time, processors, estimate, memory=-1):
        return f"{job} {submit} -1 {time} {processors} -1 {memory} {processors} {estimate} {memory} 1 1 -1 -1 -1 -1 -1 -1\n"

    weeks = [604800 * week for week in range(4)]
    (folder / "KTH-SP2-1996-2.1-cln.swf").write_text("; MaxProcs: 100\n" + "".join(
        line(k + 1, week + 5, 100, 10 * (k + 1), 200) for k, week in enumerate(weeks)), encoding="utf-8")
    (folder / "HPC2N-2002-2.1-cln.swf").write_text(
        "; Installation: High-Performance Computing Center North (HPC2N)\n; MaxNodes: 120\n; MaxProcs: 240\n" + "".join(
            line(2 * k + 1, week + 5, 10000, 240, 20000, 600000) + line(2 * k + 2, week + 1005, 60, 240, 100, 600000)
            for k, week in enumerate(weeks)), encoding="utf-8")


def check_looks(browser, pages, shots):
    for page in pages:
        name = f"{page.parent.name}-{page.stem}" if page.parent.name in ("reproduce", "demo") else page.stem
        for media, scheme in (("screen", "light"), ("screen", "dark"), ("print", "dark")):
            browser.media(media, scheme)
            browser.open(page)
            what = f"{name}, {media}, {scheme}"
            expect(f"{what}: console", browser.errors(), [])
            expect(f"{what}: requests", browser.requests(), [])
            expect(f"{name}: has a title", bool(browser.driver.title))
            check_colours(browser, what, dark=media == "screen" and scheme == "dark")
            if media == "print":
                expect(f"{what}: what is of no use on paper", browser.js(SHOWN, "#controls, #help, #more, #tip, #status, button, input, select"), [])
            if shots:
                browser.driver.save_screenshot(str(shots / f"{name}-{media}-{scheme}.png"))
    browser.media()


# Outside tables, where buttons are the numbers of jobs.
SHOWN = """
return [...document.querySelectorAll(arguments[0])].filter((each) => !each.closest('table') && each.getClientRects().length)
  .map((each) => each.id || each.tagName);
"""


def check_colours(browser, what, dark):
    """Dark or light as a whole: the page, its words and headings, and the cells of tables."""
    back, words = browser.js(
        "const lightness = (colour) => { const [r, g, b, a] = colour.match(/[\\d.]+/g).map(Number); return a === 0 ? null : r + g + b; };"
        "const style = (each) => getComputedStyle(each);"
        "const all = [...document.querySelectorAll('p, h1, h2, td, th, label, figcaption')].filter((each) => each.getClientRects().length && each.textContent.trim());"
        "return [lightness(style(document.body).backgroundColor), all.map((each) => [each.tagName, lightness(style(each).color), lightness(style(each).backgroundColor)])]")
    expect(f"{what}: dark page", (back if back is not None else 765) < 200, dark)
    wrong = [each for each in words if (each[2] is None or (each[2] < 383) == dark) and (each[1] < 383) == dark]
    expect(f"{what}: words that cannot be read", wrong[:5], [])
    expect(f"{what}: words", len(words) > 3)


def check_requests(browser, folder):
    """A page that loads a file beside it would be found out."""
    (folder / "beside.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", encoding="utf-8")
    leaky = folder / "leaky.html"
    leaky.write_text("<!DOCTYPE html><link rel='icon' href='data:,'><img src='beside.svg'>", encoding="utf-8")
    browser.open(leaky)
    expect("a file beside the page", [Path(url).name for url in browser.requests()], ["beside.svg"])


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
# The pixels of a small part of the chart, as the page shows it.
PIXELS = """
const pixelsOf = (chart, x, y, width, height) => {
  const copy = new OffscreenCanvas(width, height).getContext('2d', {willReadFrequently: true});
  copy.drawImage(chart.canvas, x, y, width, height, 0, 0, width, height);
  return new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer);
};
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
            expect(f"jobs drawn on node {node} at {middle}", sorted(got), sorted(job for job in here if drawn[job] > 2 / rows))
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


def key(browser, name):
    from selenium.webdriver.common.keys import Keys
    browser.driver.find_element("css selector", ".run canvas").send_keys(getattr(Keys, name, name))
    browser.settled()
    return browser.js("return dfrsTimeline.view()")


def width(view):
    return view["end"] - view["begin"]


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
    """The page tells of each job what --explain tells, at the same times and in the same words."""
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


def click_on(browser, job):
    """The middle of the thickest stay of a job in the timeline of the live page; the details that appear."""
    from selenium.webdriver import ActionChains
    frame = browser.driver.find_element("id", "timeline")
    browser.js("arguments[0].scrollIntoView()", frame)
    browser.driver.switch_to.frame(frame)
    canvas = browser.driver.find_element("css selector", ".run canvas")
    browser.js(NODE_OF, job)
    browser.settled()
    x, y = browser.js(BAR_OF, job)
    ActionChains(browser.driver).move_to_element_with_offset(
        canvas, round(x - canvas.size["width"] / 2), round(y - canvas.size["height"] / 2)).click().perform()
    text = browser.driver.find_element("id", "details").text
    browser.driver.switch_to.default_content()
    return text


# Shows a job's life on one node, and selects none.
NODE_OF = """
const {page, runs: [run]} = dfrsTimeline;
dfrsTimeline.find(arguments[0]);
const node = run.node[run.nodeFirst[run.staysOf(run.numbers.get(arguments[0]))[0]]];
page.nodes = {first: node / run.nodeCpu.length, last: (node + 1) / run.nodeCpu.length};
page.select(undefined);
"""
# The middle of a job's first bar, in the canvas's coordinates.
BAR_OF = """
const chart = dfrsTimeline.page.charts[0];
const {run} = chart;
const stay = run.staysOf(run.numbers.get(arguments[0]))[0];
const time = (run.from[stay] + run.to[stay]) / 2;
const node = run.node[run.nodeFirst[stay]];
const own = run.stack(node, time).find((each) => each.stay === stay);
return [GUTTER + chart.columnOf(time) / chart.ratio, chart.rowOf(node + 1 - own.low - own.share / 2) / chart.ratio];
"""
# Of the frame with the timeline.
TOLD = "document.getElementById('timeline').contentDocument.getElementById('details').textContent"
FRAME = "document.getElementById('timeline').contentWindow"


def check_live_page(folder, log, shots):
    """The page of dfrsctl web: looks, reasons by a click in its timeline, and no request to elsewhere."""
    times = [time for time in log.instants if log.at(time)[2]]
    at = times[len(times) // 2]
    controller = live_page.Controller(ROOT / "shim/web/page", (folder / "bare.html").read_text(encoding="utf-8"),
                                      live_page.look(log.at(at), at))
    job = sorted(log.pausing)[0]
    controller.events[job] = [{"t": log.first[job], "event": "started", "text": f"Job {job} starts on node 1."},
                              {"t": log.first[job] + 60, "event": "paused", "text": f"Job {job} is paused: made up."}]
    with live_page.serving(controller) as address:
        browser = chromium.Browser(1200, 1400, own=address.partition("?")[0])
        try:
            browser.driver.get(address)
            browser.until(f"{FRAME}.dfrsTimeline?.page.ask")
            check_live_looks(browser, log.at(at), shots)
            expect("a click tells why", ["is paused: made up." in click_until(browser, job, "made up"),
                                         f"Job {job} starts on node 1." in browser.js(f"return {TOLD}")], [True, True])
            # The next looks change nothing, and do not ask each time.
            asked, begun = len(controller.asked), time.monotonic()
            for k in range(3):
                controller.tell(live_page.look(log.at(at), at + k + 1))
                browser.until(f"document.getElementById('cluster').textContent && window.dfrs.look().status.now === {at + k + 1}")
            browser.wait_js("setTimeout(arguments[0], 500)")
            expect("still told", "is paused: made up." in browser.js(f"return {TOLD}"))
            expect("asked at most every 5 s", len(controller.asked) <= asked + 1 + (time.monotonic() - begun) / 5)
            # A job that the controller no longer knows keeps what was told of it; another says so.
            del controller.events[job]
            expect("told after the job has gone", "is paused: made up." in click_until(browser, job, "made up"))
            other = sorted(log.pausing)[1]
            expect("a job that is gone", f"there is no job {other}" in click_until(browser, other, "there is no"))
            expect("live page: console", browser.errors(), [])
            expect("live page: requests to elsewhere", browser.requests(), [])
            expect("live page: requests that were refused", controller.refused, [])
            check_dates(browser, folder)
        finally:
            browser.close()


BEGIN = 1764000000
OFFSET = 5 * 3600 + 1800


def check_dates(browser, folder):
    """A reader in New York looks at a cluster in Delhi: every instant is told in the time of the cluster. The page is opened
    before the first job comes."""
    browser.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "America/New_York"})
    page = (folder / "users.html").read_text(encoding="utf-8")
    data = live_page.schedule_of(page)
    record = folder / "dated.html"
    record.write_text(page.replace(data, live_page.moved(data, BEGIN)), encoding="utf-8")
    browser.open(record)
    browser.settled()
    view = browser.js("return dfrsTimeline.view()")
    expect("a record tells instants in UTC", browser.driver.find_element("id", "status").text.partition(",")[0],
           f"{instant(view['begin'])} to {instant(view['end'])} UTC")
    controller = live_page.Controller(ROOT / "shim/web/page", page.replace(data, live_page.moved(data, BEGIN, OFFSET, empty=True)),
                                      live_page.look(({}, set(), set()), BEGIN))
    controller.told["status"]["utc_offset_s"] = OFFSET
    with live_page.serving(controller) as address:
        browser.own = address.partition("?")[0]
        browser.driver.get(address)
        browser.until(f"{FRAME}.dfrsTimeline?.page.ask")
        users = f"{FRAME}.document.getElementById('user')"
        expect("no users, no filter", browser.js(f"return {users}.parentElement.hidden"))
        controller.schedule = live_page.moved(data, BEGIN, OFFSET)
        browser.until(f"{FRAME}.dfrsTimeline.runs[0].id.length > 0", 20)
        expect("a filter once there are users", browser.js(f"return {users}.parentElement.hidden"), False)
        browser.js(f"{users}.value = 2; {users}.dispatchEvent(new Event('change')); {FRAME}.dfrsTimeline.page.settle()")
        expect("jobs left by it", browser.js(f"return {FRAME}.document.getElementById('table-note').textContent")[:15], "12 jobs in view")
        expect("the last round", browser.driver.find_element("id", "round").text,
               f"Last round at {instant(BEGIN + OFFSET)[6:]}. Times are the cluster's (UTC+5:30).")
        browser.js(f"{FRAME}.dfrsTimeline.show({BEGIN + 100}, {BEGIN + 400}); {FRAME}.dfrsTimeline.page.settle()")
        expect("the timeline", browser.js(f"return {FRAME}.document.getElementById('status').textContent").partition(",")[0],
               f"{instant(BEGIN + 100 + OFFSET)} to {instant(BEGIN + 400 + OFFSET)} UTC+5:30")
        # The address of the page around the timeline has the view.
        link = browser.js("return location.href")
        expect("the address of the live page", link.partition("#")[::2], (address, f"t={BEGIN + 100}%2C{BEGIN + 400}&user=2"))
        browser.driver.get("about:blank")
        browser.driver.get(link)
        browser.until(f"{FRAME}?.dfrsTimeline?.page.ask")
        again = browser.js(f"return {FRAME}.dfrsTimeline.view()")
        expect("a link shows the same", [round(again["begin"]) - BEGIN, round(again["end"]) - BEGIN], [100, 400])
        expect("with the filter", browser.js(f"return {FRAME}.dfrsTimeline.page.filter.user"), 2)
        expect("live page with dates: console", browser.errors(), [])


def instant(time):
    return datetime.datetime.fromtimestamp(time, datetime.timezone.utc).strftime("%m-%d %H:%M:%S")


def click_until(browser, job, words):
    """The details after a click, when they have these words."""
    text = click_on(browser, job)
    expect("the click selects the job", f"Job {job} under Triage" in text)
    try:
        browser.until(f"{TOLD}.includes('{words}')", 10)
    except TimeoutError as late:
        expect(str(late), browser.js(f"return {TOLD}"), words)
    return browser.js(f"return {TOLD}")


def check_live_looks(browser, jobs, shots):
    running, waiting, paused = jobs
    for media, scheme in (("screen", "dark"), ("print", "light"), ("screen", "light")):
        browser.media(media, scheme)
        browser.wait_js("setTimeout(arguments[0], 300)")  # the timeline draws again
        what = f"live page, {media}, {scheme}"
        expect(f"{what}: dark page", browser.background() < 200, scheme == "dark")
        expect(f"{what}: the timeline is shown", browser.driver.find_element("id", "timeline").is_displayed(), media == "screen")
        states = browser.js("return Object.groupBy([...document.querySelectorAll('#jobs tr')].map((row) => row.dataset), (row) => row.state)")
        got = {state: sorted(int(row["job"]) for row in rows) for state, rows in states.items()}
        wanted = {state: sorted(each) for state, each in (("running", running), ("waiting", waiting), ("suspended", paused)) if each}
        expect(f"{what}: the queue", got, wanted)
        expect(f"{what}: why they wait", browser.js(
            "return [...document.querySelectorAll('#jobs tr')].filter((row) => row.lastChild.textContent.endsWith('waits for memory')).length"),
            len(waiting) + len(paused))
        expect(f"{what}: nodes", browser.js("return document.querySelectorAll('#nodes li').length"), 32)
        expect(f"{what}: silent agents", "node 30" in browser.driver.find_element("id", "agents").text)
        if media == "screen":
            browser.driver.switch_to.frame("timeline")
            expect(f"{what}: dark timeline", browser.background() < 200, scheme == "dark")
            pixel = browser.js(PIXELS + "const [chart] = dfrsTimeline.page.charts;"
                               "return pixelsOf(chart, 1, chart.canvas.height - 1, 1, 1)[0] & 255")
            expect(f"{what}: dark chart", pixel < 80, scheme == "dark")
            browser.driver.switch_to.default_content()
        if shots:
            browser.driver.save_screenshot(str(shots / f"live-{media}-{scheme}.png"))
    browser.media()


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
    chromium.require()
    browser = chromium.Browser()
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            pages = write_pages(folder)
            log = RunLog(folder / "run.log")
            expect("the run pauses and moves jobs", min(log.counts["pauses"], log.counts["moves"]) > 0)
            check_looks(browser, pages, shots)
            check_requests(browser, folder)
            for page, run in (("run", 0), ("replay", 0), ("timeline", 1)):
                browser.open(folder / f"{page}.html")
                instants = check_states(browser, log, page, run)
                if page == "run":
                    check_bars(browser, log, instants)
                    check_heights(browser, log, folder / "trace.dfrs")
                check_marks(browser, log, run)
            check_values(browser, folder / "run.html", log, folder / "trace.dfrs")
            check_pans(browser, folder / "run.html")
            check_moves_in_view(browser, folder / "run.html")
            check_jobs(browser, folder / "run.html", log)
            check_reasons(browser, folder, log)
            check_keys(browser, folder / "run.html", log)
            check_sizes(browser, folder / "run.html", folder / "trace.dfrs")
            check_users(browser, folder / "users.html")
            check_words(browser, folder / "low.html")
            check_comparison(browser, folder / "timeline.html")
            check_yields(browser, folder / "busy.html")
            reports = [page for page in pages if page.parent.name in ("reproduce", "demo") or page.stem in ("report", "compare")]
            expect("reports", [page.stem for page in reports], ["compare", "report", "report", *REPRODUCED])
            check_reports(browser, reports)
            check_advice(browser, folder / "advise.html")
            check_live_page(folder, log, shots)
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
