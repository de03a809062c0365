# SPDX-License-Identifier: GPL-2.0-or-later
"""Simulates a workload with dfrs-sim."""
import csv
import dataclasses
import json
import random
import re
import subprocess

from . import workload as workloads
from .cluster import build_folder
from .errors import ClusterError


def program():
    path = build_folder() / "dfrs-sim"
    if not path.exists():
        raise ClusterError(f"{path} is not built; `./quickstart cluster compare` builds it")
    return path


def _run(*words):
    result = subprocess.run([str(word) for word in (program(), *words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            universal_newlines=True, check=False)
    if result.returncode != 0:
        raise ClusterError(result.stderr.strip() or f"dfrs-sim ended with {result.returncode}")
    return result.stdout


def check_algorithm(name):
    """The algorithm's name as dfrs-sim spells it; an error that names the nearest one if there is none."""
    trace = "; dfrs-trace: 1\n; Name: x\n; Nodes: 1 cpu 1 memory 1\n1 0 1 1 1 1 1\n"
    result = subprocess.run([str(program()), "run", "-", "-a", name, "--json"], input=trace, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, universal_newlines=True, check=False)
    if result.returncode != 0:
        raise ClusterError(result.stderr.strip().replace("dfrs-sim: ", "", 1))
    return json.loads(result.stdout)["algorithm"]


def decided(record):
    """What the policy decided in a live run, by its record."""
    told = json.loads(_run("replay", record, "--json"))
    return {name: told[name] for name in ("pauses", "moves")}


# s by which each job's limit is made longer than that of the job before it. Limits are whole minutes, and so many are
# equal. A job that backfills starts in a later pass than those that started in their turn, and so ends, by its limit,
# behind them. In a simulation both start at one instant: it would end just in time not to delay the first waiting
# job.
TIE = 0.001


# Where work is paused or lost, a tenth of a second in one job's run decides what becomes of many others. So a live run
# is compared with the mean of several simulations, in which run times differ by at most so many seconds.
VARIATION = 0.15
VARIED = 20


class Prediction:
    """`flow`: job number -> s from submission to end; `totals`: dfrs-sim's own figures; `command`: to run it again;
    `varied`: predictions with other run times."""

    def __init__(self, flow, totals, command):
        self.flow, self.totals, self.command, self.varied = flow, totals, command, []

    def all(self):
        """Those whose means are compared with a live run."""
        return self.varied or [self]


def vary(workload, number):
    """The same jobs with run times that differ a little, in another way for each number."""
    chance = random.Random(number)
    return dataclasses.replace(workload, jobs=tuple(
        dataclasses.replace(job, run_time=max(0.01, job.run_time + chance.uniform(-VARIATION, VARIATION)))
        for job in workload.jobs))


def predict_varied(workload, algorithm, folder, name, **options):
    """The same as predict(), and simulations of varied run times."""
    made = predict(workload, algorithm, folder, name, **options)
    made.varied = [predict(vary(workload, number), algorithm, folder, f"{name}-varied", **options)
                   for number in range(1, VARIED + 1)]
    for suffix in ("dfrs", "csv"):
        (folder / f"{name}-varied.{suffix}").unlink()
    return made


def predict(workload, algorithm, folder, name, *, start_up=None, pauses, period, floor):
    """Runs dfrs-sim on the workload; each job comes start_up(job).delay later and runs start_up(job).cost longer. `pauses`:
    options for what pauses and moves do. The trace and the results stay in `folder` as NAME.dfrs and NAME.csv."""
    trace, rows = folder / f"{name}.dfrs", folder / f"{name}.csv"
    told = dataclasses.replace(workload, jobs=tuple(dataclasses.replace(job, limit=job.limit + TIE * job.number)
                                                    for job in workload.jobs))
    trace.write_text(workloads.trace_text(told, start_up), encoding="utf-8")
    words = ["run", trace, "-a", algorithm, *pauses, "--period", f"{period:g}", "--stretch-floor",
             f"{floor:g}", "--no-bound", "--json", "--jobs-csv", rows]
    totals = json.loads(_run(*words))
    with open(rows, encoding="utf-8", newline="") as file:
        ends = {int(row["job"]): float(row["end"]) for row in csv.DictReader(file)}
    flow = {job.number: ends.get(job.number, 0.0) - job.submit for job in workload.jobs}
    if set(flow) != set(ends):
        raise ClusterError(f"dfrs-sim did not run all jobs of {trace}")
    quoted = [f"'{word}'" if re.search(r"[^\w./:=-]", str(word)) else str(word) for word in words]
    return Prediction(flow, totals, " ".join(["dfrs-sim", *quoted]))
