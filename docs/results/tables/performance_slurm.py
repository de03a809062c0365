# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of performance.md about the daemons, the plugin and Slurm."""
import textwrap

from .performance_cells import read, shown, table


def controller(size):
    def block():
        found = read("controller")
        names = list(dict.fromkeys(row for part, row, _ in found if part == size and row != "state file"))
        rows = [(name, *(shown(found[size, name, column], 1, " ms") for column in ("median", "90 %", "max")))
                for name in names]
        return table(["what", "median", "90 %", "max"], rows)

    return block


def state_file():
    found = read("controller")
    return textwrap.wrap(f"The state file of 20,000 jobs has a job on each line and is read in "
                         f"{shown(found['large', 'state file', 'a job on each line'], 1, ' ms')}; by JSON's tree, as "
                         "files of earlier versions are, it takes "
                         f"{shown(found['large', 'state file', 'by JSON'], 1, ' ms')}.", 120)


# what, goal, figures, unit and factor; the last tells sched/backfill's, if they are other figures
SLURMCTLD = [
    ("round (snapshot, decide, apply) with 10,000 jobs that run and 10,000 that wait, CPU time: median; 99th "
     "percentile; for backfill mean and longest of a cycle, wall", "20; 60 ms", ["round", "round 99"], " ms", 1, None),
    ("write lock, longest hold by CPU time, that load; for backfill of the main scheduler, wall", "3 ms", ["hold busy"],
     " ms", 1, ["hold"]),
    ("the same while the array starts; while the burst starts; after the restart", "3 ms",
     ["hold array", "hold burst", "hold restart"], " ms", 1, []),
    ("submission to launch of one small job, that load, median", "100 ms, a tenth of backfill's", ["single"], " ms",
     1000, None),
    ("the same with `SaveBeforeLaunch=yes`", "", ["single saved first"], " ms", 1000, []),
    ("the same from 20 s after the restart on", "", ["single after"], " ms", 1000, []),
    ("array of 10,000 one-second tasks, starts a second", "200, no fewer than backfill", ["array"], "", 1, None),
    ("10,000 separate jobs in a burst: all started after", "60 s", ["burst"], " s", 1, None),
    ("squeue meanwhile: median; longest", "1 s", ["squeue median", "squeue"], " s", 1, None),
    ("first decision after a restart with those jobs", "2 s", ["restart"], " s", 1, None),
    ("memory of slurmctld with that load", "200 MiB more than stock's", ["memory"], " MiB", 1, None),
    ("slurmctld at rest with that load, CPU", "", ["rest"], " % of a core", 1, None),
]


def slurmctld():
    found = {**read("slurmctld"),
             ("slurmctld", "single saved first", "dfrs"): read("launch")["launch", "single", "dfrs"]}
    rows = []
    for what, goal, ours, unit, scale, theirs in SLURMCTLD:
        cells = []
        for scheduler, names in (("dfrs", ours), ("backfill", ours if theirs is None else theirs)):
            have = [found["slurmctld", name, scheduler] for name in names if ("slurmctld", name, scheduler) in found]
            cells.append("; ".join(shown(cell, scale, unit) for cell in have))
        rows.append((what, goal, *cells))
    return table(["what", "goal", "sched/dfrs", "sched/backfill"], rows)


def agents():
    agent, delivery = read("agent"), read("delivery")

    def of_both(row, column, scale, unit):
        return "; ".join(shown(agent[version, row, column], scale, unit) for version in ("v1", "v2"))

    rows = [
        ("agent: quotas of 128 jobs change, CPU time, control groups v1; v2", "5 ms",
         of_both("a state that changes all jobs", "median", 1, " ms")),
        ("agent: CPU of its regular work without jobs, of a core", "0.1 %",
         of_both("a second without any job", "median", 0.1, " %")),
        ("agent: the same with 128 jobs", "", of_both("a second with all of them", "median", 0.1, " %")),
        ("quotas for 10,000 agents after a change of all yields, wall", "2 s",
         shown(delivery["delivery", "change of all yields", "ms"], 0.001, " s")),
        ("the same, CPU time in the controller", "",
         shown(delivery["delivery", "change of all yields", "CPU s"], 1, " s")),
        ("the first change, which makes a credential for each agent, wall", "",
         shown(delivery["delivery", "first change", "ms"], 0.001, " s")),
        ("the controller's CPU for 10,000 agents at rest, without munged", "",
         shown(delivery["delivery", "at rest", "% of a core"], 1, " % of a core")),
    ]
    return table(["what", "goal", "measured"], rows)
