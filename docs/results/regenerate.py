#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Regenerates the figures of docs/results.

  regenerate.py run [NAME...] --program PROGRAM --work FOLDER   runs what is missing in FOLDER, then data and pages
  regenerate.py pages                                           pages from docs/results/data
  regenerate.py check                                           fails if a page differs from its data

`--instances N` runs a subset; the page then names it. A page takes its tables from docs/results/data between
<!-- BEGIN name --> and <!-- END name -->. To join, add an entry to EXPERIMENTS and its blocks to BLOCKS. CHARTS in docs/images
are drawn from the data, too. Means, medians and intervals are the program's.
"""
import argparse
import csv
import datetime
import json
import math
import os
import re
import shutil
import sqlite3
import statistics
import sys
import textwrap
import time

sys.dont_write_bytecode = True
import performance  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data")
IMAGES = os.path.join(HERE, "..", "images")
KEPT = ["table", "row", "column", "published", "measured", "median", "low", "high", "another_low", "another_high"]

# The paper, and the options of its reproduction.
EXPERIMENTS = {
    "dynp": "--parts table3,table4,table5,table5-sets,table6 --instances 20",
    "dynp-queue": "--assume queue --parts table4,table5,table6 --instances 20",
    "gang-cloud": "--parts table1,figure2a,figure2b,figure3,lease",
    "gang-cloud-readings": "--parts readings --instances 10",
    "ipdps2010": "--parts table1,table2,figure1a,figure1a-text,figure1b",
    "ipdps2010-assumptions": "--parts table2-assumptions,table2-assumptions-cells --instances 50",
    "ipdps2010-newest": "--assume newest --parts table1,table2,figure1a-text",
    "rivals": "",
    "rr5724": "",
    "rr5724-fit": "--assume fit",
    "rr7659": "--parts table5,table6,figure5,figure6",
    "rr7659-assumptions": "--parts table3-assumptions,table3-assumptions-cells",
    "rr7659-fit": "--assume fit --parts table5,table6",
    "rr7659-scaled": "--parts table3,table4,table4-assumptions,table7,table8,table9,table10,figure1,figure7,figure8,figure9",
    "rr7659-fit-scaled": "--assume fit --parts table7,table8,table9,table10",
    "rr7659-ties": "--assume ties --parts table5,table6,table8,table9,table10",
    "sc15": "--parts kth,ctc,predictors-kth,predictors-ctc,errors-kth,errors-ctc,errors-hpc2n",
    "triage": "--parts weeks,weeks-split,weeks-free,optimum,optimum-weeks,worlds,swap,mixed,logs-ctc,logs-kth,"
              "robust,lublin,lublin-load-costs,losses,sensitivity-all",
}

# Names of experiments that are not the reproduction's.
REPRODUCTIONS = {"dynp-queue": "dynp", "gang-cloud-readings": "gang-cloud", "rr5724-fit": "rr5724",
                 **{f"ipdps2010-{rest}": "ipdps2010" for rest in ("assumptions", "newest")},
                 **{f"rr7659-{rest}": "rr7659" for rest in ("assumptions", "fit", "fit-scaled", "scaled", "ties")}}
# Benchmarks of performance.md, by tests/bench/measure.py.
MEASUREMENTS = [f"performance-{part}" for part in performance.PARTS]
# The second simulators of sc15.md, by a script of the tests that writes their data. They need two more logs.
SECOND = "sc15-second"
# Parts of these experiments that run apart.
APART = {"rr7659": ["rr7659-scaled"], "rr7659-fit": ["rr7659-fit-scaled"]}
# Images that the command draws, from its folder to docs/images.
PICTURES = {"rivals": ["rivals-gain.svg", "rivals-stability.svg", "rivals-stable.svg"]}

ALL = [*EXPERIMENTS, SECOND, *MEASUREMENTS]


def reproduction(name):
    return REPRODUCTIONS.get(name, name)


def machine():
    model = "unknown CPU"
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{model}, {os.cpu_count()} cores"


def stored_seconds(path):
    """CPU time of the simulations in a store."""
    if not os.path.exists(path):
        return 0.0
    with sqlite3.connect(path) as store:
        return store.execute("SELECT total(cpu_seconds) FROM results").fetchone()[0]


def command_of(name, arguments):
    return f"dfrs-sim reproduce {reproduction(name)} {arguments}".rstrip()


def run(name, program, work, instances, threads):
    """Runs the experiment unless its folder has results, and notes what it took. A store in the folder is continued."""
    arguments = EXPERIMENTS[name]
    if instances:
        arguments = " ".join([*arguments.split(" --instances ")[0].split(), "--instances", str(instances)])
    folder = os.path.join(work, name)
    note = os.path.join(folder, "run.json")
    if os.path.exists(note):
        with open(note, encoding="utf-8") as lines:
            if json.load(lines)["arguments"] == arguments:
                return
    os.makedirs(folder, exist_ok=True)
    store = os.path.join(folder, reproduction(name) + ".db")
    before = stored_seconds(store)
    words = [program, "reproduce", reproduction(name), *arguments.split(), "-j", str(threads), "-o", folder]
    begun = time.monotonic()
    child = os.posix_spawn(program, words, os.environ,
                           file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"regenerate.py: {' '.join(words)} failed; run it alone to see why")
    report = os.path.join(folder, reproduction(name) + ".md")
    refuse_without_logs(report)
    facts = {
        "arguments": arguments,
        "simulations": simulations_of(report),
        "cpu_s": before + usage.ru_utime + usage.ru_stime,
        "elapsed_s": None if before else round(time.monotonic() - begun),
        "threads": threads,
        "peak_mib": usage.ru_maxrss / 1024,
        "machine": machine(),
    }
    with open(note + ".tmp", "w", encoding="utf-8") as out:
        json.dump(facts, out)
    os.replace(note + ".tmp", note)
    print(f"{name}: {facts['cpu_s']:.0f} s of CPU time", flush=True)


def measure(name, program, work):
    """Runs the benchmark unless its folder has results, and copies them to the data."""
    part = name.removeprefix("performance-")
    folder = os.path.join(work, name)
    note = os.path.join(folder, "run.json")
    if not os.path.exists(note):
        script = os.path.join(HERE, "..", "..", "tests", "bench", "measure.py")
        words = [sys.executable, "-B", script, part, "--build", os.path.dirname(os.path.abspath(program)), "-o", folder]
        begun = time.monotonic()
        _, status, usage = os.wait4(os.posix_spawn(sys.executable, words, os.environ), 0)
        if status != 0:
            sys.exit(f"regenerate.py: {' '.join(words)} failed; run it alone to see why")
        with open(os.path.join(folder, f"{part}.json"), encoding="utf-8") as lines:
            daemons = part in ("slurmctld", "launch")  # they are not waited for; what they take is in the table
            facts = {"commands": json.load(lines)["commands"],
                     "cpu_s": None if daemons else round(usage.ru_utime + usage.ru_stime),
                     "peak_mib": None if daemons else round(usage.ru_maxrss / 1024),
                     "elapsed_s": round(time.monotonic() - begun),
                     "machine": machine(), "date": datetime.date.today().isoformat()}
        with open(note + ".tmp", "w", encoding="utf-8") as out:
            json.dump(facts, out, indent=2)
            out.write("\n")
        os.replace(note + ".tmp", note)
        print(f"{name}: {facts['elapsed_s']} s", flush=True)
    os.makedirs(DATA, exist_ok=True)
    shutil.copyfile(os.path.join(folder, f"{part}.csv"), os.path.join(DATA, f"{name}.csv"))
    shutil.copyfile(note, os.path.join(DATA, f"{name}.runs.json"))


def second_simulators(program):
    """Whether all went well."""
    script = os.path.join(HERE, "..", "..", "tests", "published", "second_test.py")
    words = [sys.executable, "-B", script, "--write"]
    _, status, _ = os.wait4(os.posix_spawn(sys.executable, words, {**os.environ, "DFRS_SIM": program}), 0)
    return status == 0


def simulations_of(report):
    """How many simulations made the report."""
    with open(report, encoding="utf-8") as lines:
        return int(re.search(r"^- \*simulations\*: `(\d+)`$", lines.read(), re.MULTILINE)[1])


def refuse_without_logs(report):
    """A part that was left out for lack of a log would leave the page without its figures."""
    with open(report, encoding="utf-8") as lines:
        text = " ".join(lines.read().split())
    if missing := re.search(r"Left out, because it needs the log (\S+)", text):
        sys.exit(f"regenerate.py: {report} lacks the parts that need {missing[1]}; set DFRS_TRACES to the logs' folder, "
                 "and run it again")


def collect(name, work):
    """Writes data/NAME.csv, the program's cells without the machine's paths, and data/NAME.runs.json."""
    folder = os.path.join(work, name)
    os.makedirs(DATA, exist_ok=True)
    with open(os.path.join(folder, reproduction(name) + ".csv"), encoding="utf-8") as lines, open(
        os.path.join(DATA, name + ".csv"), "w", encoding="utf-8", newline=""
    ) as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(KEPT)
        for row in csv.DictReader(lines):
            writer.writerow([short(row[column]) for column in KEPT])
    with open(os.path.join(folder, "run.json"), encoding="utf-8") as lines:
        facts = json.load(lines)
    facts["command"] = command_of(name, facts.pop("arguments"))
    facts["cpu_s"] = round(facts["cpu_s"])
    facts["peak_mib"] = round(facts["peak_mib"])
    with open(os.path.join(DATA, name + ".runs.json"), "w", encoding="utf-8") as out:
        json.dump(facts, out, indent=2)
        out.write("\n")
    for picture in PICTURES.get(name, []):
        shutil.copyfile(os.path.join(folder, picture), os.path.join(IMAGES, picture))


def short(text):
    try:
        return f"{float(text):.6g}"
    except ValueError:
        return text


def read(name):
    """The cells of an experiment and of its parts that ran apart."""
    rows = []
    for part in [name, *APART.get(name, [])]:
        with open(os.path.join(DATA, part + ".csv"), encoding="utf-8") as lines:
            rows += csv.DictReader(lines)
    return rows


def escaped(name):
    return name.replace("*", chr(92) + "*")


def number(text):
    try:
        value = float(text)
    except ValueError:  # a name
        return escaped(text)
    size = abs(value)
    return f"{value:,.0f}" if size >= 1000 else f"{value:.3g}" if size else "0"


def cell_text(cell, order):
    text = number(cell["measured"])
    if cell["low"] and cell["low"] != cell["high"]:
        median = "" if order == "median apart" else f"; {number(cell['median'])}"
        text += f" [{number(cell['low'])}, {number(cell['high'])}{median}]"
    if not cell["published"]:
        return text
    ratio = f"{float(cell['measured']) / float(cell['published']):.2f}" if float(cell["published"]) else ""
    if order == "published first":
        return number(cell["published"]) + " / " + text + (f" / {ratio}" if ratio else "")
    return f"{text} ({number(cell['published'])}{', ' + ratio if ratio else ''})"


def table(name, part, order="measured first"):
    """A line per row and a column per column of the paper."""

    def block():
        cells = [r for r in read(name) if r["table"] == part]
        heads = list(dict.fromkeys(r["column"] for r in cells))
        found = {(r["row"], r["column"]): r for r in cells}
        out = ["| | " + " | ".join(escaped(head) for head in heads) + " |", "|---" * (len(heads) + 1) + "|"]
        for row in dict.fromkeys(r["row"] for r in cells):
            texts = [cell_text(found[row, head], order) if (row, head) in found else "" for head in heads]
            out.append(f"| {escaped(row)} | " + " | ".join(texts) + " |")
        return out

    return block


def as_printed(value, digits, known=12):
    """With so many digits after the point, if the data have them: so many in all."""
    if not value:
        return "-"
    return f"{float(value):,.{max(0, min(digits, known - len(str(int(float(value))))))}f}"


def second_simulator(part, logs):
    """SC'15's figures / those of tests/published/sc15.py on each of the logs / dfrs-sim's."""

    def block():
        cells = {(r["table"], r["row"], r["column"]): r for r in read("sc15-second")}
        ours = {(r["row"], r["column"]): r["measured"] for r in read("sc15") if r["table"] == part}
        heads = list(dict.fromkeys(column for table, _, column in cells if table == part))
        out = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
        for row in dict.fromkeys(row for table, row, _ in cells if table == part):
            texts = []
            for head in heads:
                digits = 2 if "mean bounded" in head else 1
                values = [cells[part, row, head]["published"]] + [cells[log, row, head]["measured"] for log in logs]
                texts.append(" / ".join([*(as_printed(value, digits) for value in values),
                                         as_printed(ours[row, head], digits, known=6)]))
            out.append(f"| {row} | " + " | ".join(texts) + " |")
        return out

    return block


