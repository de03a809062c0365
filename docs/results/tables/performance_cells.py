# SPDX-License-Identifier: GPL-2.0-or-later
"""How the tables of performance.md show the figures that tests/bench/measure.py wrote."""
import csv
import json
import math
import os
import textwrap

from .experiments import DATA


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
    return ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|",
            *("| " + " | ".join(row) + " |" for row in rows)]


def facts(part):
    """Command, runs, what it took, and where."""

    def block():
        with open(os.path.join(DATA, f"performance-{part}.runs.json"), encoding="utf-8") as lines:
            found = json.load(lines)
        values = max(int(r["values"]) for r in read(part).values())
        runs = {"delivery": "6 changes of 3 runs",
                "slurmctld": "3 runs under sched/dfrs, one under sched/backfill"}.get(
                    part, f"{values} runs each" if values > 1 else "One run")
        took = ("" if part in ("slurmctld", "launch") else  # its figures are just that
                f", {found['cpu_s']:,} s of CPU time, at most {found['peak_mib']:,} MiB")
        return [*(f"    {command}" for command in found["commands"]), "",
                *textwrap.wrap(f"{runs}, {found['elapsed_s']:,} s in all{took}, on {found['machine']}, "
                               f"{found['date']}.", 120)]

    return block
