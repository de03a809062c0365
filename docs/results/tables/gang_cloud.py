# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of gang-cloud.md."""
from .cells import cell_text, place, read, runs, table

GANG_COLUMNS = ["AFCFS FF-10", "AFCFS FF-20"]


def gang_figures():
    """AFCFS with FF at X-factor 10 and 20: what the paper gives as curves only."""
    found = {place(r): r for r in read("gang-cloud")}
    kinds = {"figure2a": "response time", "figure2b": "bounded slowdown", "figure3": "migrations",
             "lease": "lease time"}
    out = ["| q, lambda | " + " | ".join(kinds.values()) + " |", "|---" + "|---" * len(kinds) + "|"]
    for q in ("25", "50", "75"):
        for row in dict.fromkeys(row for part, row, _ in found if part == f"figure2a-q{q}"):
            texts = []
            for kind in kinds:
                cells = [found[f"{kind}-q{q}", row, column] for column in GANG_COLUMNS]
                texts.append(", ".join(cell_text(c, "median apart") for c in cells))
            out.append(f"| 0.{q}, {row} | " + " | ".join(texts) + " |")
    return out


# block -> its lines
BLOCKS = {
    "runs": runs("gang-cloud"),
    "readings-runs": runs("gang-cloud-readings"),
    "readings": table("gang-cloud-readings", "readings"),
    "figures": gang_figures,
    "table1": table("gang-cloud", "table1", order="published first"),
}