def rlscheduler():
    """Its figures / those of tests/published/rlscheduler.py / dfrs-sim's."""
    cells = read("rlscheduler")
    orders = list(dict.fromkeys(r["order"] for r in cells))
    out = ["| log, backfilling | " + " | ".join(orders) + " |", "|---" * (len(orders) + 1) + "|"]
    for log, backfilling in dict.fromkeys((r["log"], r["backfilling"]) for r in cells):
        texts = [" / ".join(as_printed(r[column], 2) for column in ("published", "second", "dfrs-sim"))
                 for r in cells if (r["log"], r["backfilling"]) == (log, backfilling)]
        out.append(f"| {log}, {backfilling} | " + " | ".join(texts) + " |")
    return out


def runs(name):
    def block():
        with open(os.path.join(DATA, name + ".runs.json"), encoding="utf-8") as lines:
            facts = json.load(lines)
        took = f", {facts['elapsed_s']:,} s by {facts['threads']} thread{'s' * (facts['threads'] > 1)}" if facts.get("elapsed_s") else ""
        return [f"`{facts['command']}`: {facts['simulations']:,} simulations, {facts['cpu_s']:,} s of CPU time{took}, at most "
                f"{facts['peak_mib']} MiB, on {facts['machine']}."]

    return block


def near(measured, published):
    # Equal as printed: the published figure has so many digits.
    digits = len(published.split(".")[1]) if "." in published else 0
    m, p = float(measured), float(published)
    return abs(m - p) <= 0.1 * abs(p) or round(m, digits) == p


def agreement(cells):
    """How many cells are near, and the geometric mean of measured / published."""
    close = sum(near(r["measured"], r["published"]) for r in cells)
    return f"{close}, {statistics.geometric_mean(float(r['measured']) / float(r['published']) for r in cells):.2f}"


def by_family(name, reading, part):
    """A line per family of algorithms (the name before OPT), first as usual, then under the reading."""

    def block():
        kinds = {"avg.": "averages", "std.": "standard deviations", "max": "maxima"}
        other = {place(r): r for r in read(reading)}
        families = {}
        for r in read(name):
            if r["table"] == part and r["published"] and "/OPT=" in r["row"]:
                families.setdefault(r["row"].split("/OPT=")[0], []).append(r)
        out = ["| | cells | " + " | ".join(kinds.values()) + " |",
               "|---|---:|" + "---:|" * len(kinds)]
        families["all"] = [r for cells in families.values() for r in cells]
        for family, cells in families.items():
            texts = []
            for kind in kinds:
                pairs = [(r, other[place(r)]) for r in cells if r["column"] == kind]
                texts.append("; ".join(agreement(side) for side in zip(*pairs)))
            out.append(f"| {escaped(family)} | {len(cells)} | " + " | ".join(texts) + " |")
        return out

    return block


