#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Published figures of SC'15 and of RLScheduler (SC'20) by second simulators, to the printed digit, and dfrs-sim beside
these where the rules are the same. The figures are those of docs/results/sc15.md.

Usage: tests/published/second_test.py [--all | --write]      with the logs in $DFRS_TRACES and the program in $DFRS_SIM
Without an option: a few cells that take seconds. --all: every cell whose log is there. --write: also writes them to
docs/results/data, which needs every log: KTH-SP2-1996-2.1-cln, CTC-SP2-1996-3.1-cln, HPC2N-2002-2.1-cln of the archive;
KTH-SP2_log from github.com/jad-darrous/predictsim, simulation/pyss/src/jad/logs; lublin_256 and lublin_256_new2 from
github.com/DIR-LAB/deep-batch-scheduler, data.
Exit: 0 all is well, 1 it is not, 77 no log
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import rlscheduler  # noqa: E402
import sc15  # noqa: E402
import workloads  # noqa: E402

SIM = os.environ.get("DFRS_SIM", "./dfrs-sim")
DATA = Path(__file__).resolve().parents[2] / "docs" / "results" / "data"
# By the labels of `dfrs-sim reproduce sc15`.
POLICIES = {"EASY": False, "EASY++": True}
KINDS = {
    "requested times": ("request", "request"),
    "run times known": ("known", "request"),
    "requests doubled": ("doubled", "request"),
    "Tsafrir's predictor, request": ("tsafrir", "request"),
    "Tsafrir's predictor, steps": ("tsafrir", "steps"),
    "Tsafrir's predictor, double": ("tsafrir", "double"),
}
COLUMNS = {"mean flow time, s": "mean_flow", "mean bounded slowdown": "mean_slowdown",
           "max bounded slowdown": "max_slowdown"}
DIGITS = {"mean_flow": 1, "mean_slowdown": 2, "max_slowdown": 1}  # of the published figures
# table: the log, its processors, the table with the published figures. The authors had KTH's log before it was cleaned.
SC15_LOGS = {
    "kth": ("KTH-SP2-1996-2.1-cln", 100, "kth"),
    "kth-before-cleaning": ("KTH-SP2_log", 100, "kth"),
    "ctc": ("CTC-SP2-1996-3.1-cln", 338, "ctc"),
}
CLEANED_APART = 0.002  # on KTH's cleaned log, of the published means
SHORT_SC15 = [("kth", "EASY++, Tsafrir's predictor, double"), ("ctc", "EASY, Tsafrir's predictor, steps")]
SHORT_ORDERS = ["FCFS", "SJF", "F1"]  # of Lublin's logs; WFP3 and UNICEF let long queues wait

complaints = []
compared = 0


