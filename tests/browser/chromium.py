# SPDX-License-Identifier: GPL-2.0-or-later
"""Headless Chromium for tests: Debian's chromium, chromium-driver and python3-selenium."""
import os
import shutil
import sys
import time

SKIPPED = 77
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    # Another python3 may come first in PATH than Debian's, which has the package.
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("skipped: no Selenium for Python (Debian: python3-selenium)")
    sys.exit(SKIPPED)


class Browser:
    """A window. Pages come from files, so that any other request is one to the network."""

    def __init__(self, width=1400, height=1000):
        if not shutil.which("chromium") or not shutil.which("chromedriver"):
            print("skipped: no Chromium with its driver (Debian: chromium, chromium-driver)")
            sys.exit(SKIPPED)
        options = Options()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     f"--window-size={width},{height}"):
            options.add_argument(word)
        options.binary_location = shutil.which("chromium")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_script_timeout(60)
        self.js = self.driver.execute_script
        self.wait_js = self.driver.execute_async_script

    def close(self):
        self.driver.quit()

    def media(self, kind="screen", scheme="light"):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": "print" if kind == "print" else "",
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, path, view=""):
        self.driver.get("about:blank")  # a changed #... alone would not load the page again
        self.driver.get_log("performance")
        self.driver.get_log("browser")
        begin = time.monotonic()
        self.driver.get(f"file://{path}{view}")
        if self.js("return document.querySelector('#charts') !== null"):
            self.until("window.dfrsTimeline !== undefined")
        return time.monotonic() - begin

    def until(self, condition, patience=60):
        end = time.monotonic() + patience
        while not self.js(f"return Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"not within {patience} s: {condition}")
            time.sleep(0.05)

    def settled(self):
        """Two frames later, with the parts of the page that lag behind a drag."""
        self.wait_js("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => {"
                     "dfrsTimeline.page.settle(); done(); }))")

    def errors(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Addresses that the page asked for, other than files and its own data."""
        import json
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return [url for url in found if not url.startswith(("file:", "data:", "blob:", "about:"))]
