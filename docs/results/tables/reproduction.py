# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of reproduction.md: all papers, from the data of their pages."""
import textwrap

from .cells import place, read
from .verdicts import READINGS, VERDICTS, counted, in_another_draw, judged, kind_of

RR5724_TABLES = [f"table{k}" for k in range(1, 17)]

# paper, experiment, parts, kinds of figures (all if empty)
ACCOUNTS = [
    ("[RR-7659](rr7659.md), tables 5 to 7", "rr7659", ["table5", "table6", "table7"], ["averages"]),
    ("the same", "rr7659", ["table5", "table6", "table7"], ["standard deviations", "maxima"]),
    ("RR-7659, tables 8 to 10", "rr7659", ["table8", "table9", "table10"], ["averages"]),
    ("the same", "rr7659", ["table8", "table9", "table10"], ["maxima"]),
    ("[IPDPS 2010](ipdps2010.md), tables I and II, figure 1", "ipdps2010", ["table1", "table2", "figure1a-text"], []),
    ("[RR-5724](rr5724.md), tables 1 to 16", "rr5724", RR5724_TABLES, ["averages"]),
    ("the same", "rr5724", RR5724_TABLES, ["standard deviations", "maxima"]),
    ("[dynP](dynp.md), tables 3 to 6", "dynp", ["table3", "table4", "table5", "table6"], []),
    ("[gang-cloud](gang-cloud.md), table I", "gang-cloud", ["table1"], []),
    ("[SC'15](sc15.md), KTH", "sc15", ["kth"], []),
    ("SC'15, CTC", "sc15", ["ctc"], []),
]


def account_of_all():
    """All papers, from the data of their pages."""
    out = ["| paper | figures | cells | " + " | ".join(VERDICTS) + " |",
           "|---|---|---:" + "|---:" * len(VERDICTS) + "|"]
    every = []
    for label, name, parts, kinds in ACCOUNTS:
        cells = [c for c in judged(name, parts) if not kinds or kind_of(c[0]["column"]) in kinds]
        out.append(counted(cells, f"{label} | {' and '.join(kinds) or 'all'}"))
        every += cells
    out.append(counted(every, "all |"))
    return out


def widths_of_draws():
    """How long the intervals are by which draws explain figures, where the program simulates draws."""
    factors = []
    for name, parts in dict.fromkeys((name, tuple(parts)) for _, name, parts, _ in ACCOUNTS):
        read_so = {place(r): r for r in read(READINGS[name])} if name in READINGS else {}
        for cell, verdict in judged(name, parts):
            if VERDICTS[verdict] != "by another draw":
                continue
            lengths = [float(c["another_high"]) / float(c["another_low"]) for c in (cell, read_so.get(place(cell)))
                       if c and float(c.get("another_low") or 0) > 0 and in_another_draw(c)]
            if lengths:
                factors.append(min(lengths))
    counts = [sum(f <= limit for f in factors) for limit in (3, 10, 100)]
    text = (f"Of the {len(factors):,} figures that simulated draws explain, {counts[0]:,} lie in intervals whose ends "
            f"differ by a factor of 3 or less, {counts[1] - counts[0]:,} by 3 to 10, {counts[2] - counts[1]:,} by 10 "
            f"to 100 and {len(factors) - counts[2]:,} by more. The last two kinds say little.")
    return textwrap.wrap(text, 120)


# block -> its lines
BLOCKS = {"account": account_of_all, "widths": widths_of_draws}
