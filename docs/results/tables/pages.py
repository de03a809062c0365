# SPDX-License-Identifier: GPL-2.0-or-later
"""All pages and charts: what is in the files, and what their data say."""
import os
import sys

from . import dynp, gang_cloud, ipdps2010, performance, reproduction, rivals, rr5724, rr7659, sc15, triage, triage_chart
from .experiments import HERE, IMAGES

# page -> block -> its lines
BLOCKS = {
    "dynp": dynp.BLOCKS,
    "gang-cloud": gang_cloud.BLOCKS,
    "ipdps2010": ipdps2010.BLOCKS,
    "rr5724": rr5724.BLOCKS,
    "rr7659": rr7659.BLOCKS,
    **rivals.BLOCKS,
    "performance": performance.BLOCKS,
    "reproduction": reproduction.BLOCKS,
    "sc15": sc15.BLOCKS,
    "triage": triage.BLOCKS,
}
# file in docs/images -> its text
CHARTS = {"triage-mixed.svg": triage_chart.mixed_chart}


def page_text(name):
    """The page as it is and as its data say."""
    path = os.path.join(HERE, name + ".md")
    with open(path, encoding="utf-8") as lines:
        old = lines.read()
    new = old
    for block, lines in BLOCKS[name].items():
        begin, end = f"<!-- BEGIN {block} -->\n", f"<!-- END {block} -->\n"
        if new.count(begin) != 1 or new.count(end) != 1 or new.index(begin) > new.index(end):
            sys.exit(f"regenerate.py: {path}: expected one '{begin.strip()}' and, after it, one '{end.strip()}'")
        new = new[: new.index(begin) + len(begin)] + "\n" + "\n".join(lines()) + "\n\n" + new[new.index(end) :]
    return path, old, new


def chart_text(name):
    """The chart as it is and as its data say."""
    path = os.path.join(IMAGES, name)
    old = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as lines:
            old = lines.read()
    return path, old, CHARTS[name]()
