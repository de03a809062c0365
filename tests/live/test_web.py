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

from .case import LiveTest
from .options import Options
from .waiting import wait_for

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options as ChromeOptions
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

SECONDS = 60


class Web(LiveTest):
    options = Options(nodes=2, cpus=4, memory=1000, cores=0.4, algorithm="GreedyP*/OPT=MIN",
                      settings={"PauseBy": "suspend", "CommentInterval": "1"})

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

    def test_browser_shows_what_the_controller_says(self):
        if webdriver is None:
            self.skipTest("Selenium is not installed (python3-selenium, chromium-driver)")
        options = ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1200,1400"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.addCleanup(browser.quit)
        browser.get(self.address)
        # The late job still runs when a browser on a busy machine has looked at everything.
        first, late = self.pause_one(late_work=60)

        def state(job):
            # In one step, since each look makes the rows again.
            return browser.execute_script("return document.querySelector(arguments[0])?.dataset.state",
                                          f"#jobs tr[data-job='{job}']")

        paused = wait_for("a job shown as suspended", lambda: next((job for job in first if state(job) == "suspended"), None),
                          20)
        wait_for("the late job shown as running", lambda: state(late) == "running", 20)
        self.assertEqual(len(browser.find_elements(By.CSS_SELECTOR, "#nodes li")), 2)
        shares = browser.find_elements(By.CSS_SELECTOR, f"#nodes .bar i[data-job='{late}']")
        self.assertEqual(len(shares), 1, "the share of the job that took the room")
        # The timeline follows by itself.
        def timeline(words):
            return browser.execute_script("const seen = document.getElementById('timeline').contentWindow.dfrsTimeline;"
                                          f"return seen && ({words})")

        def now():
            return timeline("seen.state(seen.runs[0].end - 0.001)") or {"paused": [], "running": []}

        wait_for("the timeline to show the pause", lambda: paused in now()["paused"], 60)
        self.assertIn(late, [job["job"] for job in now()["running"]])
        self.assertGreaterEqual(timeline("seen.counts().pauses"), 1)
        self.assertEqual(timeline("seen.runs[0].nodeNames"), list(self.cluster.nodes))
        # For the eye, and for docs/reference/dfrsctl.md.
        shots = Path(os.environ.get("DFRS_SCREENSHOTS") or self.folder)
        browser.save_screenshot(str(shots / "web.png"))
        browser.execute_script("document.querySelector(arguments[0]).focus()", f"#jobs tr[data-job='{paused}'] button")
        time.sleep(2.5)  # a look or two
        # Neither names an element, which the next look may replace meanwhile.
        self.assertEqual(browser.execute_script("return document.activeElement.textContent"), str(paused),
                         "the focus stays with the job")
        ActionChains(browser).send_keys(Keys.ENTER).perform()
        wait_for("the reason in the dialog", lambda: f"Job {paused} is paused: job {late} takes its room" in
                 browser.find_element(By.ID, "lines-of-job").text, 10)
        browser.save_screenshot(str(shots / "web-reason.png"))
        self.assertEqual([entry for entry in browser.get_log("browser") if "favicon" not in entry["message"]], [])
        self.cluster.command("scancel", *first, late)
        self.wait_ended([*first, late])
        # A page that begins now shows what was before.
        browser.get(self.serve())
        wait_for("the pause of before", lambda: timeline("seen.counts().pauses"), 20)
        self.assertGreaterEqual(timeline("seen.counts().starts"), 3)
        self.assertEqual([entry for entry in browser.get_log("browser") if "favicon" not in entry["message"]], [])
