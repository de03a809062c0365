#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `dfrs-sim advise` and `import sacct` say of a realistic accounting, against a count of their own made here.

Usage: tests/cli/accounting_sample.py      with the program in $DFRS_SIM; exit: 0 all is well, 1 it is not
"""
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from datetime import datetime, timezone
from pathlib import Path

HERE = Path(__file__).resolve().parent
SIM = os.environ.get("DFRS_SIM", "./dfrs-sim")
failures = []


def expect(what, got, wanted):
    if got == wanted:
        return
    if isinstance(got, list):  # too long to show
        got, wanted = Counter(got) - Counter(wanted), Counter(wanted) - Counter(got)
    failures.append(f"{what}: {got!r}, expected {wanted!r}")


def seconds(text):
    """An instant; None if unknown."""
    if text == "Unknown":
        return None
    if text.isdigit():
        return int(text)
    return int(datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp())


def duration(text):
    days, _, rest = text.rpartition("-")
    total = 0.0
    for part in rest.split(":"):
        total = total * 60 + float(part)
    return int(days or 0) * 86400 + total


class Count:
    """The accounting, read job by job."""

    def __init__(self, text):
        lines = text.splitlines()
        names = lines[0].split("|")
        runs, steps, self.left_out, seen = defaultdict(list), defaultdict(list), Counter(), set()
        of_run, doubled = None, False
        for line in lines[1:]:
            row = dict(zip(names, line.split("|")))
            if line == lines[0]:
                continue
            if "." in row["JobID"]:
                if not doubled:
                    steps[of_run].append(row)
                continue
            doubled = line in seen
            if doubled:
                self.left_out["given twice"] += 1
                continue
            seen.add(line)
            runs[row["JobID"]].append(row)
            of_run = (row["JobID"], len(runs[row["JobID"]]))
        self.jobs, self.requeued, self.lost = [], 0, 0.0
        self.late = 0
        for name, records in runs.items():
            last = records[-1]
            first = records[0]
            self.left_out["run of a job that was requeued, part of the job's last record"] += len(records) - 1
            state = last["State"].split(" ")[0]
            if state == "PENDING":
                self.left_out["had not started"] += 1
            elif state == "RUNNING":
                self.left_out["had not ended"] += 1
            elif last["Start"] == "Unknown":
                self.left_out["never started: cancelled or failed in the queue"] += 1
            else:
                self.requeued += len(records) > 1
                self.lost += sum(int(r["ElapsedRaw"]) * int(r["AllocCPUS"]) for r in records[:-1]) / 3600
                self.late += seconds(last["Start"]) < seconds(first["Submit"])
                self.jobs.append((last, steps[(name, len(records))]))

    def cpu_efficiency(self):
        shares = []
        for job, _ in self.jobs:
            held = int(job["ElapsedRaw"]) * int(job["AllocCPUS"])
            if held and duration(job["TotalCPU"]) > 0:
                shares.append(min(1.0, duration(job["TotalCPU"]) / held))
        return shares

    def memory_used(self):
        shares = []
        for job, steps in self.jobs:
            used = max((int(s["MaxRSS"][:-1]) / 1024 * int(s["NTasks"]) for s in steps if s["MaxRSS"]), default=0)
            asked = float(re.search(r"mem=(\d+)M", job["AllocTRES"])[1])
            if used > 0:
                shares.append(used / asked)
        return shares

    def limit_used(self):
        return [int(job["ElapsedRaw"]) / (60 * int(job["TimelimitRaw"])) for job, _ in self.jobs]


def middle(values):
    return sorted(values)[len(values) // 2]


def percent(share):
    return f"{100 * share:.1f} %" if 100 * share < 9.95 else f"{100 * share:.0f} %"


def program(*words):
    done = subprocess.run([SIM, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"FAIL: {' '.join(map(str, words))}: {done.stderr}")
    return done


def check(folder, *options):
    text = subprocess.run([sys.executable, HERE / "make_accounting.py", *options], capture_output=True, text=True,
                          check=True).stdout
    path = folder / "sample.txt"
    path.write_text(text, encoding="utf-8")
    count = Count(text)
    if len(count.jobs) < 1000 or min(len(count.left_out), count.requeued) < 4:
        failures.append(f"{options}: the sample is too tame")

    # What the page says of the jobs.
    page = program("advise", "--sacct", path, "--format", "markdown").stdout
    flat = " ".join(page.split())
    expect(f"{options}: jobs", re.search(r"sample\.txt: ([\d,]+) jobs", flat)[1].replace(",", ""), str(len(count.jobs)))
    half = re.search(r"Half of the jobs use less than (.*?) of the CPU time they hold, less than (.*?) of the memory they "
                     r"ask for, and less than (.*?) of their time limit", flat)
    expect(f"{options}: halves of the jobs", half.groups(),
           tuple(percent(middle(v)) for v in (count.cpu_efficiency(), count.memory_used(), count.limit_used())))
    requeued = re.search(r"([\d,]+) jobs had been requeued; ([\d.]+) CPU hours", flat)
    expect(f"{options}: requeued jobs", requeued.groups(), (str(count.requeued), f"{count.lost:.1f}"))
    left_out = re.search(r"Left out: (.*?\))\.", flat)[1]
    expect(f"{options}: left out", {m[0]: int(m[1]) for m in re.findall(r"([^;()]+?) \((\d+)\)", left_out.replace("; ", ";"))},
           dict(count.left_out))
    nodes = {node for job, _ in count.jobs for node in hosts(job["NodeList"])}
    expect(f"{options}: nodes", re.search(r"Machine: (\d+) nodes of (\d+) CPUs", flat).groups(), (str(len(nodes)), "32"))
    # The cluster is busy and jobs differ, so that a policy makes a difference.
    stretches = [float(row[0]) for row in re.findall(r"\| (\d[\d.]*) \| \d[\d.]* \| \d[\d.]* \| [\d.]+ % \|", flat)]
    if len(stretches) < 4 or max(stretches) < 2 * min(stretches):
        failures.append(f"{options}: mean stretches {stretches} do not differ")

    # What becomes of them as jobs.
    swf = program("import", "sacct", path, "--swf", "--lenient")
    rows = [line.split() for line in swf.stdout.splitlines() if line and not line.startswith(";")]
    expect(f"{options}: jobs in SWF", len(rows), len(count.jobs))
    expect(f"{options}: run times", sorted(float(row[3]) for row in rows),
           sorted(float(job["ElapsedRaw"]) for job, _ in count.jobs))
    expect(f"{options}: processors", sorted(int(row[4]) for row in rows),
           sorted(int(job["AllocCPUS"]) for job, _ in count.jobs))
    late = re.search(r"(\d+) records? adjusted: started before it was submitted", swf.stderr)
    expect(f"{options}: jobs that start before their submission", int(late[1]) if late else 0, count.late)
    return count


def hosts(text):
    """Names in a NodeList: s01, l[02-03]"""
    parts = re.fullmatch(r"([a-z]+)\[(\d+)-(\d+)\]", text)
    return [f"{parts[1]}{k:02}" for k in range(int(parts[2]), int(parts[3]) + 1)] if parts else [text]


def main():
    with tempfile.TemporaryDirectory() as folder:
        check(Path(folder), "--jobs", "3000")
        # Local times, in which an hour comes twice.
        check(Path(folder), "--jobs", "2000", "--seed", "5", "--local")
    for failure in failures:
        print("FAIL:", failure)
    if not failures:
        print("ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
