# SPDX-License-Identifier: GPL-2.0-or-later
"""Comparisons of several workloads, one for each seed, as one table."""
import json
import statistics

from . import report

COLUMNS = (("max_stretch", "max stretch", "{:.2f}"), ("mean_stretch", "mean stretch", "{:.2f}"),
           ("requeues", "pauses, moves", "{:.0f}"), ("work_lost", "work lost", "{:.1%}"))


def figures(comparisons):
    """side -> "live" or "simulated" -> name -> a value for each seed."""
    every = [{side.scheduler: one.figures(side) for side in one.sides} for one in comparisons.values()]
    return {side: {how: {name: [one[side][how][name] for one in every] for name, _, _ in COLUMNS}
                   for how in ("live", "simulated")} for side in every[0]}


def ratios(made, side, name):
    """How many times better than under sched/backfill, for each seed: the same jobs under both."""
    return [batch / mine for batch, mine in zip(made["backfill"]["live"][name], made[side]["live"][name])]


def text(comparisons):
    made, count = figures(comparisons), len(comparisons)
    lines = [f"Means of {count} workloads (seeds {min(comparisons)} to {max(comparisons)}); in brackets the least and the most",
             "", f"{'':28}{'':>11}" + "".join(f"{title:>24}" for _, title, _ in COLUMNS)]
    wide = len(lines[-1])
    lines.append("-" * wide)
    for side, by_how in made.items():
        for how, values in by_how.items():
            name = report.SIDES[side] if how == "live" else ""
            lines.append(f"{name:28}{how:>11}" + "".join(f"{_spread(values[key], form):>24}" for key, _, form in COLUMNS))
    lines.append("-" * wide)
    for side in made:
        if side == "backfill":
            continue
        for what, key in (("worst-served job", "max_stretch"), ("average job", "mean_stretch")):
            better = ratios(made, side, key)
            lines.append(f"{report.SIDES[side]}: the {what} fares {_spread(better, '{:.2f}')} times as well as under "
                         f"sched/backfill, better with {sum(ratio > 1 for ratio in better)} of {count} seeds.")
    return "\n".join(lines) + "\n"


def expected(workloads, setting, sides_of):
    """The means of simulations alone; `sides_of`: seed -> what compare.only_simulate() returns."""
    found = {}  # name -> a pair of maximum and mean for each seed, and the part of the work that was lost
    for seed, sides in sides_of.items():
        for name, _, prediction in sides:
            stretches = report.stretches(workloads[seed], prediction.flow, setting.floor)
            found.setdefault(name, []).append((max(stretches), statistics.fmean(stretches), prediction.totals["work_lost"]))
    batch = found[report.SIDES["backfill"]]
    lines = [f"Means of {len(workloads)} workloads; in brackets on how many of them it is lower than under sched/backfill", "",
             f"{'':28}{'max stretch':>18}{'mean stretch':>18}{'work lost':>12}"]
    for name, values in found.items():
        most, mean, lost = (statistics.fmean(column) for column in zip(*values))
        lower = [sum(mine[at] < other[at] for mine, other in zip(values, batch)) for at in (0, 1)]
        lines.append(f"{name:28}{f'{most:.2f} ({lower[0]})':>18}{f'{mean:.2f} ({lower[1]})':>18}{lost:>12.1%}")
    return "\n".join(lines) + "\n"


def _spread(values, form):
    return f"{form.format(statistics.fmean(values))} ({form.format(min(values))}-{form.format(max(values))})"


def write(folder, comparisons, table):
    report.replace(folder / "summary.txt", table)
    made = {"seeds": list(comparisons), "setting": vars(next(iter(comparisons.values())).setting),
            "schedulers": figures(comparisons)}
    report.replace(folder / "summary.json", json.dumps(made, indent=1) + "\n")
