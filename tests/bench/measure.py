#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the benchmarks of docs/results/performance.md and writes their figures: for each the median of the runs, the lowest
and the highest.

Usage: tests/bench/measure.py PART --build FOLDER -o FOLDER

It makes what it needs in the build folder, and writes PART.csv and PART.json. `make results RESULTS=performance-PART` calls
it. Nothing else should run meanwhile.
"""
import argparse
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 3
SOURCE = Path(__file__).resolve().parents[2]
LOG = "HPC2N-2002-2.1-cln.swf.gz"


class Figures:
    """Values of the runs by table, row and column."""

    def __init__(self):
        self.values = {}

    def add(self, table, row, column, value):
        self.values.setdefault((table, row, column), []).append(float(value))

    def write(self, path):
        with open(path, "w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["table", "row", "column", "measured", "low", "high", "values"])
            for place, values in self.values.items():
                writer.writerow([*place, f"{statistics.median(values):.9g}", f"{min(values):.9g}", f"{max(values):.9g}",
                                 len(values)])


class Build:
    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.commands = []

    def make(self, *targets):
        subprocess.run(["make", "-s", "-C", self.folder, *targets], check=True, stdout=subprocess.DEVNULL)

    def run(self, words):
        """What the command prints; it runs in the build folder and is named once in the outcome."""
        line = " ".join(f"'{word}'" if re.search(r"[*|?;$ ]", str(word)) else str(word) for word in words)
        if line not in self.commands:
            self.commands.append(line)
        print(f"measure.py: {line}", file=sys.stderr, flush=True)
        done = subprocess.run([str(word) for word in words], cwd=self.folder, stdout=subprocess.PIPE, universal_newlines=True,
                              check=False)
        if done.returncode != 0:
            sys.exit(f"measure.py: '{line}' in {self.folder} failed with {done.returncode}; run it alone to see why")
        return done.stdout


def log_path():
    path = Path(os.environ.get("DFRS_TRACES") or ".") / LOG
    if not path.is_file():
        sys.exit(f"measure.py: {path} is missing: let DFRS_TRACES name a folder with it (dfrs-sim fetch {LOG[:-7]})")
    return str(path.resolve())


def google_benchmark(build, wanted, runs):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        build.run(["tests/bench/dfrs_bench", f"--benchmark_filter={wanted}", f"--benchmark_repetitions={runs}",
                   f"--benchmark_out={out.name}", "--benchmark_out_format=json"])
        build.commands[-1] = re.sub(r" --benchmark_out\S*", "", build.commands[-1])
        return json.load(out)["benchmarks"]


def programs(build, figures):
    """Policy and simulator, by Google Benchmark."""
    log_path()
    build.make("tests/bench/dfrs_bench")
    wanted = ("file_to_result/EASY|hpc2n_weeks/GreedyPM|both_bounds|divisible_bound|whole_log|full_repack/(few|all)|"
              "repack_growth/(few|all)|mcb8_call|greedy_admission/100000/|yields_after_one_move|average_stretch|"
              "triage_decision/(1000/0/0|[124]0000/0/0|100000/0/0|10000/1/0|10000/0/[123])|watched")
    found = google_benchmark(build, wanted, RUNS)
    seconds = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    told = {"name", "run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations", "real_time", "cpu_time",
            "time_unit", "family_index", "per_family_instance_index"}
    for one in found:
        if one["run_type"] != "iteration":
            continue
        name = re.sub(r"/(iterations:\d+|manual_time|repeats:\d+)", "", one["run_name"])
        time_of = "real_time" if "manual_time" in one["run_name"] else "cpu_time"  # these measure CPU time themselves
        figures.add("programs", name, "seconds", one[time_of] * seconds[one["time_unit"]])
        for counter in one.keys() - told:
            figures.add("programs", name, counter, one[counter])


STEP = re.compile(r"^(.+?) +median +([\d.]+) ms +90 % +([\d.]+) ms +max +([\d.]+) ms", re.M)


def controller(build, figures):
    """A step of the controller without slurmctld."""
    build.make("tests/bench/controller_bench")
    for table, words in (("small", []), ("large", ["20000", "10000", "60", "Triage", "full"])):
        for _ in range(RUNS):
            text = build.run(["tests/bench/controller_bench", *words])
            for what, median, most, longest in STEP.findall(text):
                for column, value in (("median", median), ("90 %", most), ("max", longest)):
                    figures.add(table, what, column, value)
            lines, tree = re.search(r"read in ([\d.]+) ms; in one line, by JSON, ([\d.]+) ms", text).groups()
            figures.add(table, "state file", "a job on each line", lines)
            figures.add(table, "state file", "by JSON", tree)


def agent(build, figures):
    """A node's agent with 128 jobs, on plain files in place of the kernel's."""
    build.make("tests/bench/agent_bench")
    for _ in range(RUNS):
        version = ""
        for line in build.run(["tests/bench/agent_bench"]).splitlines():
            if found := re.match(r"control groups (v\d):", line):
                version = found[1]
            elif found := re.match(r"  (.+?) +median +([\d.]+) ms of CPU, longest +([\d.]+) ms", line):
                figures.add(version, found[1], "median", found[2])
                figures.add(version, found[1], "longest", found[3])


def delivery(build, figures):
    """Quotas for 10,000 agents, which are played."""
    build.make("tests/bench/delivery_scale")
    for _ in range(RUNS):
        text = build.run(["tests/bench/delivery_scale", "10000"])
        changes = re.findall(r"applied everywhere after (\d+) ms, ([\d.]+) s of CPU here", text)
        for k, (wall, cpu) in enumerate(changes):  # the first makes a credential for each agent
            row = "first change" if k == 0 else "change of all yields"
            figures.add("delivery", row, "ms", wall)
            figures.add("delivery", row, "CPU s", cpu)
        sent, share = re.search(r"at rest: (\d+) requests/s, ([\d.]+) % of a core", text).groups()
        figures.add("delivery", "at rest", "requests/s", sent)
        figures.add("delivery", "at rest", "% of a core", share)


def bench_slurmctld(build, options):
    """The figures of each run, by scheduler."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        build.run(["make", "-s", "bench-slurmctld", f"BENCH_OPTIONS={options} --json {out.name}"])
        build.commands[-1] = f"make bench-slurmctld BENCH_OPTIONS='{options}'"
        return json.load(out)