def fine_search():
    """Averages of /stretch-per in tables 8 to 10, as usual and with a finer search."""
    usual, fit = ({place(r): r for r in read(name)} for name in ("rr7659", "rr7659-fit"))
    out = ["| | " + " | ".join(f"{word} {unit}" for word in ("pauses", "moves") for unit in ("GB/s", "an hour", "a job")) + " |",
           "|---" * 7 + "|"]
    for row in ("/per/OPT=MIN", "/stretch-per/OPT=MAX", "/stretch-per/OPT=AVG"):
        for label, side in (("", usual), (", `fit`", fit)):
            cells = [side[table, row, f"{event} {unit} avg."] for event in ("pmtn", "mig")
                     for table, unit in (("table8", "GB/s"), ("table9", "/hour"), ("table10", "/job"))]
            texts = [f"{float(c['measured']) / float(c['published']):.2f}" for c in cells]
            out.append(f"| {row}{label} | " + " | ".join(texts) + " |")
    return out


def by_reading(name, readings, parts):
    """A line per table and kind of figures: as usual and under each reading."""

    def block():
        sides = {"as usual": read(name), **{word: read(reading) for word, reading in readings.items()}}
        sides = {word: {place(r): r for r in rows} for word, rows in sides.items()}
        out = ["| table | figures | cells | " + " | ".join(sides) + " |", "|---|---|---:" + "|---:" * len(sides) + "|"]
        for part in parts:
            kinds = {}
            for r in sides["as usual"].values():
                if r["table"] == part and r["published"] and float(r["published"]) > 0 and "/OPT=" in r["row"]:
                    kinds.setdefault(kind_of(r["column"]), []).append(place(r))
            for kind, cells in kinds.items():
                known = ([side[c] for c in cells if c in side] for side in sides.values())
                texts = [agreement(cells_of_side) if cells_of_side else "" for cells_of_side in known]
                out.append(f"| {part.removeprefix('table')} | {kind} | {len(cells)} | " + " | ".join(texts) + " |")
        return out

    return block


def chance(name, parts, same_instances):
    """Published averages of workloads that the paper drew otherwise: is the published figure in our interval?"""

    def block():
        out = ["| table | averages | within 10 % | others in our 95 % interval | neither |", "|---|---:|---:|---:|---:|"]
        for part in parts:
            cells = [r for r in read(name) if r["table"] == part and r["published"] and r["low"]
                     and not r["column"].startswith(same_instances) and r["row"] != "EASY/extra-only"]
            met = sum(near(r["measured"], r["published"]) for r in cells)
            inside = sum(not near(r["measured"], r["published"])
                         and float(r["low"]) <= float(r["published"]) <= float(r["high"]) for r in cells)
            out.append(f"| {part} | {len(cells)} | {met} | {inside} | {len(cells) - met - inside} |")
        return out

    return block


def in_another_draw(cell, times_papers=1):
    """Would a second draw lie so far from ours in 5 of 100 cases or more? The program says, except for means whose draws
    it cannot simulate or that have more values than the paper's. The difference of two means varies 1.41 times as much as
    one if the draws are equally large; ours is `times_papers` as large as the paper's. On a logarithmic scale, since the
    tails are heavy."""
    if cell.get("another_low"):
        return times_papers == 1 and float(cell["another_low"]) <= float(cell["published"]) <= float(cell["another_high"])
    if not cell["low"] or min(float(cell[k]) for k in ("measured", "low", "high", "published")) <= 0:
        return False
    middle, low, high, published = (math.log(float(cell[k])) for k in ("measured", "low", "high", "published"))
    wider = math.sqrt(1 + times_papers)
    return middle - wider * (middle - low) <= published <= middle + wider * (high - middle)


def kind_of(column):
    """"max-stretch SD" is a standard deviation."""
    last = column.split()[-1].rstrip(".")
    for kind, words in (("averages", ("avg", "mean")), ("standard deviations", ("std", "SD")), ("maxima", ("max",))):
        if last in words:
            return kind
    return "averages"


# One reading of what a paper leaves open for all of its tables.
READINGS = {"dynp": "dynp-queue", "ipdps2010": "ipdps2010-newest", "rr5724": "rr5724-fit", "rr7659": "rr7659-fit"}
VERDICTS = ["within 10 %", "by EASY/extra-only", "by a reading", "by another draw", "not explained"]


def place(cell):
    return cell["table"], cell["row"], cell["column"]


def judged(name, parts):
    """The published cells of these parts, each with the number of its verdict in VERDICTS."""
    rows = [r for r in read(name) if r["table"] in parts]
    extra = {(r["table"], r["column"]): r for r in rows if r["row"] == "EASY/extra-only"}
    read_so = {place(r): r for r in read(READINGS[name])} if name in READINGS else {}
    for r in rows:
        if not r["published"] or r["row"] == "EASY/extra-only":
            continue
        variant = extra.get((r["table"], r["column"])) if r["row"] == "EASY" else None
        reading = read_so.get(place(r))
        draws = [(name, r)] + ([(READINGS[name], reading)] if reading else [])
        if near(r["measured"], r["published"]):
            yield r, 0
        elif variant and near(variant["measured"], r["published"]):
            yield r, 1
        elif reading and near(reading["measured"], r["published"]):
            yield r, 2
        elif not same_jobs(name, r) and any(in_another_draw(c, DRAWN[of]) for of, c in draws if of in DRAWN):
            yield r, 3
        else:
            yield r, 4


# Experiments whose workloads are drawn from a model: our instances over the paper's.
DRAWN = {"rr7659": 1, "rr7659-fit": 1, "ipdps2010": 1, "ipdps2010-newest": 1, "rr5724": 1, "rr5724-fit": 1, "dynp": 20,
         "dynp-queue": 20}


def same_jobs(name, cell):
    """The paper's own: HPC2N's weeks."""
    return cell["column"].startswith("HPC2N") or (name, cell["table"]) == ("rr7659", "table5")


def counted(cells, label):
    """A line: how many, and how many of each verdict."""
    verdicts = [verdict for _, verdict in cells]
    counts = [len(verdicts)] + [verdicts.count(k) for k in range(len(VERDICTS))]
    return f"| {label} | " + " | ".join(f"{n:,}" for n in counts) + " |"


def account(name, parts):
    """How each published figure compares: EASY by its variant, drawn workloads by what another draw would give."""

    def block():
        out = ["| table | figures | cells | " + " | ".join(VERDICTS) + " |", "|---|---|---:" + "|---:" * len(VERDICTS) + "|"]
        every = []
        for part in parts:
            cells = list(judged(name, [part]))
            for kind in dict.fromkeys(kind_of(r["column"]) for r, _ in cells):
                out.append(counted([c for c in cells if kind_of(c[0]["column"]) == kind],
                                   f"{part.removeprefix('table')} | {kind}"))
            every += cells
        out.append(counted(every, "all |"))
        return out

    return block


# The rows of RR-7659's table 2, whose cells are those of tables 5 to 7.
TABLE2 = ["FCFS", "EASY", "EASY/extra-only", "Greedy*", "GreedyP*", "GreedyPM*",
          *(f"Greedy{p}{star}/per" for star in ("", "*") for p in ("", "P", "PM")),
          *(f"Greedy{p}{star}/per/MINVT=600" for star in ("", "*") for p in ("P", "PM")),
          *(f"{name}/MINVT=600" for name in ("MCB8*", "MCB8/per", "MCB8*/per", "/per", "/stretch-per/OPT=MAX"))]


def table2():
    cells = {place(r): r for r in read("rr7659")}
    sets = {"table5": "HPC2N", "table6": "unscaled", "table7": "scaled"}
    columns = [(part, kind) for part in sets for kind in ("avg.", "max")]
    out = ["| table 2 | " + " | ".join(f"{sets[part]} {kind}" for part, kind in columns) + " |",
           "|---" + "|---:" * len(columns) + "|"]
    for row in TABLE2:
        head, _, bound = row.partition("/MINVT")
        plain = head if head in ("FCFS", "EASY", "EASY/extra-only") or "OPT=" in head else head + "/OPT=MIN"
        name = plain + "/MINVT" * bool(bound) + bound
        texts = [cell_text(cells[part, name, kind], "measured first") for part, kind in columns]
        out.append(f"| {escaped(row)} | " + " | ".join(texts) + " |")
    return out


