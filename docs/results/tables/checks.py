# SPDX-License-Identifier: GPL-2.0-or-later
"""What is wrong besides pages that differ from their data: other commands, typed-in figures, an old chart."""
import json
import os
import re

from .cells import read
from .experiments import DATA, EXPERIMENTS, HERE, IMAGES, command_of


def other_commands():
    """Experiments whose data come from another command than they have now."""
    names = []
    for name, arguments in EXPERIMENTS.items():
        with open(os.path.join(DATA, name + ".runs.json"), encoding="utf-8") as lines:
            if json.load(lines)["command"] != command_of(name, arguments):
                names.append(name)
    return names


def old_waterfall():
    """The numbers above the bars of rivals-gain.svg that its data do not have."""
    with open(os.path.join(IMAGES, "rivals-gain.svg"), encoding="utf-8") as lines:
        shown = re.findall(r'text-anchor="middle">([0-9.]+)</text>', lines.read())
    values = [float(r["measured"]) for r in read("rivals") if r["table"] == "gain" and r["column"] == "degradation"]
    from_data = [f"{v:.2f}" if v < 10 else f"{v:.1f}" if v < 100 else f"{v:.0f}" for v in values]
    return [] if shown == from_data else sorted(set(shown) ^ set(from_data))


def typed_in():
    """Lines of tables with figures that stand outside of all blocks, so that no command makes them."""
    found = []
    for name in sorted(os.listdir(HERE)):
        if not name.endswith(".md"):
            continue
        inside = False
        with open(os.path.join(HERE, name), encoding="utf-8") as lines:
            for at, line in enumerate(lines, 1):
                inside = (inside or line.startswith("<!-- BEGIN ")) and not line.startswith("<!-- END ")
                cells = line.strip().strip("|").split("|") if line.lstrip().startswith("|") else []
                if not inside and any(re.fullmatch(r"[-+<>(]?\d[\d.,;:/%()+ -]*", cell.strip()) for cell in cells):
                    found.append(f"{name}:{at}")
    return found
