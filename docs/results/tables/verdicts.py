# SPDX-License-Identifier: GPL-2.0-or-later
"""How published figures compare with ours: near them, or explained by a variant, a reading or another draw, or not."""
import math

from .cells import place, read

VERDICTS = ["within 10 %", "by EASY/extra-only", "by a reading", "by another draw", "not explained"]

# One reading of what a paper leaves open for all of its tables.
READINGS = {"dynp": "dynp-queue", "ipdps2010": "ipdps2010-newest", "rr5724": "rr5724-fit", "rr7659": "rr7659-fit"}

# Experiments whose workloads are drawn from a model: our instances over the paper's.
DRAWN = {"rr7659": 1, "rr7659-fit": 1, "ipdps2010": 1, "ipdps2010-newest": 1, "rr5724": 1, "rr5724-fit": 1, "dynp": 20,
         "dynp-queue": 20}


def near(measured, published):
    # Equal as printed: the published figure has so many digits.
    digits = len(published.split(".")[1]) if "." in published else 0
    m, p = float(measured), float(published)
    return abs(m - p) <= 0.1 * abs(p) or round(m, digits) == p


def kind_of(column):
    """"max-stretch SD" is a standard deviation."""
    last = column.split()[-1].rstrip(".")
    for kind, words in (("averages", ("avg", "mean")), ("standard deviations", ("std", "SD")), ("maxima", ("max",))):
        if last in words:
            return kind
    return "averages"


def same_jobs(name, cell):
    """The paper's own: HPC2N's weeks."""
    return cell["column"].startswith("HPC2N") or (name, cell["table"]) == ("rr7659", "table5")


def in_another_draw(cell, times_papers=1):
    """Would a second draw lie so far from ours in 5 of 100 cases or more? The program says, except for means whose
    draws it cannot simulate or that have more values than the paper's. The difference of two means varies 1.41 times as
    much as one if the draws are equally large; ours is `times_papers` as large as the paper's. On a logarithmic scale,
    since the tails are heavy."""
    if cell.get("another_low"):
        return (times_papers == 1
                and float(cell["another_low"]) <= float(cell["published"]) <= float(cell["another_high"]))
    if not cell["low"] or min(float(cell[k]) for k in ("measured", "low", "high", "published")) <= 0:
        return False
    middle, low, high, published = (math.log(float(cell[k])) for k in ("measured", "low", "high", "published"))
    wider = math.sqrt(1 + times_papers)
    return middle - wider * (middle - low) <= published <= middle + wider * (high - middle)


def judged(name, parts):
    """The published cells of these parts, each with the number of its verdict in VERDICTS."""
    rows = [r for r in read(name) if r["table"] in parts]
    extra = {(r["table"], r["column"]): r for r in rows if r["row"] == "EASY/extra-only"}
    read_so = {place(r): r for r in read(READINGS[name])} if name in READINGS else {}
    for r in rows:
        if not r["published"] or r["row"] == "EASY/extra-only":
            continue
        variant = extra.get((r["table"], r["column"])) if r["row"] == "EASY" else None
        reading = read_so.get(place(r))
        draws = [(name, r)] + ([(READINGS[name], reading)] if reading else [])
        if near(r["measured"], r["published"]):
            yield r, 0
        elif variant and near(variant["measured"], r["published"]):
            yield r, 1
        elif reading and near(reading["measured"], r["published"]):
            yield r, 2
        elif not same_jobs(name, r) and any(in_another_draw(c, DRAWN[of]) for of, c in draws if of in DRAWN):
            yield r, 3
        else:
            yield r, 4


def counted(cells, label):
    """A line: how many, and how many of each verdict."""
    verdicts = [verdict for _, verdict in cells]
    counts = [len(verdicts)] + [verdicts.count(k) for k in range(len(VERDICTS))]
    return f"| {label} | " + " | ".join(f"{n:,}" for n in counts) + " |"


def account(name, parts):
    """How each published figure compares: EASY by its variant, drawn workloads by what another draw would give."""

    def block():
        out = ["| table | figures | cells | " + " | ".join(VERDICTS) + " |",
               "|---|---|---:" + "|---:" * len(VERDICTS) + "|"]
        every = []
        for part in parts:
            cells = list(judged(name, [part]))
            for kind in dict.fromkeys(kind_of(r["column"]) for r, _ in cells):
                out.append(counted([c for c in cells if kind_of(c[0]["column"]) == kind],
                                   f"{part.removeprefix('table')} | {kind}"))
            every += cells
        out.append(counted(every, "all |"))
        return out

    return block
