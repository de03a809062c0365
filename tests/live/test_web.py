# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of dfrsctl web beside a running cluster: what it is told, and what a browser shows of it."""
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from browser import chromium

from .case import LiveTest
from .options import Options
from .waiting import wait_for

SECONDS = 90


class WebTest(LiveTest):
    """A cluster with the page."""

    def setUp(self):
        super().setUp()
        self.address = self.serve()

    def serve(self):
        """Starts the command; its address."""
        words = [self.cluster._program("dfrsctl"), "web", "--every", "1"]
        server = subprocess.Popen(words, env=self.cluster.environment(), stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, universal_newlines=True)
        self.addCleanup(self.stop, server)
        address = server.stdout.readline().strip()
        self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32}$")
        return address

    def stop(self, server):
        server.terminate()
        self.assertEqual(server.wait(20), 0)
        server.stdout.close()

    def browse(self):
        """A browser with the page, which asks no other server."""
        if chromium.missing():
            self.skipTest(chromium.missing())
        browser = chromium.Browser(1200, 1400, own=self.address.partition("?")[0])
        self.addCleanup(browser.close)
        browser.driver.get(self.address)
        return browser

    def shot(self, name):
        return str(Path(os.environ.get("DFRS_SCREENSHOTS") or self.folder) / name)

    def assert_quiet(self, browser):
        self.assertEqual(browser.errors(), [])
        self.assertEqual(browser.requests(), [], "requests to elsewhere")


