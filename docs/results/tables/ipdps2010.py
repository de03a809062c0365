# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of ipdps2010.md."""
from .cells import read, runs, table
from .readings import by_algorithm
from .verdicts import account, near


def chance(name, parts, same_instances):
    """Published averages of workloads that the paper drew otherwise: is the published figure in our interval?"""

    def block():
        out = ["| table | averages | within 10 % | others in our 95 % interval | neither |",
               "|---|---:|---:|---:|---:|"]
        for part in parts:
            cells = [r for r in read(name) if r["table"] == part and r["published"] and r["low"]
                     and not r["column"].startswith(same_instances) and r["row"] != "EASY/extra-only"]
            met = sum(near(r["measured"], r["published"]) for r in cells)
            inside = sum(not near(r["measured"], r["published"])
                         and float(r["low"]) <= float(r["published"]) <= float(r["high"]) for r in cells)
            out.append(f"| {part} | {len(cells)} | {met} | {inside} | {len(cells) - met - inside} |")
        return out

    return block


# block -> its lines
BLOCKS = {
    "runs": runs("ipdps2010"),
    "assumptions": table("ipdps2010-assumptions", "table2-assumptions"),
    "assumptions-cells": by_algorithm("ipdps2010-assumptions", "table2-assumptions-cells", ["none", "ties"]),
    "assumptions-runs": runs("ipdps2010-assumptions"),
    "newest-runs": runs("ipdps2010-newest"),
    "account": account("ipdps2010", ["table1", "table2", "figure1a-text"]),
    "chance": chance("ipdps2010", ["table1", "table2"], "HPC2N"),
    "table1": table("ipdps2010", "table1"),
    "table2": table("ipdps2010", "table2"),
    "figure1a-text": table("ipdps2010", "figure1a-text"),
    "figure1a": table("ipdps2010", "figure1a"),
    "figure1b": table("ipdps2010", "figure1b"),
}
