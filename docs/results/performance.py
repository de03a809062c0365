# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of performance.md, from the data that tests/bench/measure.py wrote."""
import csv
import json
import math
import os
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data")
PARTS = ["programs", "campaigns", "controller", "agent", "delivery", "pages", "reasons", "slurmctld", "launch"]  # the last two need root


def read(part):
    with open(os.path.join(DATA, f"performance-{part}.csv"), encoding="utf-8") as lines:
        return {(r["table"], r["row"], r["column"]): r for r in csv.DictReader(lines)}


def digits(value):
    """Three, or as many as a whole number has."""
    if math.isinf(value):
        return "not all"
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:.3g}" if size else "0"


def shown(cell, scale=1.0, unit=""):
    """The median, with the lowest and the highest of the runs if these differ by more than the digits show."""
    middle, low, high = (digits(float(cell[k]) * scale) for k in ("measured", "low", "high"))
    between = f" ({low} to {high})" if low != high else ""
    return f"{middle}{unit}{between}"


def in_seconds(cell):
    value = float(cell["measured"])
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if value * scale >= 1:
            return shown(cell, scale, " " + unit)
    return shown(cell, 1e9, " ns")


def table(heads, rows):
    return ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|", *("| " + " | ".join(row) + " |" for row in rows)]


def facts(part):
    """Command, runs, what it took, and where."""

    def block():
        with open(os.path.join(DATA, f"performance-{part}.runs.json"), encoding="utf-8") as lines:
            found = json.load(lines)
        values = max(int(r["values"]) for r in read(part).values())
        runs = {"delivery": "6 changes of 3 runs", "slurmctld": "3 runs under sched/dfrs, one under sched/backfill"}.get(
            part, f"{values} runs each" if values > 1 else "One run")
        took = ("" if part in ("slurmctld", "launch") else  # its figures are just that
                f", {found['cpu_s']:,} s of CPU time, at most {found['peak_mib']:,} MiB")
        return [*(f"    {command}" for command in found["commands"]), "",
                *textwrap.wrap(f"{runs}, {found['elapsed_s']:,} s in all{took}, on {found['machine']}, {found['date']}.", 120)]

    return block


# what, goal, benchmark
SIMULATIONS = [
    ("182 HPC2N weeks under GreedyPM*/per/OPT=MIN/MINVT=600", "8 s", "hpc2n_weeks/GreedyPM_per_MINVT"),
    ("the same with OPT=AVG", "3 times OPT=MIN", "hpc2n_weeks/GreedyPM_per_MINVT_AVG"),
    ("both bounds of the 182 weeks", "1 s", "both_bounds_of_the_weeks"),
    ("`divisible` bound of the whole log as one instance", "20 s", "divisible_bound_of_the_whole_log"),
    ("the whole log as one instance, GreedyPM*/per/OPT=MIN/MINVT=600, a tick an hour", "60 s", "whole_log/GreedyPM_per_MINVT"),
]
JOBS_OF_THE_LOG = 202876


def simulations():
    found = read("programs")
    easy = found["programs", "file_to_result/EASY", "seconds"]
    rate = JOBS_OF_THE_LOG / float(easy["measured"])
    rows = [("EASY on HPC2N's whole log (202,876 jobs), from the compressed file to the result", "1,000,000 jobs/s",
             f"{in_seconds(easy)}; {round(rate, -4):,.0f} jobs/s")]
    rows += [(what, goal, in_seconds(found["programs", name, "seconds"])) for what, goal, name in SIMULATIONS]
    return table(["what", "goal", "CPU time"], rows)


