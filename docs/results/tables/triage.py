# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of triage.md."""
import sys

from .cells import cell_text, escaped, number, read, runs, table

# Sets of instances in all worlds: heading, part, and how their rows begin.
IN_WORLDS = [("HPC2N", "worlds-weeks", ""), ("generated", "worlds-lublin", ""), ("CTC", "worlds-ctc", ""),
             ("KTH", "worlds-kth", ""), ("HPC2N, 64 cores", "worlds-robust", "64 cores: "),
             ("generated, flood of 10 %", "worlds-robust", "flood, 10 % memory: "),
             ("generated, flood of 50 %", "worlds-robust", "flood, 50 % memory: ")]
WORLDS = ["kept", "mixed:0.5", "none", "lost"]
SIDE_BY_SIDE = ["Triage", "Triage/LIMITS", "clairvoyant/Triage", "GreedyPM*/OPT=MIN", "EASY/shared", "EASY"]


def in_worlds():
    """A column per world: average [95 % interval]; median. What pauses nothing is the same in all of them."""
    found = {(r["table"], r["row"], r["column"]): r for r in read("triage")}
    out = ["| | | " + " | ".join(WORLDS) + " |", "|---" * (len(WORLDS) + 2) + "|"]
    for heading, part, begin in IN_WORLDS:
        for algorithm in SIDE_BY_SIDE:
            texts = []
            for world in WORLDS:
                row = f"{begin}{algorithm}, {world}"
                if (part, row, "avg.") not in found:
                    row = f"{begin}{algorithm}, any"
                if (part, row, "avg.") not in found:
                    texts.append("")
                    continue
                average, median = found[part, row, "avg."], found[part, row, "median"]
                texts.append(f"{cell_text(average, 'median apart')}; {number(median['measured'])}")
            if any(texts):
                out.append(f"| {heading} | {escaped(algorithm)} | " + " | ".join(texts) + " |")
                heading = ""
    return out


# Defaults of Triage's parameters, in the order of the part; those that act in one world only.
USUAL = {"PATIENCE": 60, "HOLD": 750, "PAUSED": 1.2, "ROOM": 0.75, "OWN": 20, "STRETCH": 2, "AGE": 0.5, "PERIOD": 300,
         "PAYS": 3, "TIED": 300, "TRIED": 300, "RETURN": 0.75, "WIDTH": 0.25, "LOSS": 2, "AGED": 24, "CROWD": 8,
         "SHARE": 3, "PROBE": 18000, "SHORT": 10, "penalty expected": 300}
ACTS_IN = {"LOSS": "lost", "AGED": "lost", "CROWD": "none", "SHARE": "none", "PROBE": "none"}


def sensitivity():
    """A line per parameter: the average for each of its values, the default in bold, others with the 95 % interval of
    what they change, and a mark if that is not 0."""
    values = {}
    for r in read("triage"):
        if r["table"] == "sensitivity-all":
            name, value = r["row"].split("=")
            values.setdefault((name, r["column"]), {})[float(value)] = r
    out = ["| parameter | world | HPC2N | Lublin |", "|---|---|---|---|"]
    for name, usual in USUAL.items():
        cells = []
        for log in ("HPC2N", "Lublin"):
            averages, changes = values[name, log], values[name, log + " minus default"]
            if usual not in averages:
                sys.exit(f"regenerate.py: sensitivity-all has no {name}={usual:g}, the default")
            texts = []
            for value, cell in averages.items():
                text = f"{value:g}: {number(cell['measured'])}"
                low, high = changes[value]["low"], changes[value]["high"]
                if value == usual:
                    text = f"**{text}**"
                elif low and low != high:
                    sign = "+" if float(low) > 0 else "-" if float(high) < 0 else ""
                    text += f" [{number(low)}, {number(high)}]{sign}"
                texts.append(text)
            cells.append(", ".join(texts))
        out.append(f"| {name} | {ACTS_IN.get(name, 'kept')} | " + " | ".join(cells) + " |")
    return out


