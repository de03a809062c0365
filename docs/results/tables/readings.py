# SPDX-License-Identifier: GPL-2.0-or-later
"""Agreement with the paper under other readings of what it leaves open."""
import statistics

from .cells import escaped, place, read
from .verdicts import kind_of, near


def agreement(cells):
    """How many cells are near, and the geometric mean of measured / published."""
    close = sum(near(r["measured"], r["published"]) for r in cells)
    return f"{close}, {statistics.geometric_mean(float(r['measured']) / float(r['published']) for r in cells):.2f}"


def by_family(name, reading, part):
    """A line per family of algorithms (the name before OPT), first as usual, then under the reading."""

    def block():
        kinds = {"avg.": "averages", "std.": "standard deviations", "max": "maxima"}
        other = {place(r): r for r in read(reading)}
        families = {}
        for r in read(name):
            if r["table"] == part and r["published"] and "/OPT=" in r["row"]:
                families.setdefault(r["row"].split("/OPT=")[0], []).append(r)
        out = ["| | cells | " + " | ".join(kinds.values()) + " |",
               "|---|---:|" + "---:|" * len(kinds)]
        families["all"] = [r for cells in families.values() for r in cells]
        for family, cells in families.items():
            texts = []
            for kind in kinds:
                pairs = [(r, other[place(r)]) for r in cells if r["column"] == kind]
                texts.append("; ".join(agreement(side) for side in zip(*pairs)))
            out.append(f"| {escaped(family)} | {len(cells)} | " + " | ".join(texts) + " |")
        return out

    return block


def by_reading(name, readings, parts):
    """A line per table and kind of figures: as usual and under each reading."""

    def block():
        sides = {"as usual": read(name), **{word: read(reading) for word, reading in readings.items()}}
        sides = {word: {place(r): r for r in rows} for word, rows in sides.items()}
        out = ["| table | figures | cells | " + " | ".join(sides) + " |", "|---|---|---:" + "|---:" * len(sides) + "|"]
        for part in parts:
            kinds = {}
            for r in sides["as usual"].values():
                if r["table"] == part and r["published"] and float(r["published"]) > 0 and "/OPT=" in r["row"]:
                    kinds.setdefault(kind_of(r["column"]), []).append(place(r))
            for kind, cells in kinds.items():
                known = ([side[c] for c in cells if c in side] for side in sides.values())
                texts = [agreement(cells_of_side) if cells_of_side else "" for cells_of_side in known]
                out.append(f"| {part.removeprefix('table')} | {kind} | {len(cells)} | " + " | ".join(texts) + " |")
        return out

    return block


def by_algorithm(name, part, chosen):
    """Measured / published of each algorithm under the chosen assumptions, one after the other; one that is no
    different from those before it is left out."""

    def block():
        found = {(*r["row"].split(": ", 1), r["column"]): r for r in read(name) if r["table"] == part}
        heads = list(dict.fromkeys(column for _, _, column in found))
        out = ["| | " + " | ".join(heads) + " |", "|---" + "|---:" * len(heads) + "|"]
        for algorithm in dict.fromkeys(algorithm for _, algorithm, _ in found):
            shown = {}
            for assumption in chosen:
                values = tuple(found[assumption, algorithm, head]["measured"] for head in heads)
                if values not in shown.values():
                    shown[assumption] = values
            texts = []
            for k, head in enumerate(heads):
                published = found["none", algorithm, head]["published"]
                if not published or float(published) == 0:
                    texts.append("-")
                    continue
                texts.append(", ".join(f"{float(values[k]) / float(published):.2f}" for values in shown.values()))
            out.append(f"| {escaped(algorithm)} | " + " | ".join(texts) + " |")
        return out

    return block
