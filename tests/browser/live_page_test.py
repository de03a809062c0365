#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of `dfrsctl web`, in headless Chromium, before a made-up controller.

Usage: tests/browser/live_page_test.py      with the program in $DFRS_SIM; screenshots go to $DFRS_SCREENSHOTS, if set.
Exit: 0 all is well, 1 it is not, 77 no Chromium or Selenium
"""
import datetime
import sys
import time

sys.dont_write_bytecode = True
import checks  # noqa: E402
import chromium  # noqa: E402
import live_page  # noqa: E402
import sample_pages  # noqa: E402
from checks import ROOT, check_looks, expect  # noqa: E402
from timeline_page import PIXELS  # noqa: E402


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


def check_live_page(folder, log):
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
            check_live_looks(browser, log.at(at))
            check_many_nodes(browser, controller, log.at(at), at)
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
            # So does one that has ended and is cleaned up: it is known, without a story.
            controller.events[job] = []
            asked = len(controller.asked)
            browser.wait_js("setTimeout(arguments[0], 5100)")
            expect("told while it is cleaned up", "is paused: made up." in click_until(browser, job, "made up"))
            for _ in range(40):
                browser.wait_js("setTimeout(arguments[0], 500)")
                if len(controller.asked) > asked:
                    break
            expect("asked again", len(controller.asked) > asked)
            browser.wait_js("setTimeout(arguments[0], 500)")
            expect("still told after the answer", "is paused: made up." in browser.js(f"return {TOLD}"))
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


def check_many_nodes(browser, controller, jobs, at):
    """More nodes than the page lists: it says how many, and the filter finds them."""
    before = controller.told
    expect("all nodes are listed", browser.driver.find_element("id", "more-nodes").text, "")
    controller.tell(live_page.look(jobs, at, 2003))
    browser.until("document.getElementById('more-nodes').textContent", 20)
    expect("nodes that are not listed", browser.driver.find_element("id", "more-nodes").text, "and 3 more")
    expect("nodes that are", browser.js("return document.querySelectorAll('#nodes li').length"), 2000)
    box = browser.driver.find_element("id", "node-filter")
    box.send_keys("node 2002")
    expect("the filter finds others", browser.js("return [...document.querySelectorAll('#nodes li')].map((row) => row.dataset.node)"),
           ["node 2002"])
    expect("nothing more then", browser.driver.find_element("id", "more-nodes").text, "")
    box.clear()
    controller.tell(before)
    browser.until("document.querySelectorAll('#nodes li').length === 32", 20)


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


def check_live_looks(browser, jobs):
    shots = checks.shots_folder()
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


def test(browser, folder):
    log = sample_pages.write_run(folder)
    sample_pages.write_bare(folder)
    sample_pages.write_users(folder)
    check_looks(browser, [folder / "bare.html"])
    check_live_page(folder, log)


if __name__ == "__main__":
    sys.exit(checks.main(test))