# What was aimed at: words, the limit or the cell to stay below, and the cell that says what is.
GOALS = [
    ("kept, HPC2N: average", 2.15, ("worlds-weeks", "Triage, kept", "avg.")),
    ("kept, generated as they are: average", 2.6, ("worlds-lublin", "Triage, kept", "avg.")),
    ("kept, generated at a load of 0.7: average", 2.9, ("lublin-load-costs", "0.7", "avg.")),
    ("kept, HPC2N: moves per job", 0.2, ("worlds-weeks", "Triage, kept", "moves/job")),
    ("penalty 0, HPC2N: average, less than the best published", ("weeks-free", "best", "avg."),
     ("weeks-free", "Triage", "avg.")),
    ("kept, HPC2N: U, at most EASY/shared's", ("weeks", "EASY/shared", "U"), ("weeks", "Triage", "U")),
    ("kept, CTC: U, the same", ("logs-ctc", "EASY/shared", "U"), ("logs-ctc", "Triage", "U")),
    ("kept, KTH: U, the same", ("logs-kth", "EASY/shared", "U"), ("logs-kth", "Triage", "U")),
    ("kept, generated as they are: U, the same", ("lublin", "EASY/shared", "U"), ("lublin", "Triage", "U")),
    ("kept, generated at a load of 0.9: U, the same", ("lublin-load-costs", "0.9", "U of EASY/shared"),
     ("lublin-load-costs", "0.9", "U")),
    ("none, HPC2N: average", 500, ("worlds-weeks", "Triage, none", "avg.")),
    ("none, HPC2N: median", 7, ("worlds-weeks", "Triage, none", "median")),
    ("none, HPC2N: mean stretch", 10, ("worlds-weeks", "Triage, none", "mean stretch")),
    ("none, HPC2N, with time limits: average", 300, ("worlds-weeks", "Triage/LIMITS, none", "avg.")),
    ("none, HPC2N, run times known: average", 150, ("worlds-weeks", "clairvoyant/Triage, none", "avg.")),
    ("none, HPC2N, run times known: median", 4, ("worlds-weeks", "clairvoyant/Triage, none", "median")),
    ("none, HPC2N, run times known: mean stretch", 2.2, ("worlds-weeks", "clairvoyant/Triage, none", "mean stretch")),
    ("lost, HPC2N: average", 15, ("worlds-weeks", "Triage, lost", "avg.")),
    ("lost, HPC2N: median", 5, ("worlds-weeks", "Triage, lost", "median")),
    ("lost, HPC2N: maximum", 150, ("worlds-weeks", "Triage, lost", "max")),
    ("lost, HPC2N: % of all work lost", 7, ("worlds-weeks", "Triage, lost", "% work lost")),
    ("mixed:0.5, HPC2N: average", 50, ("worlds-weeks", "Triage, mixed:0.5", "avg.")),
    ("mixed:0.5, HPC2N: median", 2.2, ("worlds-weeks", "Triage, mixed:0.5", "median")),
    ("mixed:0.5, HPC2N, without week 11: average", 12, ("worlds-weeks", "Triage, mixed:0.5", "avg. without week 11")),
]


def of_the_yardstick(found, cell):
    part, row, column = cell
    for algorithm in ("Triage/LIMITS", "Triage"):
        if row == algorithm or row.startswith(algorithm + ","):
            return found.get((part, row.replace(algorithm, "clairvoyant/Triage", 1), column), "")
    return found.get((part, row, "yardstick avg."), "") if column == "avg." else ""


def goals():
    found = {(r["table"], r["row"], r["column"]): r["measured"] for r in read("triage")}
    free = [v for (part, row, column), v in found.items()
            if (part, column) == ("weeks-free", "avg.") and "Triage" not in row]
    found["weeks-free", "best", "avg."] = min(free, key=float)
    out = ["| what | goal: at most | is | | run times known |", "|---|---:|---:|---|---:|"]
    for words, goal, cell in GOALS:
        limit = found[goal] if isinstance(goal, tuple) else str(goal)
        known = of_the_yardstick(found, cell)
        met = "met" if float(found[cell]) <= float(limit) else "missed"
        out.append(f"| {words} | {number(limit)} | {number(found[cell])} | {met} | {known and number(known)} |")
    return out


# Names of the part "swap", as a reader would say.
SWAPS = {"kept": "kept: jobs go on anywhere", "unlimited": "no limit", "memory:4": "4 times its memory",
         "memory:2": "twice its memory", "memory:1": "as much as memory", "memory:0.5": "half",
         "memory:0.25": "a quarter", "none": "none",
         "half kept, memory:1": "half of the jobs kept, the others suspended with as much swap as memory",
         "half kept, memory:0.25": "the same with a quarter"}


def suspended_to_swap():
    found = {(r["row"], r["column"]): r for r in read("triage") if r["table"] == "swap"}
    heads = list(dict.fromkeys(column for _, column in found))
    out = ["| swap of a node | " + " | ".join(escaped(head) for head in heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for row, words in SWAPS.items():
        out.append(f"| {words} | " + " | ".join(cell_text(found[row, head], "measured first") for head in heads) + " |")
    return out


def triage(part):
    return table("triage", part, order="median apart")


# block -> its lines
BLOCKS = {
    "runs": runs("triage"),
    "swap": suspended_to_swap,
    "goals": goals,
    "worlds": in_worlds,
    "sensitivity": sensitivity,
    **{part: triage(part) for part in (
        "worlds-weeks", "worlds-lublin", "worlds-ctc", "worlds-kth", "worlds-robust", "mixed-curve", "mixed-median",
        "mixed-lost", "weeks", "weeks-split", "weeks-free", "optimum", "optimum-weeks", "lublin", "lublin-load-costs",
        "logs-ctc", "logs-kth", "robust-weeks", "robust-lublin", "robust-penalty", "robust-period", "losses-causes",
        "losses-classes", "losses-weakest")},
}