RR7659_TABLES = [f"table{k}" for k in (5, 6, 7, 8, 9, 10)]
RR5724_TABLES = [f"table{k}" for k in range(1, 17)]
# paper, experiment, parts, kinds of figures (all if empty)
ACCOUNTS = [
    ("[RR-7659](rr7659.md), tables 5 to 7", "rr7659", ["table5", "table6", "table7"], ["averages"]),
    ("the same", "rr7659", ["table5", "table6", "table7"], ["standard deviations", "maxima"]),
    ("RR-7659, tables 8 to 10", "rr7659", ["table8", "table9", "table10"], ["averages"]),
    ("the same", "rr7659", ["table8", "table9", "table10"], ["maxima"]),
    ("[IPDPS 2010](ipdps2010.md), tables I and II, figure 1", "ipdps2010", ["table1", "table2", "figure1a-text"], []),
    ("[RR-5724](rr5724.md), tables 1 to 16", "rr5724", RR5724_TABLES, ["averages"]),
    ("the same", "rr5724", RR5724_TABLES, ["standard deviations", "maxima"]),
    ("[dynP](dynp.md), tables 3 to 6", "dynp", ["table3", "table4", "table5", "table6"], []),
    ("[gang-cloud](gang-cloud.md), table I", "gang-cloud", ["table1"], []),
    ("[SC'15](sc15.md), KTH", "sc15", ["kth"], []),
    ("SC'15, CTC", "sc15", ["ctc"], []),
]


def account_of_all():
    """All papers, from the data of their pages."""
    out = ["| paper | figures | cells | " + " | ".join(VERDICTS) + " |", "|---|---|---:" + "|---:" * len(VERDICTS) + "|"]
    every = []
    for label, name, parts, kinds in ACCOUNTS:
        cells = [c for c in judged(name, parts) if not kinds or kind_of(c[0]["column"]) in kinds]
        out.append(counted(cells, f"{label} | {' and '.join(kinds) or 'all'}"))
        every += cells
    out.append(counted(every, "all |"))
    return out


def widths_of_draws():
    """How long the intervals are by which draws explain figures, where the program simulates draws."""
    factors = []
    for name, parts in dict.fromkeys((name, tuple(parts)) for _, name, parts, _ in ACCOUNTS):
        read_so = {place(r): r for r in read(READINGS[name])} if name in READINGS else {}
        for cell, verdict in judged(name, parts):
            if VERDICTS[verdict] != "by another draw":
                continue
            lengths = [float(c["another_high"]) / float(c["another_low"]) for c in (cell, read_so.get(place(cell)))
                       if c and float(c.get("another_low") or 0) > 0 and in_another_draw(c)]
            if lengths:
                factors.append(min(lengths))
    counts = [sum(f <= limit for f in factors) for limit in (3, 10, 100)]
    text = (f"Of the {len(factors):,} figures that simulated draws explain, {counts[0]:,} lie in intervals whose ends differ by "
            f"a factor of 3 or less, {counts[1] - counts[0]:,} by 3 to 10, {counts[2] - counts[1]:,} by 10 to 100 and "
            f"{len(factors) - counts[2]:,} by more. The last two kinds say little.")
    return textwrap.wrap(text, 120)


def beside_reference(part):
    """Average, standard deviation and maximum: the paper's, an independent simulator's, and ours with the average's interval
    and median."""

    def block():
        cells = {place(r): r for r in read("rr7659")}
        kinds = ("avg.", "std.", "max")
        out = ["| algorithm | RR-7659 | reference | dfrs-sim |", "|---|---|---|---|"]
        with open(os.path.join(DATA, "rr7659-reference.csv"), encoding="utf-8") as lines:
            for r in csv.DictReader(lines):
                if r["table"] != part:
                    continue
                ours = [cells[part, r["row"], kind] for kind in kinds]
                reference = " / ".join(number(r[kind]) for kind in kinds)
                texts = [cell_text({**ours[0], "published": ""}, "measured first"), *(number(c["measured"]) for c in ours[1:])]
                out.append(f"| {escaped(r['row'])} | {' / '.join(number(c['published']) for c in ours)} | {reference} "
                           f"| {' / '.join(texts)} |")
        return out

    return block


def by_algorithm(name, part, chosen):
    """Measured / published of each algorithm under the chosen assumptions, one after the other; one that is no different
    from those before it is left out."""

    def block():
        found = {(*r["row"].split(": ", 1), r["column"]): r for r in read(name) if r["table"] == part}
        heads = list(dict.fromkeys(column for _, _, column in found))
        out = ["| | " + " | ".join(heads) + " |", "|---" + "|---:" * len(heads) + "|"]
        for algorithm in dict.fromkeys(algorithm for _, algorithm, _ in found):
            shown = {}
            for assumption in chosen:
                values = tuple(found[assumption, algorithm, head]["measured"] for head in heads)
                if values not in shown.values():
                    shown[assumption] = values
            texts = []
            for k, head in enumerate(heads):
                published = found["none", algorithm, head]["published"]
                if not published or float(published) == 0:
                    texts.append("-")
                    continue
                texts.append(", ".join(f"{float(values[k]) / float(published):.2f}" for values in shown.values()))
            out.append(f"| {escaped(algorithm)} | " + " | ".join(texts) + " |")
        return out

    return block


def assumptions_of_table4():
    """Ours by each way to average over the published."""
    found = {(*r["row"].split(": ", 1), r["column"]): r for r in read("rr7659") if r["table"] == "table4-assumptions"}
    ways = list(dict.fromkeys(way for way, _, _ in found))
    out = ["| measured / published | " + " | ".join(ways) + " |", "|---" + "|---:" * len(ways) + "|"]
    for algorithm, column in dict.fromkeys((algorithm, column) for _, algorithm, column in found):
        cells = [found[way, algorithm, column] for way in ways]
        texts = [f"{float(c['measured']) / float(c['published']):.2f}" for c in cells]
        out.append(f"| {escaped(algorithm)}, {column} | " + " | ".join(texts) + " |")
    return out


def counted_once():
    """`fill` with resumes that count in numbers, as `fill-resumes`, but not in memory."""
    found = {(*r["row"].split(": ", 1), r["column"]): r for r in read("rr7659-assumptions")
             if r["table"] == "table3-assumptions-cells"}
    ratios = {}
    for (assumption, _, column), r in found.items():
        if assumption == ("fill" if "GB/s" in column else "fill-resumes") and r["published"] and float(r["published"]):
            ratios.setdefault(column, []).append(float(r["measured"]) / float(r["published"]))
    every = [q for some in ratios.values() for q in some]
    factor = math.exp(math.sqrt(statistics.mean(math.log(q) ** 2 for q in every)))
    means = [f"{statistics.geometric_mean(some):.2f}; {statistics.median(some):.2f}" for some in ratios.values()]
    return ["| mean; median | " + " | ".join(ratios) + " | cells within 10 % | typical factor |",
            "|---" + "|---:" * (len(ratios) + 2) + "|",
            f"| fill, resumes count in numbers only | {' | '.join(means)} | {sum(abs(q - 1) <= 0.1 for q in every)} | {factor:.2f} |"]


def ties_on_hpc2n():
    """Averages that the order of equal jobs decides."""
    usual, ties, fit = ({place(r): r for r in read(name)} for name in ("rr7659", "rr7659-ties", "rr7659-fit"))
    out = ["| | by submission | published | by priority | newest first (`fit`) |", "|---|---:|---:|---:|---:|"]
    for row in ("MCB8*/per/OPT=MIN/MINFT=300", "MCB8*/OPT=MIN/MINFT=300", "MCB8/per/OPT=MIN", "MCB8*/per/OPT=MIN"):
        at = ("table5", row, "avg.")
        texts = [cell_text({**side[at], "published": ""}, "measured first") for side in (usual, ties, fit)]
        out.append(f"| {escaped(row)} | {texts[0]} | {number(usual[at]['published'])} | {texts[1]} | {texts[2]} |")
    return out


