# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of rr7659.md."""
import csv
import math
import os
import statistics

from .cells import cell_text, escaped, number, place, read, runs, table
from .experiments import DATA
from .readings import by_algorithm, by_family, by_reading
from .verdicts import account

RR7659_TABLES = [f"table{k}" for k in (5, 6, 7, 8, 9, 10)]

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


def fine_search():
    """Averages of /stretch-per in tables 8 to 10, as usual and with a finer search."""
    usual, fit = ({place(r): r for r in read(name)} for name in ("rr7659", "rr7659-fit"))
    heads = [f"{word} {unit}" for word in ("pauses", "moves") for unit in ("GB/s", "an hour", "a job")]
    out = ["| | " + " | ".join(heads) + " |", "|---" * 7 + "|"]
    for row in ("/per/OPT=MIN", "/stretch-per/OPT=MAX", "/stretch-per/OPT=AVG"):
        for label, side in (("", usual), (", `fit`", fit)):
            cells = [side[table, row, f"{event} {unit} avg."] for event in ("pmtn", "mig")
                     for table, unit in (("table8", "GB/s"), ("table9", "/hour"), ("table10", "/job"))]
            texts = [f"{float(c['measured']) / float(c['published']):.2f}" for c in cells]
            out.append(f"| {row}{label} | " + " | ".join(texts) + " |")
    return out


def beside_reference(part):
    """Average, standard deviation and maximum: the paper's, an independent simulator's, and ours with the average's
    interval and median."""

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
                texts = [cell_text({**ours[0], "published": ""}, "measured first"),
                         *(number(c["measured"]) for c in ours[1:])]
                out.append(f"| {escaped(r['row'])} | {' / '.join(number(c['published']) for c in ours)} | {reference} "
                           f"| {' / '.join(texts)} |")
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
            f"| fill, resumes count in numbers only | {' | '.join(means)} | {sum(abs(q - 1) <= 0.1 for q in every)} "
            f"| {factor:.2f} |"]


def ties_on_hpc2n():
    """Averages that the order of equal jobs decides."""
    usual, ties, fit = ({place(r): r for r in read(name)} for name in ("rr7659", "rr7659-ties", "rr7659-fit"))
    out = ["| | by submission | published | by priority | newest first (`fit`) |", "|---|---:|---:|---:|---:|"]
    for row in ("MCB8*/per/OPT=MIN/MINFT=300", "MCB8*/OPT=MIN/MINFT=300", "MCB8/per/OPT=MIN", "MCB8*/per/OPT=MIN"):
        at = ("table5", row, "avg.")
        texts = [cell_text({**side[at], "published": ""}, "measured first") for side in (usual, ties, fit)]
        out.append(f"| {escaped(row)} | {texts[0]} | {number(usual[at]['published'])} | {texts[1]} | {texts[2]} |")
    return out


# block -> its lines
BLOCKS = {
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
    **{part: table("rr7659", part)
       for part in ["table3", "table4", *RR7659_TABLES, *(f"figure{k}" for k in (1, 5, 6, 7, 8, 9))]},
}
