# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of rivals.md and rivals-tables.md."""
from .cells import cell_text, escaped, read, runs, table

# For a first look: the best of each kind.
RIVALS_SHORT = ["FCFS", "EASY", "EASY/backfill=SJF", "EASY/head=WFP3/backfill=WFP3", "EASY/shared",
                "EASY/shared/head=SAF/backfill=SAF", "EASY/shared/jobs=2", "GANG/jobs=2", "Greedy*",
                "Triage, no pauses", "LAS/queues=4", "MLF/queues=4", "GreedyP*", "GreedyPM*/per/MINVT=600",
                "Triage, pauses lose work", "Triage", "yardstick/SRPT"]
RIVALS_SHORT_COLUMNS = ["degradation", "mean stretch", "short wait, s", "worst user"]

# Of the differences from Triage.
PAIRED_WITHOUT_USERS = ["degradation", "mean stretch", "p99 stretch", "max stretch", "short wait, s", "its p95, s", "U",
                        "makespan, h", "pauses/job", "moves/job"]
PAIRED = PAIRED_WITHOUT_USERS + ["fairness", "worst user"]

# Lublin's model has no users.
WITHOUT_USERS = ["degradation", "its median", "its max", "minus Triage's", "mean stretch", "p99 stretch", "max stretch",
                 "short wait, s", "its p95, s", "U", "makespan, h", "pauses/job", "moves/job", "work lost"]

# Of one instance, so without medians, intervals and differences.
WHOLE_LOG = ["degradation", "mean stretch", "p99 stretch", "max stretch", "short wait, s", "its p95, s", "U",
             "makespan, h", "fairness", "worst user", "pauses/job", "moves/job", "work lost"]


def side_by_side(part, columns=None, rows=None):
    """Measures of rivals, with the 95 % interval of the mean and the median where there are several. By default all
    columns and rows."""

    def block():
        cells = [r for r in read("rivals") if r["table"] == part]
        found = {(r["row"], r["column"]): r for r in cells}
        heads = columns or list(dict.fromkeys(r["column"] for r in cells))
        out = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
        for row in rows or dict.fromkeys(r["row"] for r in cells):
            texts = []
            for head in heads:
                cell = found.get((row, head))
                texts.append(cell_text(cell, "measured first") if cell else "")
            out.append(f"| {escaped(row)} | " + " | ".join(texts) + " |")
        return out

    return block


# page, block -> its lines
BLOCKS = {
    "rivals": {
        "runs": runs("rivals"),
        "short": side_by_side("weeks", RIVALS_SHORT_COLUMNS, RIVALS_SHORT),
    },
    "rivals-tables": {
        "runs": runs("rivals"),
        **{part: side_by_side(part) for part in ("weeks", "weeks-known", "gain")},
        "weeks-paired": side_by_side("weeks-paired", PAIRED),
        **{part: side_by_side(part, PAIRED_WITHOUT_USERS) for part in ("lublin-paired", "lublin-scaled-paired")},
        **{part: side_by_side(part, WITHOUT_USERS) for part in ("lublin", "lublin-scaled")},
        **{part: side_by_side(part, WHOLE_LOG)
           for part in ("hpc2n", "hpc2n-known", "kth", "kth-known", "ctc", "ctc-known")},
        "stability": table("rivals", "stability"),
        "stability-without": table("rivals", "stability-without"),
        "stable": table("rivals", "stable"),
    },
}