DECISIONS = [
    ("full repack, 1,000 tasks on 100 nodes, all differ", "", ["full_repack/all_differ/100"]),
    ("full repack, 10,000 tasks on 1,000 nodes, all differ", "", ["full_repack/all_differ/1000"]),
    ("full repack, 100,000 tasks in 20,000 jobs on 10,000 nodes, few kinds; all differ", "50 ms",
     ["full_repack/few_kinds/10000", "full_repack/all_differ/10000"]),
    ("full repack, 1,000,000 tasks in 200,000 jobs on 100,000 nodes, few kinds; all differ", "800 ms",
     ["full_repack/few_kinds/100000", "full_repack/all_differ/100000"]),
    ("one job arrives and one ends, greedy placement, 100,000 nodes: 1; 5 (mean); 16 tasks", "100 us",
     [f"greedy_admission/100000/{tasks}" for tasks in (1, 0, 16)]),
    ("max-min yields (OPT=MIN) after one job's move, 100; 1,000; 10,000; 100,000 nodes", "",
     [f"yields_after_one_move/{nodes}" for nodes in (100, 1000, 10000, 100000)]),
    ("OPT=AVG of /stretch-per, all jobs depend on each other, up to 4 tasks, 100; 1,000; 10,000 nodes", "",
     [f"average_stretch/nodes:{nodes}/tasks:4" for nodes in (100, 1000, 10000)]),
    ("the same with up to 30 tasks", "", [f"average_stretch/nodes:{nodes}/tasks:30" for nodes in (100, 1000, 10000)]),
]


def decisions():
    found = read("programs")
    rows = [(what, goal, "; ".join(in_seconds(found["programs", name, "seconds"]) for name in names))
            for what, goal, names in DECISIONS]
    growth = "; ".join(shown(found["programs", f"repack_growth/{kind}", "exponent"]) for kind in ("few_kinds", "all_differ"))
    calls = found["programs", "mcb8_call", "calls"]
    rows[4:4] = [("exponent of the growth of a full repack from 3,000 to 100,000 nodes (four sizes): few kinds; all differ",
                  "near 1", growth),
                 (f"every call of MCB8 under `MCB8*` on 100 generated instances ({float(calls['measured']):,.0f} calls): mean; "
                  "longest", "40 us; 2 ms", f"{shown(found['programs', 'mcb8_call', 'mean_us'], 1, ' us')}; "
                  f"{shown(found['programs', 'mcb8_call', 'max_us'], 1, ' us')}")]
    return table(["what", "goal", "CPU time"], rows)


TRIAGE = [
    ("1,000 nodes, 2,000 jobs", "", "1000/0/0"),
    ("10,000 nodes, 20,000 jobs, some 33 starts and pauses each time", "20 ms; 100 ms", "10000/0/0"),
    ("20,000 nodes, 40,000 jobs", "", "20000/0/0"),
    ("40,000 nodes, 80,000 jobs", "", "40000/0/0"),
    ("100,000 nodes, 200,000 jobs, one run", "20 ms; 100 ms", "100000/0/0"),
    ("10,000 nodes, 20,000 jobs that all need whole nodes of CPU, each node overloaded several times", "", "10000/1/0"),
    ("10,000 nodes, nothing may be paused", "", "10000/0/1"),
    ("10,000 nodes, pauses lose work", "", "10000/0/2"),
    ("10,000 nodes, users' time limits are known, nothing may be paused", "", "10000/0/3"),
]


def triage():
    found = read("programs")
    rows = [(what, goal, in_seconds(found["programs", f"triage_decision/{name}", "seconds"]),
             *(shown(found["programs", f"triage_decision/{name}", column], 1, " ms") for column in ("longest_ms", "first_ms")))
            for what, goal, name in TRIAGE]
    return table(["what", "goal: mean; longest", "mean", "longest, except the first", "the first"], rows)


def campaigns():
    found = read("campaigns")
    goals = {"182 weeks, the algorithms of table 2, both bounds": "100 s wall", "all of table 2, 1,182 instances":
             "10 min wall, 1 GiB"}
    rows = [(f"{row}, 2 threads", goal, *(shown(found["campaigns", row, column], 1, unit)
                                          for column, unit in (("wall s", " s"), ("CPU s", " s"), ("MiB", " MiB"))))
            for row, goal in goals.items()]
    return table(["what", "goal", "wall", "CPU", "memory"], rows)


def controller(size):
    def block():
        found = read("controller")
        names = list(dict.fromkeys(row for part, row, _ in found if part == size and row != "state file"))
        rows = [(name, *(shown(found[size, name, column], 1, " ms") for column in ("median", "90 %", "max"))) for name in names]
        return table(["what", "median", "90 %", "max"], rows)

    return block


def state_file():
    found = read("controller")
    return textwrap.wrap(f"The state file of 20,000 jobs has a job on each line and is read in "
                         f"{shown(found['large', 'state file', 'a job on each line'], 1, ' ms')}; by JSON's tree, as files of earlier "
                         f"versions are, it takes {shown(found['large', 'state file', 'by JSON'], 1, ' ms')}.", 120)


