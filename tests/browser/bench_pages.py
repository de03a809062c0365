#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`make bench-pages`: makes the four pages of docs/results/performance.md and measures them in headless Chromium.

Usage: tests/browser/bench_pages.py [FOLDER]
       The program is $DFRS_SIM, HPC2N's log is in $DFRS_TRACES. The pages stay in FOLDER, if given, and are not made again.
"""
import gzip
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import chromium  # noqa: E402
import measure  # noqa: E402

LOG = "HPC2N-2002-2.1-cln.swf.gz"
SIM = os.environ.get("DFRS_SIM", "./dfrs-sim")
HPC2N = ["--whole", "--annotation=memory", "--cores=2", "--memory=2048", "--no-bound", "-a", "Triage"]
SUBMIT = 1  # the field of a line of an SWF log


def find_log():
    path = Path(os.environ.get("DFRS_TRACES") or ".") / LOG
    if not path.is_file():
        sys.exit(f"bench-pages: {path} is missing: let DFRS_TRACES name a folder with it (dfrs-sim fetch HPC2N-2002-2.1-cln)")
    return path


def cut(log, out, first, last, denser=1):
    """Jobs number `first` to `last` of the log, from 1, with its header; `denser` divides the times of submission."""
    seen = 0
    with gzip.open(log, "rt", encoding="latin-1") as lines, open(out, "w", encoding="latin-1") as kept:
        for line in lines:
            fields = line.split()
            if not fields or fields[0].startswith(";"):
                kept.write(line)
                continue
            seen += 1
            if first <= seen <= last:
                fields[SUBMIT] = str(int(fields[SUBMIT]) // denser)
                kept.write(" ".join(fields) + "\n")


def write_pages(folder, log):
    """What each page is, and its file."""
    cut(log, folder / "month.swf", 60001, 65000)
    cut(log, folder / "dense.swf", 1, 10000, denser=5)
    with open(folder / "lublin.dfrs", "w", encoding="utf-8") as trace:
        subprocess.run([SIM, "generate", "--jobs", "10000", "--nodes", "1000", "--load", "0.8"], stdout=trace, check=True)
    pages = (
        ("HPC2N, 5,000 jobs of a month, 120 nodes, Triage", "month", [folder / "month.swf", "--nodes=120", *HPC2N]),
        ("HPC2N, all jobs, 120 nodes, Triage", "whole", [log, "--nodes=120", *HPC2N]),
        ("HPC2N, 10,000 jobs five times as dense, 1,000 nodes, Triage", "dense", [folder / "dense.swf", "--nodes=1000", *HPC2N]),
        ("Lublin, 10,000 jobs, 1,000 nodes, load 0.8, EASY", "lublin", [folder / "lublin.dfrs", "--no-bound", "-a", "EASY"]),
    )
    for what, name, words in pages:
        page = folder / f"{name}.html"
        command = [SIM, "run", *map(str, words), "--report", str(page)]
        if not page.exists():
            print(f"{shlex.join(command)}", flush=True)
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        yield what, page


def main():
    chromium.require()
    log = find_log()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else name)
        folder.mkdir(parents=True, exist_ok=True)
        pages = list(write_pages(folder, log))
        browser = chromium.Browser()
        print(f"\n{browser.driver.capabilities['browserName']} {browser.driver.capabilities['browserVersion']}")
        for what, page in pages:
            print(f"\n{what}")
            measure.measure(browser, page)
        browser.close()


if __name__ == "__main__":
    main()
