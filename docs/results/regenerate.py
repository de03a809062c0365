#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Regenerates the figures of docs/results.

  regenerate.py run [NAME...] --program PROGRAM --work FOLDER   runs what is missing in FOLDER, then data and pages
  regenerate.py pages                                           pages from docs/results/data
  regenerate.py check                                           fails if a page differs from its data

A page takes its tables from docs/results/data between <!-- BEGIN name --> and <!-- END name -->. To join, add an entry
to EXPERIMENTS and its blocks to BLOCKS.
"""
import argparse
import collections
import csv
import json
import math
import os
import random
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data")
RESAMPLES, SEED = 2000, 20100419
Experiment = collections.namedtuple("Experiment", "arguments seeds")

# A run per seed: one that was interrupted begins again, the others are kept.
EXPERIMENTS = {
    "dynp": Experiment("reproduce dynp --parts table3,table4,table5,table6 --instances 1", range(1, 21)),
}


def bca(values):
    """The 95 % interval of the mean, as sim/metrics/bootstrap.h has it, with other random numbers."""
    normal, count, mean = statistics.NormalDist(), len(values), statistics.fmean(values)
    if max(values) == min(values):
        return mean, mean
    draw = random.Random(SEED)
    means = sorted(statistics.fmean(draw.choices(values, k=count)) for _ in range(RESAMPLES))
    share = sum(m < mean for m in means) / RESAMPLES
    bias = normal.inv_cdf(min(max(share, 0.5 / RESAMPLES), 1 - 0.5 / RESAMPLES))
    squares = sum((v - mean) ** 2 for v in values)
    skew = sum((v - mean) ** 3 for v in values) / (6 * squares**1.5)

    def end(probability):
        z = bias + normal.inv_cdf(probability)
        place = normal.cdf(bias + z / (1 - skew * z)) * (RESAMPLES - 1)
        below = int(place)
        above = min(below + 1, RESAMPLES - 1)
        return means[below] + (place - below) * (means[above] - means[below])

    return end(0.025), end(0.975)


def machine():
    model = "unknown CPU"
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{model}, {os.cpu_count()} cores"


def run(name, program, work):
    """Runs what has no results yet, and notes what each run took."""
    experiment = EXPERIMENTS[name]
    for seed in experiment.seeds:
        folder = os.path.join(work, name, str(seed))
        note = os.path.join(folder, "run.json")
        if os.path.exists(note):
            continue
        os.makedirs(folder, exist_ok=True)
        words = [program, *experiment.arguments.split(), "--seed", str(seed), "-j", "1", "-o", folder]
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit(f"regenerate.py: {' '.join(words)} failed; run it alone to see why")
        facts = {"cpu_s": usage.ru_utime + usage.ru_stime, "peak_mib": usage.ru_maxrss / 1024, "machine": machine()}
        with open(note + ".tmp", "w", encoding="utf-8") as out:
            json.dump(facts, out)
        os.replace(note + ".tmp", note)
        print(f"{name}: seed {seed}: {facts['cpu_s']:.1f} s", flush=True)


def collect(name, work):
    """Writes data/NAME.csv, a line per cell with the values of all runs, and data/NAME.runs.json."""
    cells, published, notes = {}, {}, []
    for seed in EXPERIMENTS[name].seeds:
        folder = os.path.join(work, name, str(seed))
        with open(os.path.join(folder, name + ".csv"), encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                key = (row["table"], row["row"], row["column"])
                cells.setdefault(key, []).append(float(row["measured"]))
                published[key] = row["published"]
        with open(os.path.join(folder, "run.json"), encoding="utf-8") as lines:
            notes.append(json.load(lines))
    os.makedirs(DATA, exist_ok=True)
    with open(os.path.join(DATA, name + ".csv"), "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["table", "row", "column", "published", "mean", "low", "high", "median", "values"])
        for key, values in cells.items():
            if len(values) != len(notes):
                sys.exit(f"regenerate.py: {name}: {key} is missing in some runs; remove them from {work} and run again")
            low, high = bca(values)
            figures = [statistics.fmean(values), low, high, statistics.median(values)]
            writer.writerow([*key, published[key], *(f"{f:.6g}" for f in figures), " ".join(f"{v:.6g}" for v in values)])
    summary = {
        "command": f"dfrs-sim {EXPERIMENTS[name].arguments} --seed N",
        "seeds": " ".join(str(seed) for seed in EXPERIMENTS[name].seeds),
        "runs": len(notes),
        "cpu_s": round(sum(n["cpu_s"] for n in notes), 1),
        "peak_mib": round(max(n["peak_mib"] for n in notes)),
        "machine": "; ".join(sorted({n["machine"] for n in notes})),
    }
    with open(os.path.join(DATA, name + ".runs.json"), "w", encoding="utf-8") as out:
        json.dump(summary, out, indent=2)
        out.write("\n")


def read(name):
    with open(os.path.join(DATA, name + ".csv"), encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def number(text):
    value = float(text)
    size = abs(value)
    return f"{value:,.0f}" if size >= 1000 else f"{value:.3g}" if size else "0"


def comparison(table):
    def block(name):
        """published / mean [low, high; median] / ratio, a line per row and a column per column of the paper."""
        rows = [r for r in read(name) if r["table"] == table]
        columns = list(dict.fromkeys(r["column"] for r in rows))
        out = ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
        for row in dict.fromkeys(r["row"] for r in rows):
            texts = []
            for column in columns:
                cell = next((r for r in rows if r["row"] == row and r["column"] == column), None)
                if cell is None:
                    texts.append("")
                    continue
                text = number(cell["mean"])
                if cell["low"] != cell["high"]:
                    text += f" [{number(cell['low'])}, {number(cell['high'])}; {number(cell['median'])}]"
                if cell["published"]:
                    text = number(cell["published"]) + " / " + text
                    if float(cell["published"]):
                        text += f" / {float(cell['mean']) / float(cell['published']):.2f}"
                texts.append(text)
            out.append(f"| {row} | " + " | ".join(texts) + " |")
        return out

    return block


def runs(name):
    with open(os.path.join(DATA, name + ".runs.json"), encoding="utf-8") as lines:
        facts = json.load(lines)
    return [
        f"`{facts['command']}`, N of {facts['seeds']}: {facts['runs']} runs, {facts['cpu_s']} s of CPU time together, at most "
        f"{facts['peak_mib']} MiB, on {facts['machine']}."
    ]


def wait_and_load(name):
    """How the wait follows the utilization over the drawn sets of a machine."""
    rows = {(r["row"], r["column"]): r for r in read(name) if r["table"] == "table5"}

    def values(key):
        return [float(v) for v in rows[key]["values"].split()]

    out = ["| | published UTIL; wait [s] | UTIL of the sets [%] | wait of the sets [s] | correlation of UTIL and log wait "
           "| sets that wait no longer than published |", "|---|---|---|---|---|---|"]
    for column in dict.fromkeys(c for _, c in rows):
        wait_key = next(k for k in rows if k[1] == column and "wait" in k[0])
        util_key = next(k for k in rows if k[1] == column and "util" in k[0].lower())
        wait, util = values(wait_key), values(util_key)
        r = statistics.correlation(util, [math.log(w) for w in wait])
        published = float(rows[wait_key]["published"])
        out.append(f"| {column} | {rows[util_key]['published']} %; {published:,.0f} | {min(util):.1f} to {max(util):.1f} "
                   f"| {min(wait):,.0f} to {max(wait):,.0f} | {r:.2f} | {sum(w <= published for w in wait)} of {len(wait)} |")
    return out


# page, block -> its lines
BLOCKS = {
    "dynp": {
        "runs": runs,
        "table4": comparison("table4"),
        "wait": wait_and_load,
        "table5": comparison("table5"),
        "table6": comparison("table6"),
        "table3": comparison("table3"),
    },
}


def page_text(name):
    """The page as it is and as its data say."""
    path = os.path.join(HERE, name + ".md")
    with open(path, encoding="utf-8") as lines:
        old = lines.read()
    new = old
    for block, lines in BLOCKS[name].items():
        begin, end = f"<!-- BEGIN {block} -->\n", f"<!-- END {block} -->\n"
        if new.count(begin) != 1 or new.count(end) != 1 or new.index(begin) > new.index(end):
            sys.exit(f"regenerate.py: {path}: expected one '{begin.strip()}' and, after it, one '{end.strip()}'")
        new = new[: new.index(begin) + len(begin)] + "\n" + "\n".join(lines(name)) + "\n\n" + new[new.index(end) :]
    return path, old, new


def main():
    parser = argparse.ArgumentParser(description="Regenerates the figures of docs/results.")
    parser.add_argument("action", choices=["run", "pages", "check"])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(EXPERIMENTS)} (default: all)")
    parser.add_argument("--program", default="./dfrs-sim")
    parser.add_argument("--work", default="results-runs", help="folder with finished runs")
    options = parser.parse_args()
    names = options.names or list(EXPERIMENTS)
    for name in names:
        if name not in EXPERIMENTS:
            sys.exit(f"regenerate.py: there is no '{name}'; expected {', '.join(EXPERIMENTS)}")
        if options.action == "run":
            run(name, options.program, options.work)
            collect(name, options.work)
    differing = 0
    for name in names:
        path, old, new = page_text(name)
        if options.action == "check":
            differing += old != new
            if old != new:
                print(f"FAIL: {path} differs from its data; run make results-pages")
        elif old != new:
            with open(path, "w", encoding="utf-8") as out:
                out.write(new)
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
