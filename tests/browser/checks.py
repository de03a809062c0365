# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of pages have in common: they collect what is not as expected, and look at each page on a screen and on
paper."""
import os
import subprocess
import tempfile
from pathlib import Path

import chromium

SIM = os.environ.get("DFRS_SIM", "./dfrs-sim")
ROOT = Path(__file__).resolve().parents[2]
failures = []


def expect(what, got, wanted=True):
    if got != wanted:
        failures.append(f"{what}: {str(got)[:400]}, expected {str(wanted)[:400]}")


def sim(*words):
    done = subprocess.run([SIM, *map(str, words)], capture_output=True, text=True, timeout=100)
    if done.returncode != 0:
        failures.append(f"dfrs-sim {' '.join(map(str, words))}: exit {done.returncode}: {done.stderr[-400:]}")


def shots_folder():
    """Where screenshots go, or None."""
    if not os.environ.get("DFRS_SCREENSHOTS"):
        return None
    folder = Path(os.environ["DFRS_SCREENSHOTS"])
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def check_looks(browser, pages):
    """No error in the console and no request to the network, in light, dark and print."""
    shots = shots_folder()
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


def main(test):
    """Runs test(browser, folder), with a folder to write pages to. The exit code."""
    chromium.require()
    browser = chromium.Browser()
    try:
        with tempfile.TemporaryDirectory() as name:
            test(browser, Path(name))
    finally:
        browser.close()
    for failure in failures[:40]:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0
