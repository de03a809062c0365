# SPDX-License-Identifier: GPL-2.0-or-later
"""What a pause cost jobs in a live run, by its record: the virtual time that they were given beyond their run time (the
processes stop and go on a little later than decided, and memory comes back from swap), more than it was of jobs that
were never paused."""
import json
import math
import statistics
from dataclasses import dataclass

LEAST = 3  # resumes, and jobs that were never paused: of fewer nothing is told


@dataclass(frozen=True)
class PauseCost:
    seconds: float  # of virtual time, mean of all pauses
    error: float    # s, its standard error
    pauses: int     # that ended with a resume


@dataclass
class _Slot:
    job: int = 0
    clock: tuple = (0.0, 0.0, 0.0)
    resumes: int = 0


def of_record(lines, run_times):
    """`run_times`: of the jobs by their numbers in the record. None: too few pauses."""
    slots, given = {}, {}
    for line in lines:
        step = json.loads(line)
        if "t" not in step:
            continue
        ended = {event[1] for event in step.get("events", ()) if event[0] == "completed"}
        for change in step.get("jobs", ()):
            slot = slots.setdefault(change["slot"], _Slot())
            if change.get("id", slot.job) != slot.job:
                slots[change["slot"]] = slot = _Slot(change["id"])
            slot.clock = change.get("clock", slot.clock)
        for number in ended & slots.keys():
            base, since, rate = slots[number].clock
            given[slots[number].job] = (base + max(0.0, step["t"] - since) * rate, slots[number].resumes)
        for kind, number, *_ in step.get("decisions", {}).get("placements", ()):
            slots[number].resumes += kind == "resume"
    return _cost([(run_times[job], time - run_times[job], resumes) for job, (time, resumes) in given.items() if job in run_times])


def _cost(jobs):
    """`jobs`: of (run time, virtual time beyond it, resumes). What a start takes, and what the kernel gives a job less than
    its quota, which grows with the run time, show in jobs that were never paused."""
    others = [(run, beyond) for run, beyond, resumes in jobs if resumes == 0]
    paused = [job for job in jobs if job[2] > 0]
    pauses = sum(resumes for _, _, resumes in paused)
    if min(pauses, len(others)) < LEAST or len({run for run, _ in others}) < 2:
        return None
    slope, start = statistics.linear_regression(*zip(*others))
    rest = [beyond - start - slope * run for run, beyond in others]
    spread = math.sqrt(sum(one * one for one in rest) / max(1, len(rest) - 2))
    total = sum(beyond - start - slope * run for run, beyond, _ in paused)
    return PauseCost(max(0.0, total / pauses), spread * math.sqrt(len(paused)) / pauses, pauses)
