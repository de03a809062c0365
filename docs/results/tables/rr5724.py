# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of rr5724.md."""
from .cells import place, read, runs

RR5724_PARTS = {"table2": "2: 3 sites", "table3": "3: 10 sites", "table4": "4: 20 sites", "table5": "5: density 0.75",
                "table6": "6: density 1.00", "table7": "7: density 1.25", "table8": "8: density 1.50",
                "table9": "9: density 2.00", "table10": "10: density 3.00", "table11": "11: 3 databanks",
                "table12": "12: 10 databanks", "table13": "13: 20 databanks", "table14": "14: availability 30 %",
                "table15": "15: availability 60 %", "table16": "16: availability 90 %"}


def degradations(parts, columns, name="rr5724"):
    """RR-5724: published / measured (ratio); means with our 95 % interval and the median. Degradations are near 1."""

    def block():
        several = len(parts) > 1
        out = ["| " + "table | " * several + "algorithm | " + " | ".join(columns) + " |",
               "|---" * (len(columns) + 1 + several) + "|"]
        for part, title in parts.items():
            found = {(r["row"], r["column"]): r for r in read(name) if r["table"] == part}
            for row in dict.fromkeys(row for row, _ in found):
                texts = []
                for column in columns:
                    cell = found.get((row, column))
                    if not cell or not cell["published"]:
                        texts.append("")
                        continue
                    published, measured = float(cell["published"]), float(cell["measured"])
                    spread = ""
                    if cell["low"]:
                        spread = f" [{float(cell['low']):.4f}, {float(cell['high']):.4f}; {float(cell['median']):.4f}]"
                    ratio = f" ({measured / published:.2f})" if published else ""
                    texts.append(f"{published:.4f} / {measured:.4f}{spread}{ratio}")
                if any(texts):
                    out.append("| " + f"{title} | " * several + f"{row} | " + " | ".join(texts) + " |")
        return out

    return block


def fit_of_rr5724():
    """Table 1 under `fit`, as `degradations`."""
    return degradations({"table1": ""}, ["max-stretch mean", "sum-stretch mean"], "rr5724-fit")()


def ratios_of_fit():
    """Means of RR-5724 under `fit`, measured / published, by table; those more than 10 % off are bold."""
    found = {place(r): r for r in read("rr5724-fit")}
    titles = {1: "all", 2: "3 sites", 3: "10 sites", 4: "20 sites", 5: "density 0.75", 10: "density 3.00",
              11: "3 databanks", 13: "20 databanks", 14: "availability 30 %", 15: "availability 60 %",
              16: "availability 90 %"}
    algorithms = ["MCT-DIV", "MCT", "SPT", "Online", "Bender02"]
    out = ["| table | " + " | ".join(f"{a} max, sum" for a in algorithms) + " |", "|---" * (len(algorithms) + 1) + "|"]
    for number_of_table, title in titles.items():
        texts = []
        for algorithm in algorithms:
            cells = [found[f"table{number_of_table}", algorithm, f"{metric}-stretch mean"] for metric in ("max", "sum")]
            ratios = [float(c["measured"]) / float(c["published"]) for c in cells]
            texts.append(", ".join(f"{r:.2f}" if abs(r - 1) <= 0.1 else f"**{r:.2f}**" for r in ratios))
        out.append(f"| {number_of_table}: {title} | " + " | ".join(texts) + " |")
    return out


def columns_of_rr5724():
    """A line per kind of figures: how many cells agree as usual, under `fit` only, or not; of means also by what
    exceeds 1."""
    read_so = {place(r): r for r in read("rr5724-fit")}
    groups = {f"{metric}-stretch {kind}": [] for metric in ("max", "sum") for kind in ("mean", "SD", "max")}
    for r in read("rr5724"):
        if r["published"] and r["column"] in groups:
            groups[r["column"]].append(r)
    out = ["| column | published | within 10 % | by `fit` | not explained |", "|---|---:|---:|---:|---:|"]

    def line(label, cells, value):
        close = [near_value(value(r["measured"]), value(r["published"])) for r in cells]
        close_so = [near_value(value(read_so[place(r)]["measured"]), value(r["published"])) for r in cells]
        met = sum(close)
        explained = sum(so and not usual for usual, so in zip(close, close_so))
        out.append(f"| {label} | {len(cells)} | {met} | {explained} | {len(cells) - met - explained} |")

    def plain(text):
        return float(text)

    for label, cells in groups.items():
        line(label, cells, plain)
    line("all", [r for cells in groups.values() for r in cells], plain)
    beyond = [r for label, cells in groups.items() if label.endswith("mean")
              for r in cells if float(r["published"]) > 1]
    line("means, by what exceeds 1", beyond, lambda text: float(text) - 1)
    return out


def near_value(measured, published):
    return abs(measured - published) <= 0.1 * abs(published)


# block -> its lines
BLOCKS = {
    "fit": ratios_of_fit,
    "fit-table1": fit_of_rr5724,
    "fit-runs": runs("rr5724-fit"),
    "columns": columns_of_rr5724,
    "runs": runs("rr5724"),
    "table1": degradations({"table1": ""}, [f"{m}-stretch {w}" for m in ("max", "sum") for w in ("mean", "SD", "max")]),
    "means": degradations(RR5724_PARTS, ["max-stretch mean", "sum-stretch mean"]),
}
