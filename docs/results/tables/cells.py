# SPDX-License-Identifier: GPL-2.0-or-later
"""The cells of the data, and how pages show them: numbers, tables as the papers have them, and what a run took."""
import csv
import json
import os

from .experiments import APART, DATA


def read(name):
    """The cells of an experiment and of its parts that ran apart."""
    rows = []
    for part in [name, *APART.get(name, [])]:
        with open(os.path.join(DATA, part + ".csv"), encoding="utf-8") as lines:
            rows += csv.DictReader(lines)
    return rows


def place(cell):
    return cell["table"], cell["row"], cell["column"]


def escaped(name):
    return name.replace("*", chr(92) + "*")


def number(text):
    try:
        value = float(text)
    except ValueError:  # a name
        return escaped(text)
    size = abs(value)
    return f"{value:,.0f}" if size >= 1000 else f"{value:.3g}" if size else "0"


def cell_text(cell, order):
    text = number(cell["measured"])
    if cell["low"] and cell["low"] != cell["high"]:
        median = "" if order == "median apart" else f"; {number(cell['median'])}"
        text += f" [{number(cell['low'])}, {number(cell['high'])}{median}]"
    if not cell["published"]:
        return text
    ratio = f"{float(cell['measured']) / float(cell['published']):.2f}" if float(cell["published"]) else ""
    if order == "published first":
        return number(cell["published"]) + " / " + text + (f" / {ratio}" if ratio else "")
    return f"{text} ({number(cell['published'])}{', ' + ratio if ratio else ''})"


def table(name, part, order="measured first"):
    """A line per row and a column per column of the paper."""

    def block():
        cells = [r for r in read(name) if r["table"] == part]
        heads = list(dict.fromkeys(r["column"] for r in cells))
        found = {(r["row"], r["column"]): r for r in cells}
        out = ["| | " + " | ".join(escaped(head) for head in heads) + " |", "|---" * (len(heads) + 1) + "|"]
        for row in dict.fromkeys(r["row"] for r in cells):
            texts = [cell_text(found[row, head], order) if (row, head) in found else "" for head in heads]
            out.append(f"| {escaped(row)} | " + " | ".join(texts) + " |")
        return out

    return block


def runs(name):
    def block():
        with open(os.path.join(DATA, name + ".runs.json"), encoding="utf-8") as lines:
            facts = json.load(lines)
        took = ""
        if facts.get("elapsed_s"):
            took = f", {facts['elapsed_s']:,} s by {facts['threads']} thread{'s' * (facts['threads'] > 1)}"
        return [f"`{facts['command']}`: {facts['simulations']:,} simulations, {facts['cpu_s']:,} s of CPU time{took}, "
                f"at most {facts['peak_mib']} MiB, on {facts['machine']}."]

    return block