def fit_of_rr5724():
    """Table 1 under `fit`, as `degradations`."""
    return degradations({"table1": ""}, ["max-stretch mean", "sum-stretch mean"], "rr5724-fit")()


def columns_of_rr5724():
    """A line per kind of figures: how many cells agree as usual, under `fit` only, or not; of means also by what exceeds 1."""
    read_so = {place(r): r for r in read("rr5724-fit")}
    groups = {f"{metric}-stretch {kind}": [] for metric in ("max", "sum") for kind in ("mean", "SD", "max")}
    for r in read("rr5724"):
        if r["published"] and r["column"] in groups:
            groups[r["column"]].append(r)
    out = ["| column | published | within 10 % | by `fit` | not explained |", "|---|---:|---:|---:|---:|"]

    def line(label, cells, value):
        close = [near_value(value(r["measured"]), value(r["published"])) for r in cells]
        close_so = [near_value(value(read_so[place(r)]["measured"]), value(r["published"])) for r in cells]
        met = sum(close)
        explained = sum(so and not usual for usual, so in zip(close, close_so))
        out.append(f"| {label} | {len(cells)} | {met} | {explained} | {len(cells) - met - explained} |")

    def plain(text):
        return float(text)

    for label, cells in groups.items():
        line(label, cells, plain)
    line("all", [r for cells in groups.values() for r in cells], plain)
    beyond = [r for label, cells in groups.items() if label.endswith("mean") for r in cells if float(r["published"]) > 1]
    line("means, by what exceeds 1", beyond, lambda text: float(text) - 1)
    return out


def near_value(measured, published):
    return abs(measured - published) <= 0.1 * abs(published)


def gang_figures():
    """AFCFS with FF at X-factor 10 and 20: what the paper gives as curves only."""
    found = {place(r): r for r in read("gang-cloud")}
    kinds = {"figure2a": "response time", "figure2b": "bounded slowdown", "figure3": "migrations", "lease": "lease time"}
    out = ["| q, lambda | " + " | ".join(kinds.values()) + " |", "|---" + "|---" * len(kinds) + "|"]
    for q in ("25", "50", "75"):
        for row in dict.fromkeys(row for part, row, _ in found if part == f"figure2a-q{q}"):
            texts = []
            for kind in kinds:
                cells = [found[f"{kind}-q{q}", row, column] for column in GANG_COLUMNS]
                texts.append(", ".join(cell_text(c, "median apart") for c in cells))
            out.append(f"| 0.{q}, {row} | " + " | ".join(texts) + " |")
    return out


GANG_COLUMNS = ["AFCFS FF-10", "AFCFS FF-20"]


def wait_and_load():
    """How the wait follows the utilization over the drawn sets of a machine."""
    rows = read("dynp")
    single = {}
    for r in rows:
        if r["table"] == "table5-sets":
            single.setdefault(r["column"], []).append(float(r["measured"]))
    table5 = {(r["row"], r["column"]): r for r in rows if r["table"] == "table5"}
    out = ["| | published UTIL; wait [s] | UTIL of the sets [%] | wait of the sets [s] | correlation of UTIL and log wait "
           "| sets that wait no longer than published |", "|---|---|---|---|---|---|"]
    for column in dict.fromkeys(c for _, c in table5):
        wait, util = single[column + " wait [s]"], single[column + " UTIL [%]"]
        published = float(next(r["published"] for k, r in table5.items() if k[1] == column and "wait" in k[0]))
        theirs = next(r["published"] for k, r in table5.items() if k[1] == column and "util" in k[0].lower())
        r = statistics.correlation(util, [math.log(w) for w in wait])
        out.append(f"| {column} | {theirs} %; {published:,.0f} | {min(util):.1f} to {max(util):.1f} "
                   f"| {min(wait):,.0f} to {max(wait):,.0f} | {r:.2f} | {sum(w <= published for w in wait)} of {len(wait)} |")
    return out


def ratios_of_fit():
    """Means of RR-5724 under `fit`, measured / published, by table; those more than 10 % off are bold."""
    found = {place(r): r for r in read("rr5724-fit")}
    titles = {1: "all", 2: "3 sites", 3: "10 sites", 4: "20 sites", 5: "density 0.75", 10: "density 3.00", 11: "3 databanks",
              13: "20 databanks", 14: "availability 30 %", 15: "availability 60 %", 16: "availability 90 %"}
    algorithms = ["MCT-DIV", "MCT", "SPT", "Online", "Bender02"]
    out = ["| table | " + " | ".join(f"{a} max, sum" for a in algorithms) + " |", "|---" * (len(algorithms) + 1) + "|"]
    for number_of_table, title in titles.items():
        texts = []
        for algorithm in algorithms:
            cells = [found[f"table{number_of_table}", algorithm, f"{metric}-stretch mean"] for metric in ("max", "sum")]
            ratios = [float(c["measured"]) / float(c["published"]) for c in cells]
            texts.append(", ".join(f"{r:.2f}" if abs(r - 1) <= 0.1 else f"**{r:.2f}**" for r in ratios))
        out.append(f"| {number_of_table}: {title} | " + " | ".join(texts) + " |")
    return out


def degradations(parts, columns, name="rr5724"):
    """RR-5724: published / measured (ratio); means with our 95 % interval and the median. Degradations are near 1."""

    def block():
        several = len(parts) > 1
        out = ["| " + "table | " * several + "algorithm | " + " | ".join(columns) + " |",
               "|---" * (len(columns) + 1 + several) + "|"]
        for part, title in parts.items():
            found = {(r["row"], r["column"]): r for r in read(name) if r["table"] == part}
            for row in dict.fromkeys(row for row, _ in found):
                texts = []
                for column in columns:
                    cell = found.get((row, column))
                    if not cell or not cell["published"]:
                        texts.append("")
                        continue
                    published, measured = float(cell["published"]), float(cell["measured"])
                    spread = ""
                    if cell["low"]:
                        spread = f" [{float(cell['low']):.4f}, {float(cell['high']):.4f}; {float(cell['median']):.4f}]"
                    ratio = f" ({measured / published:.2f})" if published else ""
                    texts.append(f"{published:.4f} / {measured:.4f}{spread}{ratio}")
                if any(texts):
                    out.append("| " + f"{title} | " * several + f"{row} | " + " | ".join(texts) + " |")
        return out

    return block


RR5724_PARTS = {"table2": "2: 3 sites", "table3": "3: 10 sites", "table4": "4: 20 sites", "table5": "5: density 0.75",
                "table6": "6: density 1.00", "table7": "7: density 1.25", "table8": "8: density 1.50",
                "table9": "9: density 2.00", "table10": "10: density 3.00", "table11": "11: 3 databanks",
                "table12": "12: 10 databanks", "table13": "13: 20 databanks", "table14": "14: availability 30 %",
                "table15": "15: availability 60 %", "table16": "16: availability 90 %"}


def side_by_side(part, columns=None, rows=None):
    """Measures of rivals, with the 95 % interval of the mean and the median where there are several. By default all columns and rows."""

    def block():
        cells = [r for r in read("rivals") if r["table"] == part]
        found = {(r["row"], r["column"]): r for r in cells}
        heads = columns or list(dict.fromkeys(r["column"] for r in cells))
        out = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
        for row in rows or dict.fromkeys(r["row"] for r in cells):
            texts = []
            for head in heads:
                cell = found.get((row, head))
                texts.append(cell_text(cell, "measured first") if cell else "")
            out.append(f"| {escaped(row)} | " + " | ".join(texts) + " |")
        return out

    return block


# For a first look: the best of each kind.
RIVALS_SHORT = ["FCFS", "EASY", "EASY/backfill=SJF", "EASY/head=WFP3/backfill=WFP3", "EASY/shared",
                "EASY/shared/head=SAF/backfill=SAF", "EASY/shared/jobs=2", "GANG/jobs=2", "Greedy*", "Triage, no pauses", "LAS/queues=4",
                "MLF/queues=4", "GreedyP*", "GreedyPM*/per/MINVT=600", "Triage, pauses lose work",
                "Triage", "yardstick/SRPT"]