def read(name):
    with open(DATA / (name + ".csv"), encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def compare(what, got, wanted, equal):
    global compared
    compared += 1
    if not equal:
        complaints.append(f"{what}: {got}, expected {wanted}")


def expect(what, got, wanted, digits, apart=0.0):
    """Equal as printed with so many digits, or apart by no more than this part of the figure."""
    compare(what, f"{got:.{digits + 2}f}", wanted,
            round(got, digits) == float(wanted) or abs(got - float(wanted)) <= apart * float(wanted))


def recorded(value):
    """In the data of the page."""
    return f"{value:.12g}"


def expect_recorded(what, got, wanted):
    if recorded(got) != wanted:
        complaints.append(f"{what}: {recorded(got)}, but the data of the page have {wanted}; run --write")


def check_sc15(every):
    """A row of the data for each cell."""
    dfrs_sim = {(r["table"], r["row"], r["column"]): r for r in read("sc15")}
    data = {(r["table"], r["row"], r["column"]): r["measured"] for r in read("sc15-second")}
    rows = []
    for table, (log, processors, source) in SC15_LOGS.items():
        labels = [f"{policy}, {kind}" for policy in POLICIES for kind in KINDS]
        labels = [label for label in labels if every or (table, label) in SHORT_SC15]
        path = workloads.path_of(log)
        if not labels or not path:
            continue
        jobs = workloads.read(path)[1]
        for label in labels:
            policy, kind = label.split(", ", 1)
            settings = (jobs, processors, POLICIES[policy], *KINDS[kind])
            result, by_our_rules = sc15.simulate(*settings), sc15.simulate(*settings, sc15.Together)
            for column, name in COLUMNS.items():
                value, ours = getattr(result, name), dfrs_sim[source, label, column]
                theirs = ours["published"]
                what = f"SC'15, {table}: {label}, {column}"
                rows.append([table, label, column, theirs, recorded(value)])
                if theirs:
                    expect(what, value, theirs, DIGITS[name], CLEANED_APART if table == "kth" else 0)
                expect_recorded(what, value, data.get((table, label, column), "nothing"))
                if table == source:  # dfrs-sim has run on this log
                    printed = f"{getattr(by_our_rules, name):.6g}"
                    compare(f"{what}, dfrs-sim's rules", printed, ours["measured"], printed == ours["measured"])
    return rows


def write_sequences(folder, of_log):
    """As logs, by the rules of RLScheduler's reader."""
    sequences, processors = of_log
    for k, jobs in enumerate(sequences):
        with open(folder / f"{k}.swf", "w", encoding="utf-8") as out:
            out.write(f"; MaxNodes: {processors}\n; MaxProcs: {processors}\n")
            for number, job in enumerate(jobs, 1):
                out.write(f"{number} {job.submit} -1 {job.run} {job.processors} -1 -1 {job.processors} {job.request}"
                          " -1 1 1 1 -1 -1 -1 -1 -1\n")
        yield folder / f"{k}.swf"


def by_dfrs_sim(of_log):
    """The means of dfrs-sim's mean bounded stretches, by (order, backfilling)."""
    names = {}
    for order in rlscheduler.ORDERS:
        head = {"FCFS": "", "UNI": "/head=UNICEF"}.get(order, "/head=" + order)
        names.update({"FCFS" + head: (order, False), "EASY" + head: (order, True)})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = list(write_sequences(folder, of_log))
        subprocess.run([SIM, "compare", *files, "-a", ",".join(names), "--whole", "--estimates", "trace",
                        "-o", folder / "out.csv"], check=True, stdout=subprocess.DEVNULL, timeout=100)
        found = {}
        with open(folder / "out.csv", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                found.setdefault(names[row["algorithm"]], []).append(float(row["mean_stretch"]))
    return {key: sum(values) / len(values) for key, values in found.items()}


def check_rlscheduler(every):
    """A row of the data for each cell."""
    data = {(r["log"], r["order"], r["backfilling"]): r for r in read("rlscheduler")}
    rows = []
    for log, shift in rlscheduler.LOGS.items():
        path = workloads.path_of(log)
        if not path:
            continue
        of_log = rlscheduler.sequences(path, shift)
        ours = by_dfrs_sim(of_log)
        orders = rlscheduler.ORDERS if every or not log.startswith("lublin") else SHORT_ORDERS
        for backfilling in (False, True):
            for order in orders:
                known = data[log, order, "yes" if backfilling else "no"]
                what = f"RLScheduler, {log}: {order}, backfilling {known['backfilling']}"
                value = rlscheduler.simulate(of_log, order, backfilling)
                expect(what, value, known["published"], 2)
                expect_recorded(what, value, known["second"])
                expect_recorded(what + ", dfrs-sim", ours[order, backfilling], known["dfrs-sim"])
                if not backfilling:
                    plain, product = rlscheduler.simulate_by_our_rules(of_log, order), ours[order, False]
                    compare(what + ", dfrs-sim's rules", plain, product, abs(plain - product) <= 1e-9 * product)
                rows.append([log, known["backfilling"], order, known["published"], recorded(value),
                             recorded(ours[order, backfilling])])
    return rows


def write(name, head, rows):
    with open(DATA / (name + ".csv"), "w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([head, *rows])


def main():
    parser = argparse.ArgumentParser(description="Published figures by second simulators.")
    parser.add_argument("--all", action="store_true", help="every cell whose log is there")
    parser.add_argument("--write", action="store_true", help="every cell, also to docs/results/data")
    options = parser.parse_args()
    if options.write:
        for log in [name for name, _, _ in SC15_LOGS.values()] + list(rlscheduler.LOGS):
            if not workloads.path_of(log):
                sys.exit(f"second_test.py: --write needs {log} in $DFRS_TRACES")
    found = check_sc15(options.all or options.write), check_rlscheduler(options.all or options.write)
    if options.write:
        write("sc15-second", ["table", "row", "column", "published", "measured"], found[0])
        write("rlscheduler", ["log", "backfilling", "order", "published", "second", "dfrs-sim"], found[1])
        complaints[:] = [line for line in complaints if not line.endswith("run --write")]
    if not any(found):
        print("SKIP: DFRS_TRACES names no folder with one of the logs")
        sys.exit(77)
    print("\n".join(complaints) if complaints else f"{compared} figures agree")
    sys.exit(1 if complaints else 0)


main()
