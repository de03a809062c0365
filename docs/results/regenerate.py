#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Regenerates the figures of docs/results.

  regenerate.py run [NAME...] --program PROGRAM --work FOLDER   runs what is missing in FOLDER, then data and pages
  regenerate.py pages                                           pages from docs/results/data
  regenerate.py check                                           fails if a page differs from its data

`--instances N` runs a subset; the page then names it. A page takes its tables from docs/results/data between
<!-- BEGIN name --> and <!-- END name -->. To join, add an entry to EXPERIMENTS in tables/experiments.py, and a file
with its BLOCKS, which tables/pages.py names. CHARTS in docs/images are drawn from the data, too. Means, medians and
intervals are the program's.
"""
import argparse
import os
import sys

sys.dont_write_bytecode = True
from tables.checks import old_waterfall, other_commands, typed_in  # noqa: E402
from tables.experiments import ALL, EXPERIMENTS, MEASUREMENTS, SECOND  # noqa: E402
from tables.pages import BLOCKS, CHARTS, chart_text, page_text  # noqa: E402
from tables.running import collect, measure, run, second_simulators  # noqa: E402


def run_all(options):
    """Runs what is missing and collects it. Whether all went well that was asked for by name."""
    well = True
    for name in options.names or ALL:
        if name == SECOND:
            if not second_simulators(options.program):
                print(f"regenerate.py: {SECOND} is left as it was: its script failed, see above")
                well = not options.names
            continue
        if name in MEASUREMENTS:
            measure(name, options.program, options.work)
            continue
        if name not in EXPERIMENTS:
            sys.exit(f"regenerate.py: there is no '{name}'; expected {', '.join(ALL)}")
        run(name, options.program, options.work, options.instances, options.threads)
        collect(name, options.work)
    return well


def differing_files(action):
    """Writes the pages and charts that differ from their data; `check` only counts and names them."""
    differing = 0
    for make, name in [(page_text, page) for page in BLOCKS] + [(chart_text, chart) for chart in CHARTS]:
        try:
            path, old, new = make(name)
        except FileNotFoundError as error:
            if action != "run":
                raise
            print(f"{name} waits for {os.path.basename(error.filename)}")
            continue
        if old == new:
            continue
        if action == "check":
            differing += 1
            print(f"FAIL: {path} differs from its data; run make results-pages")
        else:
            with open(path, "w", encoding="utf-8") as out:
                out.write(new)
    return differing


def other_faults():
    """Names and counts what is wrong besides."""
    faults = 0
    if other := other_commands():
        faults += 1
        print(f"FAIL: the data of {', '.join(other)} come from another command; "
              f"run make results RESULTS='{' '.join(other)}'")
    if found := typed_in():
        faults += 1
        print(f"FAIL: figures in tables that no command makes: {', '.join(found)}; "
              "put them between BEGIN and END of a block")
    if other := old_waterfall():
        faults += 1
        print(f"FAIL: rivals-gain.svg is not of its data: {', '.join(other)}; run make results RESULTS=rivals")
    return faults


def main():
    parser = argparse.ArgumentParser(description="Regenerates the figures of docs/results.")
    parser.add_argument("action", choices=["run", "pages", "check"])
    parser.add_argument("names", nargs="*", help=f"for run: of {', '.join(ALL)} (default: all)")
    parser.add_argument("--program", default="./dfrs-sim")
    parser.add_argument("--work", default="results-runs", help="folder with finished runs and stores to continue")
    parser.add_argument("--instances", type=int, help="of each set, for a first look")
    parser.add_argument("--threads", type=int, default=1,
                        help="of the program (default: 1, for CPU times that compare)")
    options = parser.parse_args()
    well = options.action != "run" or run_all(options)
    faults = differing_files(options.action)
    if options.action == "check":
        faults += other_faults()
    sys.exit(0 if well and not faults else 1)


if __name__ == "__main__":
    main()
