# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of performance.md."""
import textwrap

from .experiments import BENCHMARKS
from .performance_cells import facts, in_seconds, read, shown, table
from .performance_slurm import agents, controller, slurmctld, state_file

# what, goal, benchmark
SIMULATIONS = [
    ("182 HPC2N weeks under GreedyPM*/per/OPT=MIN/MINVT=600", "8 s", "hpc2n_weeks/GreedyPM_per_MINVT"),
    ("the same with OPT=AVG", "3 times OPT=MIN", "hpc2n_weeks/GreedyPM_per_MINVT_AVG"),
    ("both bounds of the 182 weeks", "1 s", "both_bounds_of_the_weeks"),
    ("`divisible` bound of the whole log as one instance", "20 s", "divisible_bound_of_the_whole_log"),
    ("the whole log as one instance, GreedyPM*/per/OPT=MIN/MINVT=600, a tick an hour", "60 s",
     "whole_log/GreedyPM_per_MINVT"),
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
    growth = "; ".join(shown(found["programs", f"repack_growth/{kind}", "exponent"])
                       for kind in ("few_kinds", "all_differ"))
    calls = found["programs", "mcb8_call", "calls"]
    rows[4:4] = [("exponent of the growth of a full repack from 3,000 to 100,000 nodes (four sizes): few kinds; "
                  "all differ", "near 1", growth),
                 ("every call of MCB8 under `MCB8*` on 100 generated instances "
                  f"({float(calls['measured']):,.0f} calls): mean; longest", "40 us; 2 ms",
                  f"{shown(found['programs', 'mcb8_call', 'mean_us'], 1, ' us')}; "
                  f"{shown(found['programs', 'mcb8_call', 'max_us'], 1, ' us')}")]
    return table(["what", "goal", "CPU time"], rows)


TRIAGE = [
    ("1,000 nodes, 2,000 jobs", "", "1000/0/0"),
    ("10,000 nodes, 20,000 jobs", "20 ms; 100 ms", "10000/0/0"),
    ("20,000 nodes, 40,000 jobs", "", "20000/0/0"),
    ("40,000 nodes, 80,000 jobs", "", "40000/0/0"),
    ("100,000 nodes, 200,000 jobs", "20 ms; 100 ms", "100000/0/0"),
    ("10,000 nodes, 20,000 jobs that all need whole nodes of CPU, each node overloaded several times", "", "10000/1/0"),
    ("10,000 nodes, nothing may be paused", "", "10000/0/1"),
    ("10,000 nodes, pauses lose work", "", "10000/0/2"),
    ("10,000 nodes, users' time limits are known, nothing may be paused", "", "10000/0/3"),
]


def triage():
    found = read("programs")
    rows = [(what, goal, in_seconds(found["programs", f"triage_decision/{name}", "seconds"]),
             *(shown(found["programs", f"triage_decision/{name}", column], 1, " ms")
               for column in ("longest_ms", "first_ms")))
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
        rows.append((algorithm.replace("*", "\\*"), f"{less:,.0f}", f"{count / less - 1:+.3%}",
                     f"{explaining / less - 1:+.2%}"))
    return table(["algorithm", "instructions without the lines", "with them",
                  "while one job is explained (`--explain`)"], rows)


def watched():
    found = read("programs")
    took = [in_seconds(found["programs", f"watched/{what}", "seconds"]) for what in ("nothing", "reasons", "timeline")]
    return textwrap.wrap(f"Ten generated traces of 1,000 jobs under Triage take {took[0]} of CPU time without "
                         f"anything, {took[1]} with reasons, and {took[2]} with a timeline.", 120)


BLOCKS = {
    **{f"{part}-facts": facts(part) for part in BENCHMARKS},
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
