# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the experiments and the benchmarks, and collects their figures in docs/results/data."""
import csv
import datetime
import json
import os
import re
import shutil
import sqlite3
import sys
import time

from .experiments import DATA, EXPERIMENTS, HERE, IMAGES, PICTURES, command_of, reproduction

KEPT = ["table", "row", "column", "published", "measured", "median", "low", "high", "another_low", "another_high"]


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


def simulations_of(report):
    """How many simulations made the report."""
    with open(report, encoding="utf-8") as lines:
        return int(re.search(r"^- \*simulations\*: `(\d+)`$", lines.read(), re.MULTILINE)[1])


def refuse_without_logs(report):
    """A part that was left out for lack of a log would leave the page without its figures."""
    with open(report, encoding="utf-8") as lines:
        text = " ".join(lines.read().split())
    if missing := re.search(r"Left out, because it needs the log (\S+)", text):
        sys.exit(f"regenerate.py: {report} lacks the parts that need {missing[1]}; set DFRS_TRACES to the logs' "
                 "folder, and run it again")


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