# Of the differences from Triage.
PAIRED_WITHOUT_USERS = ["degradation", "mean stretch", "p99 stretch", "max stretch", "short wait, s", "its p95, s", "U",
                        "makespan, h", "pauses/job", "moves/job"]
PAIRED = PAIRED_WITHOUT_USERS + ["fairness", "worst user"]
# Lublin's model has no users.
WITHOUT_USERS = ["degradation", "its median", "its max", "minus Triage's", "mean stretch", "p99 stretch", "max stretch",
                 "short wait, s", "its p95, s", "U", "makespan, h", "pauses/job", "moves/job", "work lost"]
# Of one instance, so without medians, intervals and differences.
WHOLE_LOG = ["degradation", "mean stretch", "p99 stretch", "max stretch", "short wait, s", "its p95, s", "U", "makespan, h",
             "fairness", "worst user", "pauses/job", "moves/job", "work lost"]

RIVALS_SHORT_COLUMNS = ["degradation", "mean stretch", "short wait, s", "worst user"]


# What one queue for all policies explains: part, row, column or "" for each machine's.
ONE_QUEUE = ([("table4", f"jobs started with {policy}", f"{decider} ARTwW")
              for decider in ("simple", "advanced") for policy in ("SJF", "FCFS", "LJF")]
             + [("table4", "ARTwW [s]", "simple ARTwW"), ("table4", "ARTwW [s]", "advanced ARTwW")]
             + [("table5", f"switches to {policy} [%]", "") for policy in ("SJF", "FCFS", "LJF")]
             + [("table5", "same policy [%]", "")]
             + [("table6", row, "") for row in ("case 1", "cases 2 & 7", "cases 3 & 9", "cases 4b & 5", "case 6a", "case 6b")])


def one_queue():
    """Published / as usual / with a shared queue, a column for each machine."""
    usual, shared = ({place(r): r for r in read(name)} for name in ("dynp", "dynp-queue"))
    machines = ["CTC_syn", "KTH_syn", "PC2_syn", "SDSC_syn"]
    out = ["| | " + " | ".join(machines) + " |", "|---" * (len(machines) + 1) + "|"]
    for part, row, column in ONE_QUEUE:
        texts = []
        for m in machines:
            at = (part, f"{m}: {row}", column) if column else (part, row, m)
            cells = (usual[at]["published"], usual[at]["measured"], shared[at]["measured"])
            texts.append(" / ".join(number(c) for c in cells))
        decider = f", {column.removesuffix(' ARTwW')} decider" if column else ""
        out.append(f"| {row}{decider} | " + " | ".join(texts) + " |")
    return out


def dynp(part):
    return table("dynp", part, order="published first")


# Sets of instances in all worlds: heading, part, and how their rows begin.
IN_WORLDS = [("HPC2N", "worlds-weeks", ""), ("generated", "worlds-lublin", ""), ("CTC", "worlds-ctc", ""),
             ("KTH", "worlds-kth", ""), ("HPC2N, 64 cores", "worlds-robust", "64 cores: "),
             ("generated, flood of 10 %", "worlds-robust", "flood, 10 % memory: "),
             ("generated, flood of 50 %", "worlds-robust", "flood, 50 % memory: ")]
WORLDS = ["kept", "mixed:0.5", "none", "lost"]
SIDE_BY_SIDE = ["Triage", "Triage/LIMITS", "clairvoyant/Triage", "GreedyPM*/OPT=MIN", "EASY/shared", "EASY"]


def in_worlds():
    """A column per world: average [95 % interval]; median. What pauses nothing is the same in all of them."""
    found = {(r["table"], r["row"], r["column"]): r for r in read("triage")}
    out = ["| | | " + " | ".join(WORLDS) + " |", "|---" * (len(WORLDS) + 2) + "|"]
    for heading, part, begin in IN_WORLDS:
        for algorithm in SIDE_BY_SIDE:
            texts = []
            for world in WORLDS:
                row = f"{begin}{algorithm}, {world}"
                if (part, row, "avg.") not in found:
                    row = f"{begin}{algorithm}, any"
                if (part, row, "avg.") not in found:
                    texts.append("")
                    continue
                average, median = found[part, row, "avg."], found[part, row, "median"]
                texts.append(f"{cell_text(average, 'median apart')}; {number(median['measured'])}")
            if any(texts):
                out.append(f"| {heading} | {escaped(algorithm)} | " + " | ".join(texts) + " |")
                heading = ""
    return out


# Defaults of Triage's parameters, in the order of the part; those that act in one world only.
USUAL = {"PATIENCE": 60, "HOLD": 600, "PAUSED": 1.2, "ROOM": 0.75, "OWN": 20, "STRETCH": 2, "AGE": 0.5, "PERIOD": 300,
         "PAYS": 3, "TIED": 1000, "RETURN": 0.75, "WIDTH": 0.25, "LOSS": 2, "AGED": 24, "CROWD": 8, "SHARE": 3,
         "PROBE": 18000, "SHORT": 10, "penalty expected": 300}
ACTS_IN = {"LOSS": "lost", "AGED": "lost", "CROWD": "none", "SHARE": "none", "PROBE": "none"}


def sensitivity():
    """A line per parameter: the average for each of its values, the default in bold, others with the 95 % interval of what
    they change, and a mark if that is not 0."""
    values = {}
    for r in read("triage"):
        if r["table"] == "sensitivity-all":
            name, value = r["row"].split("=")
            values.setdefault((name, r["column"]), {})[float(value)] = r
    out = ["| parameter | world | HPC2N | Lublin |", "|---|---|---|---|"]
    for name, usual in USUAL.items():
        cells = []
        for log in ("HPC2N", "Lublin"):
            averages, changes = values[name, log], values[name, log + " minus default"]
            if usual not in averages:
                sys.exit(f"regenerate.py: sensitivity-all has no {name}={usual:g}, the default")
            texts = []
            for value, cell in averages.items():
                text = f"{value:g}: {number(cell['measured'])}"
                low, high = changes[value]["low"], changes[value]["high"]
                if value == usual:
                    text = f"**{text}**"
                elif low and low != high:
                    sign = "+" if float(low) > 0 else "-" if float(high) < 0 else ""
                    text += f" [{number(low)}, {number(high)}]{sign}"
                texts.append(text)
            cells.append(", ".join(texts))
        out.append(f"| {name} | {ACTS_IN.get(name, 'kept')} | " + " | ".join(cells) + " |")
    return out


