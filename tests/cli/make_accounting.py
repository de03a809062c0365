#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes two weeks of a made-up cluster's accounting as sacct prints it; equal seeds give equal bytes.

Usage: make_accounting.py [--jobs N] [--seed N] [--local] > accounting.txt
--local: local times of Central Europe instead of seconds since 1970, across the end of daylight saving time.

Three partitions with queues of their own, arrays, heterogeneous jobs, steps, time limits rounded up by users, jobs that
use little of what they ask for, requeues after node failures and preemption, jobs that never ran or have not ended, and
rows given twice, as when the outputs of two calls of sacct overlap.
"""
import argparse
import heapq
import random
import sys
import time

COLUMNS = ("JobID JobIDRaw User Group Account Partition QOS State Submit Eligible Start End ElapsedRaw Suspended "
           "TimelimitRaw NNodes NTasks AllocCPUS ReqCPUS ReqMem ReqTRES AllocTRES MaxRSS TotalCPU CPUTimeRAW "
           "NodeList").split()
BEGIN = 1792656000  # 2026-10-22 08:00 UTC, three days before clocks go back
DAYS = 14
CORES, MEMORY = 32, 128000
# partition: nodes, share of the jobs, typical run time, limits that users choose (minutes)
PARTITIONS = {
    "short": (4, 0.45, 120, (5, 10, 30)),
    "batch": (16, 0.45, 2400, (60, 240, 720, 1440)),
    "large": (8, 0.10, 5400, (240, 1440, 4320)),
}


class Writer:
    def __init__(self, local):
        self.local = local
        self.rows = []

    def instant(self, seconds):
        if seconds is None:
            return "Unknown"
        if not self.local:
            return str(seconds)
        offset = 7200 if seconds < 1792890000 else 3600  # until 2026-10-25 01:00 UTC
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds + offset))

    def job(self, job, state, submit, start, end, cpu_seconds):
        """The row of a job and those of its steps."""
        elapsed = 0 if start is None or end is None else end - start
        ran = start is not None
        tres = f"billing={job['cpus']},cpu={job['cpus']},mem={job['memory']}M,node={job['nodes']}"
        row = {
            "JobID": job["id"], "JobIDRaw": job["raw"], "User": job["user"], "Group": "staff", "Account": job["account"],
            "Partition": job["partition"], "QOS": "normal", "State": state, "Submit": self.instant(submit),
            "Eligible": self.instant(submit), "Start": self.instant(start), "End": self.instant(end),
            "ElapsedRaw": elapsed, "Suspended": "00:00:00",
            "TimelimitRaw": job["limit"], "NNodes": job["nodes"], "NTasks": "", "AllocCPUS": job["cpus"] if ran else 0,
            "ReqCPUS": job["cpus"], "ReqMem": f"{job['memory']}M", "ReqTRES": tres, "AllocTRES": tres if ran else "",
            "MaxRSS": "", "TotalCPU": duration(cpu_seconds) if ran and end is not None else "00:00:00",
            "CPUTimeRAW": elapsed * job["cpus"], "NodeList": job["list"] if ran else "None assigned",
        }
        self.add(row)
        if not ran or end is None:
            return
        steps = [("batch", 1, job["rss"] // 8), ("extern", job["nodes"], 900)]
        steps += [(str(k), job["tasks"], job["rss"] // (k + 1)) for k in range(job["steps"])]
        for name, tasks, rss in steps:
            known = elapsed >= 2 and name != "extern"
            self.add(dict(row, JobID=f"{job['id']}.{name}", JobIDRaw=f"{job['raw']}.{name}", User="", Group="",
                          Partition="", QOS="", State=state.split(" ")[0], TimelimitRaw="", NTasks=tasks, ReqMem="",
                          ReqTRES="", AllocTRES=tres.partition(",")[2], MaxRSS=f"{rss}K" if known else "",
                          TotalCPU=duration(cpu_seconds / max(1, job["steps"])) if name.isdigit() else "00:00.020"))

    def add(self, row):
        self.rows.append("|".join(str(row[name]) for name in COLUMNS))


def duration(seconds):
    """As sacct prints TotalCPU: [DD-[HH:]]MM:SS[.mmm]"""
    whole, milli = int(seconds), int(seconds * 1000) % 1000
    days, rest = divmod(whole, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, seconds = divmod(rest, 60)
    if days:
        return f"{days}-{hours:02}:{minutes:02}:{seconds:02}"
    if hours:
        return f"{hours:02}:{minutes:02}:{seconds:02}"
    return f"{minutes:02}:{seconds:02}.{milli:03}"


class Queue:
    """First come, first served on the CPUs of a partition: waits like those of a busy cluster."""

    def __init__(self, cpus):
        self.free, self.ends, self.last = cpus, [], 0

    def start(self, submit, cpus):
        now = max(submit, self.last)
        while self.ends and self.ends[0][0] <= now:
            self.free += heapq.heappop(self.ends)[1]
        while self.free < cpus:
            now, freed = heapq.heappop(self.ends)
            self.free += freed
        self.free -= cpus
        self.last = now
        return now

    def run(self, end, cpus):
        heapq.heappush(self.ends, (end, cpus))


def make_job(dice, name, number, task):
    nodes_there, _, typical, limits = PARTITIONS[name]
    nodes = dice.choice((2, 4, 8)) if name == "large" else 1
    cpus = nodes * (CORES if name == "large" else dice.choice((1, 1, 1, 2, 4, 8, 16)))
    first = dice.randrange(nodes_there - nodes + 1)
    node = name[0]
    hosts = f"{node}{first + 1:02}" if nodes == 1 else f"{node}[{first + 1:02}-{first + nodes:02}]"
    memory = dice.choice((500, 1000, 2000, 4000)) * max(1, cpus // nodes // 2) * nodes
    tasks = dice.choice((1, cpus)) if cpus > 1 else 1
    return {
        "id": f"{number}_{task}" if task else str(number), "raw": str(number + task), "partition": name,
        "user": f"user{dice.randrange(40)}", "account": f"project{dice.randrange(8)}", "nodes": nodes, "cpus": cpus,
        "list": hosts, "memory": memory, "tasks": max(tasks, nodes), "steps": dice.choice((0, 1, 1, 1, 2, 3)),
        "limit": dice.choice(limits), "rss": max(2000, int(memory * 1024 * dice.betavariate(1.2, 4) / max(tasks, nodes))),
        "typical": typical, "efficiency": dice.betavariate(1.5, 1.2),
    }


def write_job(dice, out, queue, job, submit):
    limit = job["limit"] * 60
    wanted = max(1, int(dice.lognormvariate(0, 1.4) * job["typical"]))
    draw = dice.random()
    if draw < 0.02:  # in the queue to its end
        out.job(job, dice.choice(("CANCELLED by 1007", "CANCELLED", "DEADLINE")), submit, None, submit + wanted, 0)
        return
    start = queue.start(submit, job["cpus"])

    def run(state, begin, submitted, length):
        queue.run(begin + length, job["cpus"])
        out.job(job, state, submitted, begin, begin + length, job["efficiency"] * length * job["cpus"])

    if draw < 0.045:  # up to two runs that do not count, then the last
        submitted = submit
        for _ in range(dice.choice((1, 1, 2))):
            lost = max(1, min(limit, int(wanted * dice.random())))
            run(dice.choice(("NODE_FAIL", "PREEMPTED", "REQUEUED")), start, submitted, lost)
            submitted = start + lost
            start = queue.start(submitted + 120, job["cpus"])
        run("COMPLETED", start, submitted, min(limit, wanted))
    elif draw < 0.05:
        queue.run(start + limit, job["cpus"])
        out.job(job, "RUNNING", submit, start, None, 0)
    elif wanted >= limit:
        run("TIMEOUT", start, submit, limit + dice.randrange(30))
    else:
        state = "COMPLETED" if draw < 0.85 else dice.choice(
            ("FAILED", "FAILED", "FAILED", "CANCELLED by 1003", "CANCELLED by 0", "OUT_OF_MEMORY", "NODE_FAIL",
             "BOOT_FAIL"))
        run(state, start, submit, wanted)


def make(jobs, seed, local):
    dice = random.Random(seed)
    out = Writer(local)
    queues = {name: Queue(CORES * shape[0]) for name, shape in PARTITIONS.items()}
    names = list(PARTITIONS)
    shares = [PARTITIONS[name][1] for name in names]
    # Fewer jobs at night and on weekends.
    submits = []
    while len(submits) < jobs:
        at = dice.randrange(DAYS * 86400)
        hour, day = (BEGIN + at) // 3600 % 24, (BEGIN + at) // 86400 % 7
        if dice.random() < (1 if 7 <= hour < 18 else 0.3) * (0.4 if day in (2, 3) else 1):
            submits.append(BEGIN + at)
    submits.sort()
    number, k = 1000, 0
    while k < jobs:
        name = dice.choices(names, shares)[0]
        kind = dice.random()
        size = min(jobs - k, dice.randrange(2, 40) if kind < 0.03 else 2 if kind < 0.04 else 1)
        first = make_job(dice, name, number, 0)
        for part in range(size):
            job = dict(first)
            if kind < 0.03:  # an array
                job["id"], job["raw"] = f"{number}_{part}", str(number + part)
                job["efficiency"] = min(1.0, first["efficiency"] * (0.8 + 0.2 * dice.random()))
            elif kind < 0.04 and size == 2:  # a heterogeneous job
                job = make_job(dice, name, number, 0)
                job["id"], job["raw"] = f"{number}+{part}", str(number + part)
            write_job(dice, out, queues[name], job, submits[k])
        k += size
        number += size
    for at in range(10):  # still in the queue
        job = make_job(dice, "large", number + at, 0)
        out.job(job, "PENDING", submits[-1] + at, None, None, 0)
    # The last rows again, as at the beginning of an overlapping second output.
    header = "|".join(COLUMNS)
    return "\n".join([header, *out.rows, header, *out.rows[-60:]]) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--local", action="store_true")
    given = parser.parse_args()
    sys.stdout.write(make(given.jobs, given.seed, given.local))
