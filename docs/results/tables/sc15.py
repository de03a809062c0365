# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of sc15.md."""
from .cells import read, runs, table


def as_printed(value, digits, known=12):
    """With so many digits after the point, if the data have them: so many in all."""
    if not value:
        return "-"
    return f"{float(value):,.{max(0, min(digits, known - len(str(int(float(value))))))}f}"


def second_simulator(part, logs):
    """SC'15's figures / those of tests/published/sc15.py on each of the logs / dfrs-sim's."""

    def block():
        cells = {(r["table"], r["row"], r["column"]): r for r in read("sc15-second")}
        ours = {(r["row"], r["column"]): r["measured"] for r in read("sc15") if r["table"] == part}
        heads = list(dict.fromkeys(column for table, _, column in cells if table == part))
        out = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
        for row in dict.fromkeys(row for table, row, _ in cells if table == part):
            texts = []
            for head in heads:
                digits = 2 if "mean bounded" in head else 1
                values = [cells[part, row, head]["published"]] + [cells[log, row, head]["measured"] for log in logs]
                texts.append(" / ".join([*(as_printed(value, digits) for value in values),
                                         as_printed(ours[row, head], digits, known=6)]))
            out.append(f"| {row} | " + " | ".join(texts) + " |")
        return out

    return block


def rlscheduler():
    """Its figures / those of tests/published/rlscheduler.py / dfrs-sim's."""
    cells = read("rlscheduler")
    orders = list(dict.fromkeys(r["order"] for r in cells))
    out = ["| log, backfilling | " + " | ".join(orders) + " |", "|---" * (len(orders) + 1) + "|"]
    for log, backfilling in dict.fromkeys((r["log"], r["backfilling"]) for r in cells):
        texts = [" / ".join(as_printed(r[column], 2) for column in ("published", "second", "dfrs-sim"))
                 for r in cells if (r["log"], r["backfilling"]) == (log, backfilling)]
        out.append(f"| {log}, {backfilling} | " + " | ".join(texts) + " |")
    return out


# block -> its lines
BLOCKS = {
    "runs": runs("sc15"),
    **{part: table("sc15", part) for part in (
        "kth", "ctc", "predictors-kth", "predictors-ctc", "errors-kth", "errors-ctc", "errors-hpc2n")},
    "second-kth": second_simulator("kth", ["kth-before-cleaning", "kth"]),
    "second-ctc": second_simulator("ctc", ["ctc"]),
    "rlscheduler": rlscheduler,
}