# What was aimed at: words, the limit or the cell to stay below, and the cell that says what is.
GOALS = [
    ("kept, HPC2N: average", 2.15, ("worlds-weeks", "Triage, kept", "avg.")),
    ("kept, generated as they are: average", 2.6, ("worlds-lublin", "Triage, kept", "avg.")),
    ("kept, generated at a load of 0.7: average", 2.9, ("lublin-load-costs", "0.7", "avg.")),
    ("kept, HPC2N: moves per job", 0.2, ("worlds-weeks", "Triage, kept", "moves/job")),
    ("penalty 0, HPC2N: average, less than the best published", ("weeks-free", "best", "avg."),
     ("weeks-free", "Triage", "avg.")),
    ("kept, HPC2N: U, at most EASY/shared's", ("weeks", "EASY/shared", "U"), ("weeks", "Triage", "U")),
    ("kept, CTC: U, the same", ("logs-ctc", "EASY/shared", "U"), ("logs-ctc", "Triage", "U")),
    ("kept, KTH: U, the same", ("logs-kth", "EASY/shared", "U"), ("logs-kth", "Triage", "U")),
    ("kept, generated as they are: U, the same", ("lublin", "EASY/shared", "U"), ("lublin", "Triage", "U")),
    ("kept, generated at a load of 0.9: U, the same", ("lublin-load-costs", "0.9", "U of EASY/shared"),
     ("lublin-load-costs", "0.9", "U")),
    ("none, HPC2N: average", 500, ("worlds-weeks", "Triage, none", "avg.")),
    ("none, HPC2N: median", 7, ("worlds-weeks", "Triage, none", "median")),
    ("none, HPC2N: mean stretch", 10, ("worlds-weeks", "Triage, none", "mean stretch")),
    ("none, HPC2N, with time limits: average", 300, ("worlds-weeks", "Triage/LIMITS, none", "avg.")),
    ("none, HPC2N, run times known: average", 150, ("worlds-weeks", "clairvoyant/Triage, none", "avg.")),
    ("none, HPC2N, run times known: median", 4, ("worlds-weeks", "clairvoyant/Triage, none", "median")),
    ("none, HPC2N, run times known: mean stretch", 2.2, ("worlds-weeks", "clairvoyant/Triage, none", "mean stretch")),
    ("lost, HPC2N: average", 15, ("worlds-weeks", "Triage, lost", "avg.")),
    ("lost, HPC2N: median", 5, ("worlds-weeks", "Triage, lost", "median")),
    ("lost, HPC2N: maximum", 150, ("worlds-weeks", "Triage, lost", "max")),
    ("lost, HPC2N: % of all work lost", 7, ("worlds-weeks", "Triage, lost", "% work lost")),
    ("mixed:0.5, HPC2N: average", 50, ("worlds-weeks", "Triage, mixed:0.5", "avg.")),
    ("mixed:0.5, HPC2N: median", 2.2, ("worlds-weeks", "Triage, mixed:0.5", "median")),
    ("mixed:0.5, HPC2N, without week 11: average", 12, ("worlds-weeks", "Triage, mixed:0.5", "avg. without week 11")),
]


def of_the_yardstick(found, cell):
    part, row, column = cell
    for algorithm in ("Triage/LIMITS", "Triage"):
        if row == algorithm or row.startswith(algorithm + ","):
            return found.get((part, row.replace(algorithm, "clairvoyant/Triage", 1), column), "")
    return found.get((part, row, "yardstick avg."), "") if column == "avg." else ""


def goals():
    found = {(r["table"], r["row"], r["column"]): r["measured"] for r in read("triage")}
    free = [v for (part, row, column), v in found.items() if (part, column) == ("weeks-free", "avg.") and "Triage" not in row]
    found["weeks-free", "best", "avg."] = min(free, key=float)
    out = ["| what | goal: at most | is | | run times known |", "|---|---:|---:|---|---:|"]
    for words, goal, cell in GOALS:
        limit = found[goal] if isinstance(goal, tuple) else str(goal)
        known = of_the_yardstick(found, cell)
        met = "met" if float(found[cell]) <= float(limit) else "missed"
        out.append(f"| {words} | {number(limit)} | {number(found[cell])} | {met} | {known and number(known)} |")
    return out


# Names of the part "swap", as a reader would say.
SWAPS = {"kept": "kept: jobs go on anywhere", "unlimited": "no limit", "memory:4": "4 times its memory",
         "memory:2": "twice its memory", "memory:1": "as much as memory", "memory:0.5": "half", "memory:0.25": "a quarter",
         "none": "none", "half kept, memory:1": "half of the jobs kept, the others suspended with as much swap as memory",
         "half kept, memory:0.25": "the same with a quarter"}


