# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of dynp.md."""
import math
import statistics

from .cells import number, place, read, runs, table


def dynp(part):
    return table("dynp", part, order="published first")


def wait_and_load():
    """How the wait follows the utilization over the drawn sets of a machine."""
    rows = read("dynp")
    single = {}
    for r in rows:
        if r["table"] == "table5-sets":
            single.setdefault(r["column"], []).append(float(r["measured"]))
    table5 = {(r["row"], r["column"]): r for r in rows if r["table"] == "table5"}
    out = ["| | published UTIL; wait [s] | UTIL of the sets [%] | wait of the sets [s] "
           "| correlation of UTIL and log wait | sets that wait no longer than published |",
           "|---|---|---|---|---|---|"]
    for column in dict.fromkeys(c for _, c in table5):
        wait, util = single[column + " wait [s]"], single[column + " UTIL [%]"]
        published = float(next(r["published"] for k, r in table5.items() if k[1] == column and "wait" in k[0]))
        theirs = next(r["published"] for k, r in table5.items() if k[1] == column and "util" in k[0].lower())
        r = statistics.correlation(util, [math.log(w) for w in wait])
        out.append(f"| {column} | {theirs} %; {published:,.0f} | {min(util):.1f} to {max(util):.1f} "
                   f"| {min(wait):,.0f} to {max(wait):,.0f} | {r:.2f} "
                   f"| {sum(w <= published for w in wait)} of {len(wait)} |")
    return out


# What one queue for all policies explains: part, row, column or "" for each machine's.
ONE_QUEUE = ([("table4", f"jobs started with {policy}", f"{decider} ARTwW")
              for decider in ("simple", "advanced") for policy in ("SJF", "FCFS", "LJF")]
             + [("table4", "ARTwW [s]", "simple ARTwW"), ("table4", "ARTwW [s]", "advanced ARTwW")]
             + [("table5", f"switches to {policy} [%]", "") for policy in ("SJF", "FCFS", "LJF")]
             + [("table5", "same policy [%]", "")]
             + [("table6", row, "")
                for row in ("case 1", "cases 2 & 7", "cases 3 & 9", "cases 4b & 5", "case 6a", "case 6b")])


def one_queue():
    """Published / as usual / with a shared queue, a column for each machine."""
    usual, shared = ({place(r): r for r in read(name)} for name in ("dynp", "dynp-queue"))
    machines = ["CTC_syn", "KTH_syn", "PC2_syn", "SDSC_syn"]
    out = ["| | " + " | ".join(machines) + " |", "|---" * (len(machines) + 1) + "|"]
    for part, row, column in ONE_QUEUE:
        texts = []
        for m in machines:
            at = (part, f"{m}: {row}", column) if column else (part, row, m)
            cells = (usual[at]["published"], usual[at]["measured"], shared[at]["measured"])
            texts.append(" / ".join(number(c) for c in cells))
        decider = f", {column.removesuffix(' ARTwW')} decider" if column else ""
        out.append(f"| {row}{decider} | " + " | ".join(texts) + " |")
    return out


# block -> its lines
BLOCKS = {
    "runs": runs("dynp"),
    "queue": one_queue,
    "queue-runs": runs("dynp-queue"),
    "table4": dynp("table4"),
    "wait": wait_and_load,
    "table5": dynp("table5"),
    "table6": dynp("table6"),
    "table3": dynp("table3"),
}