class Web(WebTest):
    options = Options(nodes=2, cpus=4, memory=1000, cores=0.4, algorithm="GreedyP*/OPT=MIN",
                      settings={"PauseBy": "suspend", "CommentInterval": "1"})

    def looks(self, seconds):
        """The looks that the page is told of, for so long."""
        deadline = time.monotonic() + seconds
        with urllib.request.urlopen(self.address.replace("/?", "/events?"), timeout=20) as stream:
            event = None
            for line in stream:
                if line.startswith(b"event: "):
                    event = line[7:].strip()
                elif line.startswith(b"data: ") and event == b"look":
                    yield json.loads(line[6:])
                if time.monotonic() > deadline:
                    return

    def pause_one(self, late_work=2):
        """Two jobs that fill the memory of both nodes, and one that takes the room of one of them."""
        first = [self.sbatch_burn(8 + late_work, memory=900) for _ in range(2)]  # do not end before on a busy machine
        for job in first:
            self.wait_event(job)
        wait_for("progress", lambda: all(self.dfrs_jobs().get(job, {}).get("run_virtual_time_s", 0) > 2.2 for job in first),
                 20)
        return first, self.sbatch_burn(late_work, memory=900)

    def test_page_sees_a_job_paused_and_says_why(self):
        first, late = self.pause_one()
        paused = None
        for look in self.looks(30):
            self.assertEqual({node["node"] for node in look["nodes"]}, set(self.cluster.nodes))
            states = {job["job"]: job["state"] for job in look["status"]["jobs"]}
            paused = next((int(job) for job in first if states.get(int(job)) == "suspended"), None)
            if paused and states.get(int(late)) == "running":
                break
        self.assertIsNotNone(paused)
        with urllib.request.urlopen(self.address.replace("/?", f"/explain?job={paused}&"), timeout=20) as answer:
            told = json.load(answer)
        self.assertTrue(any(f"Job {paused} is paused: job {late} takes its room" in line for line in told["lines"]), told)
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(re.sub("token=.*", "token=" + 32 * "0", self.address), timeout=20)
        self.assertEqual(refused.exception.code, 403)
        refused.exception.close()
        self.assert_completed(self.wait_ended([*first, late]))

    def timeline(self, browser, words):
        return browser.js("const seen = document.getElementById('timeline').contentWindow.dfrsTimeline;"
                          f"return seen && ({words})")

    def click_in_timeline(self, browser, job):
        """On the middle of the job's first stay; the text that the timeline then shows of a selected job."""
        from selenium.webdriver import ActionChains
        frame = browser.driver.find_element("id", "timeline")
        browser.js("arguments[0].scrollIntoView()", frame)
        browser.driver.switch_to.frame(frame)
        try:
            canvas = browser.driver.find_element("css selector", ".run canvas")
            x, y = browser.js(
                "const chart = dfrsTimeline.page.charts[0]; const {run} = chart;"
                "const stay = run.staysOf(run.numbers.get(arguments[0]))[0];"
                "const middle = (run.from[stay] + run.to[stay]) / 2;"
                "return [GUTTER + chart.columnOf(middle) / chart.ratio,"
                "chart.rowOf(run.node[run.nodeFirst[stay]] + 0.5) / chart.ratio]", job)
            ActionChains(browser.driver).move_to_element_with_offset(
                canvas, round(x - canvas.size["width"] / 2), round(y - canvas.size["height"] / 2)).click().perform()
            return browser.driver.find_element("id", "details").text
        finally:
            browser.driver.switch_to.default_content()

    def test_browser_shows_what_the_controller_says(self):
        from selenium.webdriver import ActionChains
        from selenium.webdriver.common.keys import Keys
        browser = self.browse()
        # The late job still runs when a browser on a busy machine has looked at everything.
        first, late = self.pause_one(late_work=60)

        def state(job):
            # In one step, since each look makes the rows again.
            return browser.js("return document.querySelector(arguments[0])?.dataset.state", f"#jobs tr[data-job='{job}']")

        paused = wait_for("a job shown as suspended", lambda: next((job for job in first if state(job) == "suspended"), None),
                          20)
        wait_for("the late job shown as running", lambda: state(late) == "running", 20)
        self.assertEqual(len(browser.driver.find_elements("css selector", "#nodes li")), 2)
        shares = browser.driver.find_elements("css selector", f"#nodes .bar i[data-job='{late}']")
        self.assertEqual(len(shares), 1, "the share of the job that took the room")
        # The timeline follows by itself.

        def now():
            return self.timeline(browser, "seen.state(seen.runs[0].end - 0.001)") or {"paused": [], "running": []}

        wait_for("the timeline to show the pause", lambda: paused in now()["paused"], 60)
        self.assertIn(late, [job["job"] for job in now()["running"]])
        self.assertGreaterEqual(self.timeline(browser, "seen.counts().pauses"), 1)
        self.assertEqual(self.timeline(browser, "seen.runs[0].nodeNames"), list(self.cluster.nodes))
        # A click there says why, in the words of dfrsctl explain.
        reason = f"Job {paused} is paused: job {late} takes its room"
        told = (f"Job {paused} starts", reason)

        def told_of_all():
            text = self.click_in_timeline(browser, paused)  # may meet another job if a look comes in between
            return all(words in text for words in told)

        wait_for("start and reason in the timeline", told_of_all, 20)
        browser.driver.save_screenshot(self.shot("web-timeline.png"))
        self.looks_of_page(browser)
        browser.js("document.querySelector(arguments[0]).focus()", f"#jobs tr[data-job='{paused}'] button")
        time.sleep(2.5)  # a look or two
        # Neither names an element, which the next look may replace meanwhile.
        self.assertEqual(browser.js("return document.activeElement.textContent"), str(paused), "the focus stays with the job")
        ActionChains(browser.driver).send_keys(Keys.ENTER).perform()
        wait_for("the reason in the dialog",
                 lambda: reason in browser.driver.find_element("id", "lines-of-job").text, 10)
        browser.driver.save_screenshot(self.shot("web-reason.png"))
        self.cluster.command("scancel", *first, late)
        self.wait_ended([*first, late])
        # What was told of a job stays when it has gone.
        wait_for("the end of the job", lambda: not state(paused), 20)
        time.sleep(1.5)  # a look
        self.assertIn(reason, browser.js(
            "return document.getElementById('timeline').contentDocument.getElementById('details').textContent"))
        self.assert_quiet(browser)
        # A page that begins now shows what was before.
        browser.driver.get(self.serve())
        wait_for("the pause of before", lambda: self.timeline(browser, "seen.counts().pauses"), 20)
        self.assertGreaterEqual(self.timeline(browser, "seen.counts().starts"), 3)
        self.assertEqual(browser.errors(), [])

    def looks_of_page(self, browser):
        """In the dark and on paper."""
        for media, scheme in (("screen", "dark"), ("print", "light"), ("screen", "light")):
            browser.media(media, scheme)
            time.sleep(0.3)  # the timeline draws again
            self.assertEqual(browser.background() < 200, scheme == "dark", f"{media}, {scheme}")
            self.assertEqual(browser.driver.find_element("id", "timeline").is_displayed(), media == "screen")
            self.assertEqual(len(browser.driver.find_elements("css selector", "#jobs tr")), 3)
            if media == "screen":
                browser.driver.switch_to.frame("timeline")
                self.assertEqual(browser.background() < 200, scheme == "dark", f"the timeline, {scheme}")
                pixel = browser.js(
                    "const {canvas} = dfrsTimeline.page.charts[0]; const copy = new OffscreenCanvas(1, 1).getContext('2d');"
                    "copy.drawImage(canvas, 0, canvas.height - 1, 1, 1, 0, 0, 1, 1); return Array.from(copy.getImageData(0, 0, 1, 1).data)")
                self.assertEqual(sum(pixel[:3]) < 200, scheme == "dark", f"the chart, {scheme}: {pixel}")
                browser.driver.switch_to.default_content()
            browser.driver.save_screenshot(self.shot(f"web-{media}-{scheme}.png"))
        browser.media()