def suspended_to_swap():
    found = {(r["row"], r["column"]): r for r in read("triage") if r["table"] == "swap"}
    heads = list(dict.fromkeys(column for _, column in found))
    out = ["| swap of a node | " + " | ".join(escaped(head) for head in heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for row, words in SWAPS.items():
        out.append(f"| {words} | " + " | ".join(cell_text(found[row, head], "measured first") for head in heads) + " |")
    return out


def triage(part):
    return table("triage", part, order="median apart")


# page, block -> its lines
BLOCKS = {
    "dynp": {
        "runs": runs("dynp"),
        "queue": one_queue,
        "queue-runs": runs("dynp-queue"),
        "table4": dynp("table4"),
        "wait": wait_and_load,
        "table5": dynp("table5"),
        "table6": dynp("table6"),
        "table3": dynp("table3"),
    },
    "gang-cloud": {
        "runs": runs("gang-cloud"),
        "readings-runs": runs("gang-cloud-readings"),
        "readings": table("gang-cloud-readings", "readings"),
        "figures": gang_figures,
        "table1": table("gang-cloud", "table1", order="published first"),
    },
    "ipdps2010": {
        "runs": runs("ipdps2010"),
        "assumptions": table("ipdps2010-assumptions", "table2-assumptions"),
        "assumptions-cells": by_algorithm("ipdps2010-assumptions", "table2-assumptions-cells", ["none", "ties"]),
        "assumptions-runs": runs("ipdps2010-assumptions"),
        "newest-runs": runs("ipdps2010-newest"),
        "account": account("ipdps2010", ["table1", "table2", "figure1a-text"]),
        "chance": chance("ipdps2010", ["table1", "table2"], "HPC2N"),
        "table1": table("ipdps2010", "table1"),
        "table2": table("ipdps2010", "table2"),
        "figure1a-text": table("ipdps2010", "figure1a-text"),
        "figure1a": table("ipdps2010", "figure1a"),
        "figure1b": table("ipdps2010", "figure1b"),
    },
    "rr5724": {
        "fit": ratios_of_fit,
        "fit-table1": fit_of_rr5724,
        "fit-runs": runs("rr5724-fit"),
        "columns": columns_of_rr5724,
        "runs": runs("rr5724"),
        "table1": degradations({"table1": ""}, [f"{m}-stretch {w}" for m in ("max", "sum") for w in ("mean", "SD", "max")]),
        "means": degradations(RR5724_PARTS, ["max-stretch mean", "sum-stretch mean"]),
    },
    "rr7659": {
        "runs": runs("rr7659"),
        "account": account("rr7659", RR7659_TABLES),
        "scaled-runs": runs("rr7659-scaled"),
        "fit-runs": runs("rr7659-fit"),
        "fit-scaled-runs": runs("rr7659-fit-scaled"),
        "fit": by_family("rr7659", "rr7659-fit", "table5"),
        "fine": fine_search,
        "table2": table2,
        "hpc2n-reference": beside_reference("table5"),
        "unscaled-reference": beside_reference("table6"),
        "table4-account": account("rr7659", ["table4"]),
        "table4-assumptions": assumptions_of_table4,
        "ties": ties_on_hpc2n,
        "ties-runs": runs("rr7659-ties"),
        "assumptions": table("rr7659-assumptions", "table3-assumptions"),
        "assumptions-runs": runs("rr7659-assumptions"),
        "assumptions-together": counted_once,
        "assumptions-cells": by_algorithm("rr7659-assumptions", "table3-assumptions-cells", ["none", "ties", "fill"]),
        "readings": by_reading("rr7659", {"`ties`": "rr7659-ties", "`fit`": "rr7659-fit"}, RR7659_TABLES),
        **{part: table("rr7659", part) for part in ["table3", "table4", *RR7659_TABLES, *(f"figure{k}" for k in (1, 5, 6, 7, 8, 9))]},
    },
    "rivals": {
        "runs": runs("rivals"),
        "short": side_by_side("weeks", RIVALS_SHORT_COLUMNS, RIVALS_SHORT),
    },
    "rivals-tables": {
        "runs": runs("rivals"),
        **{part: side_by_side(part) for part in ("weeks", "weeks-known", "gain")},
        "weeks-paired": side_by_side("weeks-paired", PAIRED),
        **{part: side_by_side(part, PAIRED_WITHOUT_USERS) for part in ("lublin-paired", "lublin-scaled-paired")},
        **{part: side_by_side(part, WITHOUT_USERS) for part in ("lublin", "lublin-scaled")},
        **{part: side_by_side(part, WHOLE_LOG) for part in ("hpc2n", "hpc2n-known", "kth", "kth-known", "ctc", "ctc-known")},
        "stability": table("rivals", "stability"),
        "stability-without": table("rivals", "stability-without"),
        "stable": table("rivals", "stable"),
    },
    "performance": performance.BLOCKS,
    "reproduction": {"account": account_of_all, "widths": widths_of_draws},
    "sc15": {
        "runs": runs("sc15"),
        **{part: table("sc15", part) for part in (
            "kth", "ctc", "predictors-kth", "predictors-ctc", "errors-kth", "errors-ctc", "errors-hpc2n")},
        "second-kth": second_simulator("kth", ["kth-before-cleaning", "kth"]),
        "second-ctc": second_simulator("ctc", ["ctc"]),
        "rlscheduler": rlscheduler,
    },
    "triage": {
        "runs": runs("triage"),
        "swap": suspended_to_swap,
        "goals": goals,
        "worlds": in_worlds,
        "sensitivity": sensitivity,
        **{part: triage(part) for part in (
            "worlds-weeks", "worlds-lublin", "worlds-ctc", "worlds-kth", "worlds-robust", "mixed-curve", "mixed-median",
            "mixed-lost", "weeks", "weeks-split", "weeks-free", "optimum", "optimum-weeks", "lublin", "lublin-load-costs",
            "logs-ctc", "logs-kth", "robust-weeks", "robust-lublin", "robust-penalty", "robust-period", "losses-causes",
            "losses-classes", "losses-weakest")},
    },
}


def mixed_chart():
    """Average degradation by the part of the jobs that can be paused, on a logarithmic scale: an SVG image."""
    left, right, top, bottom, most = 60, 560, 16, 300, 1000
    colours = {"Triage": "#009e73", "GreedyPM*/OPT=MIN": "#d55e00"}
    values = {}
    for r in read("triage"):
        if r["table"] == "mixed-curve":
            values.setdefault(r["column"], []).append((float(r["row"]), float(r["measured"])))

    def x(part):
        return left + (right - left) * part

    def y(value):
        return bottom - (bottom - top) * math.log10(value) / math.log10(most)

    title = "Average degradation by the part of the jobs that can be paused"
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 350" font-family="sans-serif" font-size="12" fill="#333">',
           f"<title>{title}</title>", '<rect width="820" height="350" fill="#fff"/>']
    for tick in (1, 10, 100, 1000):
        out.append(f'<path d="M{left} {y(tick):.1f}H{right}" stroke="#bbb" stroke-width=".5"/>'
                   f'<text x="{left - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick}</text>')
    for tick in (0, 0.25, 0.5, 0.75, 1):
        out.append(f'<text x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>')
    line = 40
    for name, points in values.items():
        algorithm, rest = name.split(", rest ")
        colour = colours.get(algorithm, "#56a0d3")
        dash = ' stroke-dasharray="6 4"' if rest == "lost" else ""
        path = "L".join(f"{x(part):.1f} {y(value):.1f}" for part, value in points)
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        out.append(f'<path d="M{right + 14} {line}h28" stroke="{colour}" stroke-width="2"{dash}/>'
                   f'<text x="{right + 48}" y="{line + 4}">{algorithm.replace("/OPT=MIN", "")}, the rest {rest}</text>')
        line += 22
    out.append(f'<text x="{(left + right) / 2:.0f}" y="{bottom + 40}" text-anchor="middle">part of the jobs that can be paused '
               "without loss</text>")
    out.append('<text transform="translate(14 260) rotate(-90)">degradation from bound, average</text></svg>')
    return "\n".join(out) + "\n"


# file in docs/images -> its text
CHARTS = {"triage-mixed.svg": mixed_chart}


def chart_text(name):
    """The chart as it is and as its data say."""
    path = os.path.join(IMAGES, name)
    old = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as lines:
            old = lines.read()
    return path, old, CHARTS[name]()


def other_commands():
    """Experiments whose data come from another command than they have now."""
    names = []
    for name, arguments in EXPERIMENTS.items():
        with open(os.path.join(DATA, name + ".runs.json"), encoding="utf-8") as lines:
            if json.load(lines)["command"] != command_of(name, arguments):
                names.append(name)
    return names


def old_waterfall():
    """The numbers above the bars of rivals-gain.svg that its data do not have."""
    with open(os.path.join(IMAGES, "rivals-gain.svg"), encoding="utf-8") as lines:
        shown = re.findall(r'text-anchor="middle">([0-9.]+)</text>', lines.read())
    values = [float(r["measured"]) for r in read("rivals") if r["table"] == "gain" and r["column"] == "degradation"]
    from_data = [f"{v:.2f}" if v < 10 else f"{v:.1f}" if v < 100 else f"{v:.0f}" for v in values]
    return [] if shown == from_data else sorted(set(shown) ^ set(from_data))


def typed_in():
    """Lines of tables with figures that stand outside of all blocks, so that no command makes them."""
    found = []
    for name in sorted(os.listdir(HERE)):
        if not name.endswith(".md"):
            continue
        inside = False
        with open(os.path.join(HERE, name), encoding="utf-8") as lines:
            for at, line in enumerate(lines, 1):
                inside = (inside or line.startswith("<!-- BEGIN ")) and not line.startswith("<!-- END ")
                cells = line.strip().strip("|").split("|") if line.lstrip().startswith("|") else []
                if not inside and any(re.fullmatch(r"[-+<>(]?\d[\d.,;:/%()+ -]*", cell.strip()) for cell in cells):
                    found.append(f"{name}:{at}")
    return found


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
        new = new[: new.index(begin) + len(begin)] + "\n" + "\n".join(lines()) + "\n\n" + new[new.index(end) :]
    return path, old, new


def main():
    parser = argparse.ArgumentParser(description="Regenerates the figures of docs/results.")
    parser.add_argument("action", choices=["run", "pages", "check"])
    parser.add_argument("names", nargs="*", help=f"for run: of {', '.join(ALL)} (default: all)")
    parser.add_argument("--program", default="./dfrs-sim")
    parser.add_argument("--work", default="results-runs", help="folder with finished runs and stores to continue")
    parser.add_argument("--instances", type=int, help="of each set, for a first look")
    parser.add_argument("--threads", type=int, default=1, help="of the program (default: 1, for CPU times that compare)")
    options = parser.parse_args()
    failed = False
    if options.action == "run":
        for name in options.names or ALL:
            if name == SECOND:
                if not second_simulators(options.program):
                    print(f"regenerate.py: {SECOND} is left as it was: its script failed, see above")
                    failed = bool(options.names)
                continue
            if name in MEASUREMENTS:
                measure(name, options.program, options.work)
                continue
            if name not in EXPERIMENTS:
                sys.exit(f"regenerate.py: there is no '{name}'; expected {', '.join(ALL)}")
            run(name, options.program, options.work, options.instances, options.threads)
            collect(name, options.work)
    differing = int(failed)
    for make, name in [(page_text, page) for page in BLOCKS] + [(chart_text, chart) for chart in CHARTS]:
        try:
            path, old, new = make(name)
        except FileNotFoundError as error:
            if options.action != "run":
                raise
            print(f"{name} waits for {os.path.basename(error.filename)}")
            continue
        if options.action == "check":
            differing += old != new
            if old != new:
                print(f"FAIL: {path} differs from its data; run make results-pages")
        elif old != new:
            with open(path, "w", encoding="utf-8") as out:
                out.write(new)
    if options.action == "check" and (other := other_commands()):
        differing += 1
        print(f"FAIL: the data of {', '.join(other)} come from another command; run make results RESULTS='{' '.join(other)}'")
    if options.action == "check" and (found := typed_in()):
        differing += 1
        print(f"FAIL: figures in tables that no command makes: {', '.join(found)}; put them between BEGIN and END of a block")
    if options.action == "check" and (other := old_waterfall()):
        differing += 1
        print(f"FAIL: rivals-gain.svg is not of its data: {', '.join(other)}; run make results RESULTS=rivals")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
