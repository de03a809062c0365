# SPDX-License-Identifier: GPL-2.0-or-later
"""Headless Chromium for tests: Debian's chromium, chromium-driver and python3-selenium."""
import json
import os
import shutil
import sys
import time
from pathlib import Path

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None

SKIPPED = 77


def missing():
    """What a browser lacks here, or None."""
    if webdriver is None:
        return "no Selenium for Python (Debian: python3-selenium)"
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        return "no Chromium with its driver (Debian: chromium, chromium-driver)"
    return None


def require():
    """Ends a test program as skipped if there is no browser."""
    if webdriver is None and sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        # Another python3 may come first in PATH than Debian's, which has the package.
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    if missing():
        print(f"skipped: {missing()}")
        sys.exit(SKIPPED)


class Browser:
    """A window. requests() are those to anywhere but `own`, the address of the server that is tested, and the file that
    was opened last."""

    def __init__(self, width=1400, height=1000, own=None, more=()):
        self.own = own
        self.file = None
        options = Options()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     f"--window-size={width},{height}", *more):
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
        self.file = Path(path).resolve().as_uri()
        self.driver.get(f"{self.file}{view}")
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

    def background(self):
        """The page's, as red + green + blue."""
        return sum(self.js("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")[:3])

    def picture(self, path):
        """All of the page, in a window as high as that."""
        size = self.js("return [window.outerWidth, document.documentElement.scrollHeight]")
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
        time.sleep(1)  # charts take their new width
        self.driver.save_screenshot(path)
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def errors(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Addresses that the page asked for, other than its own."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                found.append(message["params"].get("request", message["params"])["url"])
        own = ("data:", "blob:", "about:", *([self.own] if self.own else []))
        return [url for url in found if not url.startswith(own) and url.partition("#")[0] != self.file]