class Picture(WebTest):
    """Many jobs of several users, for docs/images/web.png."""
    options = Options(nodes=6, cpus=8, memory=1600, cores=0.1,
                      settings={"PauseBy": "suspend", "CommentInterval": "1"})

    def test_page_shows_shares_the_queue_and_reasons(self):
        browser = self.browse()
        users = ["daemon", "games", "mail"]
        old = [self.sbatch("--job-name=simulate", tasks=6, cpus=4, memory=500, user="daemon"),
               self.sbatch("--job-name=train", tasks=4, cpus=8, memory=600, user="games"),
               *(self.sbatch("--job-name=sweep", cpus=2 + 2 * (k % 4), memory=400, user=users[k % 3]) for k in range(9))]
        wait_for("the first jobs to run", lambda: all(self.dfrs_jobs().get(job, {}).get("state") == "running" for job in old[:4]),
                 30)
        time.sleep(8)  # so that their urgency falls
        for k in range(5):
            self.sbatch("--job-name=test", "--time=1", cpus=4, memory=700, user=users[(k + 1) % 3])
        self.sbatch("--job-name=large", tasks=6, cpus=8, memory=1500, user="mail")
        self.sbatch("--job-name=after", f"--dependency=afterok:{old[0]}", user="daemon")

        def shown():
            return browser.js(
                "const rows = [...document.querySelectorAll('#jobs tr')];"
                "const waiting = rows.filter((row) => row.dataset.state !== 'running');"
                "return {paused: waiting.filter((row) => row.dataset.state === 'suspended').length,"
                "told: waiting.filter((row) => row.lastChild.textContent).length, waiting: waiting.length,"
                "shared: [...document.querySelectorAll('#nodes .bar')].filter((bar) => bar.children.length > 1).length,"
                "parts: [...document.querySelectorAll('#nodes .bar i')].map((part) => [part.dataset.job, part.style.width])}")

        seen = wait_for("shares, a pause and reasons", lambda: (now := shown())["paused"] and now["shared"] > 1 and
                        now["told"] > 3 and now, 60)
        self.assertGreaterEqual(seen["told"], seen["waiting"] - 1, "every job but one that just came has a reason")
        time.sleep(6)
        browser.picture(self.shot("web.png"))
        self.assert_quiet(browser)