# what, goal, figures, unit and factor; the last tells sched/backfill's, if they are other figures
SLURMCTLD = [
    ("round (snapshot, decide, apply) with 10,000 jobs that run and 10,000 that wait, CPU time: median; 99th percentile; for "
     "backfill mean and longest of a cycle, wall", "20; 60 ms", ["round", "round 99"], " ms", 1, None),
    ("write lock, longest hold by CPU time, that load; for backfill of the main scheduler, wall", "3 ms", ["hold busy"], " ms", 1,
     ["hold"]),
    ("the same while the array starts; while the burst starts; after the restart", "3 ms",
     ["hold array", "hold burst", "hold restart"], " ms", 1, []),
    ("submission to launch of one small job, that load, median", "100 ms, a tenth of backfill's", ["single"], " ms", 1000, None),
    ("the same with `SaveBeforeLaunch=no`", "100 ms", ["single launched first"], " ms", 1000, []),
    ("array of 10,000 one-second tasks, starts a second", "200, no fewer than backfill", ["array"], "", 1, None),
    ("10,000 separate jobs in a burst: all started after", "60 s", ["burst"], " s", 1, None),
    ("squeue meanwhile: median; longest", "1 s", ["squeue median", "squeue"], " s", 1, None),
    ("first decision after a restart with those jobs", "2 s", ["restart"], " s", 1, None),
    ("memory of slurmctld with that load", "200 MiB more than stock's", ["memory"], " MiB", 1, None),
    ("slurmctld at rest with that load, CPU", "", ["rest"], " % of a core", 1, None),
]


def slurmctld():
    found = {**read("slurmctld"), ("slurmctld", "single launched first", "dfrs"): read("launch")["launch", "single", "dfrs"]}
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
        ("the same, CPU time in the controller", "", shown(delivery["delivery", "change of all yields", "CPU s"], 1, " s")),
        ("the first change, which makes a credential for each agent, wall", "",
         shown(delivery["delivery", "first change", "ms"], 0.001, " s")),
        ("the controller's CPU for 10,000 agents at rest, without munged", "",
         shown(delivery["delivery", "at rest", "% of a core"], 1, " % of a core")),
    ]
    return table(["what", "goal", "measured"], rows)


def pages():
    found = read("pages")
    columns = list(dict.fromkeys(column for _, _, column in found))
    pans = [column for column in columns if column.startswith("frames/s over")]
    rows = []
    for name in dict.fromkeys(row for _, row, _ in found):
        rows.append((name, f"{float(found['pages', name, 'MB']['measured']):g} MB",
                     *(shown(found["pages", name, column], 1, " s") for column in ("first", "opens")),
                     *(shown(found["pages", name, column]) for column in pans)))
    heads = [f"frames/s, panning over {float(pan.split()[-1]) * 100:g} % of the time" for pan in pans]
    return table(["page", "file", "first", "opens", *heads], rows)


def reasons():
    found = read("reasons")
    rows = []
    for algorithm in dict.fromkeys(row for _, row, _ in found):
        less, count, explaining = (float(found["reasons", algorithm, column]["measured"])
                                   for column in ("without", "with", "explaining"))
        rows.append((algorithm.replace("*", "\\*"), f"{less:,.0f}", f"{count / less - 1:+.3%}", f"{explaining / less - 1:+.2%}"))
    return table(["algorithm", "instructions without the lines", "with them", "while one job is explained (`--explain`)"], rows)


def watched():
    found = read("programs")
    took = [in_seconds(found["programs", f"watched/{what}", "seconds"]) for what in ("nothing", "reasons", "timeline")]
    return textwrap.wrap(f"Ten generated traces of 1,000 jobs under Triage take {took[0]} of CPU time without anything, {took[1]} "
                         f"with reasons, and {took[2]} with a timeline.", 120)


BLOCKS = {
    **{f"{part}-facts": facts(part) for part in PARTS},
    "simulations": simulations,
    "decisions": decisions,
    "triage": triage,
    "campaigns": campaigns,
    "controller-small": controller("small"),
    "controller-large": controller("large"),
    "state-file": state_file,
    "slurmctld": slurmctld,
    "agents": agents,
    "pages": pages,
    "reasons": reasons,
    "watched": watched,
}