def slurmctld(build, figures):
    """A real slurmctld with 10,000 played nodes; needs root."""
    build.make("all", "tests/bench/fake_slurmd", "tests/bench/submit_jobs")
    for scheduler, runs in (("dfrs", RUNS), ("backfill", 1)):
        found = bench_slurmctld(build, f"--schedulers {scheduler} --parts array,burst,busy,restart,after --runs {runs}")
        for run in found[scheduler]:
            for name, value in run.items():
                figures.add("slurmctld", name, scheduler, value)


def launch(build, figures):
    """The same where jobs are saved before they are launched; needs root."""
    build.make("all", "tests/bench/fake_slurmd", "tests/bench/submit_jobs")
    for run in bench_slurmctld(build, f"--schedulers dfrs --parts burst,busy --save-before-launch yes --runs {RUNS}")["dfrs"]:
        for name in ("single", "burst"):
            figures.add("launch", name, "dfrs", run[name])


def campaigns(build, figures):
    """The papers' evaluation, two threads, one run each."""
    build.make("dfrs-sim")
    log = log_path()
    for row, words in (("182 weeks, the algorithms of table 2, both bounds", ["compare", log, "-a", "table2", "-j", "2"]),
                       ("all of table 2, 1,182 instances", ["reproduce", "rr7659", "--parts", "table2", "-j", "2"])):
        print(f"measure.py: dfrs-sim {' '.join(words)}", file=sys.stderr, flush=True)
        begun = time.monotonic()
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            child = subprocess.Popen(["./dfrs-sim", *words], cwd=build.folder, stdout=nowhere)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"measure.py: dfrs-sim {' '.join(words)} failed; run it alone to see why")
        build.commands.append(f"./dfrs-sim {' '.join(words)}".replace(log, LOG))
        figures.add("campaigns", row, "wall s", time.monotonic() - begun)
        figures.add("campaigns", row, "CPU s", usage.ru_utime + usage.ru_stime)
        figures.add("campaigns", row, "MiB", usage.ru_maxrss / 1024)


def pages(build, figures):
    """Timeline pages in headless Chromium."""
    build.make("dfrs-sim")
    log_path()
    with tempfile.TemporaryDirectory() as folder:  # the first run makes the pages
        for _ in range(RUNS):
            what = ""
            for line in build.run(["make", "-s", "bench-pages", f"PAGES={folder}"]).splitlines():
                if found := re.search(r"\.html: ([\d.]+) MB, (\d+) jobs, (\d+) changes", line):
                    for column, value in zip(("MB", "jobs", "changes"), found.groups()):
                        figures.add("pages", what, column, value)
                elif found := re.search(r"paint after ([\d.]+) s, drawn and ready after ([\d.]+) s", line):
                    figures.add("pages", what, "first", found[1])
                    figures.add("pages", what, "opens", found[2])
                elif found := re.search(r"pans over ([\d.e-]+) of the time at ([\d.]+) frames/s", line):
                    figures.add("pages", what, f"frames/s over {float(found[1]):g}", found[2])
                elif line.strip():
                    what = line.strip()
    build.commands = ["make bench-pages"]


def reasons(build, figures):
    """What reasons cost that nobody asks for, in instructions; a second run differs by a few in a million."""
    build.make("dfrs-sim")
    pattern = re.compile(r"^(.+?): ([\d,]+) without, ([\d,]+) with .*?, ([\d,]+) explaining", re.M)
    for algorithm, *counts in pattern.findall(build.run(["make", "-s", "bench-explain"])):
        for column, count in zip(("without", "with", "explaining"), counts):
            figures.add("reasons", algorithm, column, count.replace(",", ""))


PARTS = {part.__name__: part for part in (programs, controller, agent, delivery, slurmctld, launch, campaigns, pages, reasons)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--build", default=".", help="folder where dfrs is configured (default: this one)")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    figures, build = Figures(), Build(options.build)
    PARTS[options.part](build, figures)
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    figures.write(folder / f"{options.part}.csv")
    with open(folder / f"{options.part}.json", "w", encoding="utf-8") as out:
        json.dump({"commands": build.commands}, out)


if __name__ == "__main__":
    main()
