#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The Grafana dashboard: valid JSON, the fields that Grafana needs of panels, and only metrics that the programs have.

Usage: check_dashboard.py SOURCE_FOLDER"""
import json
import re
import sys
from pathlib import Path

PANELS = {"timeseries", "stat"}
PROMETHEUS = {"by", "on", "ignoring", "group_left", "group_right", "sum", "min", "max", "count", "avg", "rate", "increase",
              "or", "and", "unless", "vector", "label_values"}
WIDTH = 24


def fail_if(failures, wrong, message):
    if wrong:
        failures.append(message)


def metrics_of(source):
    """Name -> labels in the table of docs/reference/metrics.md, which reference.sh holds against the programs."""
    page = (source / "docs/reference/metrics.md").read_text(encoding="utf-8")
    controller, agents = page.split("## Agents")
    agents, both = agents.split("## Both")
    found = {}
    for text, always in ((controller, set()), (agents, {"node"}), (both, set())):
        for row in re.findall(r"^\| (`dfrs_.*)$", text, re.MULTILINE):
            for name, labels in re.findall(r"`(dfrs_\w+)(?:\{([^}]*)\})?`", row):
                found[name] = always | {label for label in labels.split(",") if label}
    return found


def names_in_sources(source):
    text = "".join(path.read_text(encoding="utf-8") for path in (source / "shim").rglob("*.cc"))
    return set(re.findall(r'"(dfrs_\w+)", "(?:gauge|counter)"', text))


def check_query(failures, where, expression, metrics, programs):
    plain = re.sub(r'"[^"]*"', '""', expression)
    used = re.findall(r"\b(dfrs_\w+)", plain)
    fail_if(failures, not used, f"{where}: no metric in '{expression}'")
    for name in used:
        fail_if(failures, name not in metrics, f"{where}: docs/reference/metrics.md does not have {name}")
        fail_if(failures, name not in programs, f"{where}: no program has {name}")
    for name, labels in re.findall(r"\b(dfrs_\w+)\{([^}]*)\}", plain):
        for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", labels):
            fail_if(failures, label not in metrics.get(name, ()), f"{where}: {name} has no label {label}")
    for bracket, back in (("(", ")"), ("{", "}"), ("[", "]")):
        fail_if(failures, plain.count(bracket) != plain.count(back), f"{where}: brackets in '{expression}'")
    if "rate(" in plain or "increase(" in plain:
        for name in re.findall(r"(?:rate|increase)\((dfrs_\w+)", plain):
            fail_if(failures, not name.endswith("_total"), f"{where}: {name} is no counter")
    words = set(re.findall(r"\b([a-z_]+)\b(?=\s*\()", plain))
    fail_if(failures, words - PROMETHEUS, f"{where}: unknown functions {sorted(words - PROMETHEUS)}")


def check_panel(failures, panel, variables):
    where = f"panel '{panel.get('title')}'"
    for field, kind in (("id", int), ("type", str), ("title", str), ("gridPos", dict), ("datasource", dict), ("targets", list),
                        ("fieldConfig", dict), ("options", dict)):
        fail_if(failures, not isinstance(panel.get(field), kind), f"{where}: {field} is not there, or no {kind.__name__}")
    if failures:
        return
    fail_if(failures, panel["type"] not in PANELS, f"{where}: type {panel['type']}")
    fail_if(failures, not isinstance(panel["fieldConfig"].get("defaults"), dict) or
            not isinstance(panel["fieldConfig"].get("overrides"), list), f"{where}: fieldConfig")
    place = panel["gridPos"]
    fail_if(failures, set(place) != {"x", "y", "w", "h"} or place["x"] + place["w"] > WIDTH or place["h"] < 1,
            f"{where}: gridPos {place}")
    references = [target.get("refId") for target in panel["targets"]]
    fail_if(failures, not references or len(set(references)) != len(references), f"{where}: refId {references}")
    for target in panel["targets"]:
        fail_if(failures, not target.get("expr") or "legendFormat" not in target, f"{where}: a target without expr")
        for used in re.findall(r"\$\{?(\w+)", json.dumps(target)):
            fail_if(failures, not used.startswith("__") and used not in variables, f"{where}: no variable ${used}")


def check_words(failures, source, panels):
    """The same words as on the page of dfrsctl web, and the same states of jobs that run, wait and are paused."""
    page = (source / "shim/web/page/page.js").read_text(encoding="utf-8")
    runs = re.findall(r"'([a-z-]+)'", re.search(r"const runs = (.*);", page)[1])
    paused = re.findall(r"'([a-z-]+)'", re.search(r"const isPaused = (.*);", page)[1])
    stats = [panel for panel in panels if panel["type"] == "stat"]
    shown = {target.get("legendFormat"): target.get("expr") for panel in stats for target in panel.get("targets", [])}
    for words, sign, states in (("running", "=~", runs), ("waiting", "!~", runs), ("of these paused", "=~", paused)):
        wanted = f'sum(dfrs_jobs{{state{sign}"{"|".join(states)}"}})'
        fail_if(failures, shown.get(words) != wanted, f"'{words}': {shown.get(words)}, but the live page counts {wanted}")
    legends = {target.get("legendFormat") for panel in panels for target in panel.get("targets", [])}
    for words in ("mean yield", "decisions", "rounds", "lost runs"):
        fail_if(failures, f"['{words}', " not in page or words not in legends, f"'{words}' is not on both pages")


def overlaps(one, other):
    return (one["x"] < other["x"] + other["w"] and other["x"] < one["x"] + one["w"] and
            one["y"] < other["y"] + other["h"] and other["y"] < one["y"] + one["h"])


def main():
    source = Path(sys.argv[1])
    dashboard = json.loads((source / "packaging/grafana/dfrs.json").read_text(encoding="utf-8"))
    metrics, programs, failures = metrics_of(source), names_in_sources(source), []
    fail_if(failures, len(metrics) < 40, f"only {len(metrics)} metrics in docs/reference/metrics.md")
    for field, kind in (("title", str), ("uid", str), ("schemaVersion", int), ("panels", list), ("templating", dict),
                        ("time", dict), ("annotations", dict)):
        fail_if(failures, not isinstance(dashboard.get(field), kind), f"{field} is not there, or no {kind.__name__}")
    variables = {variable["name"] for variable in dashboard["templating"]["list"]}
    panels = dashboard["panels"]
    fail_if(failures, len({panel["id"] for panel in panels}) != len(panels), "two panels have one id")
    for panel in panels:
        check_panel(failures, panel, variables)
        for target in panel.get("targets", ()):
            check_query(failures, f"panel '{panel['title']}'", target["expr"], metrics, programs)
    check_words(failures, source, panels)
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            check_query(failures, f"variable {variable['name']}", variable["definition"], metrics, programs)
            fail_if(failures, variable["query"]["query"] != variable["definition"], f"variable {variable['name']}: query")
    for number, one in enumerate(panels):
        for other in panels[number + 1:]:
            fail_if(failures, overlaps(one["gridPos"], other["gridPos"]),
                    f"panels '{one['title']}' and '{other['title']}' overlap")
    for failure in failures:
        print(f"FAIL: {failure}")
    print(f"{len(panels)} panels" if not failures else f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
