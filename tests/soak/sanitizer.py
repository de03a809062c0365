# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports of AddressSanitizer and ThreadSanitizer: which of them are of dfrs.

They know no function of what slurmctld loads while it runs, such as plugins: only the file. So a race is named by the
global that it is about, or else by the functions that met.
"""
import re
from pathlib import Path

KNOWN = Path(__file__).with_name("known")  # what is no fault of ours, one a line, named as split() names it
OPTIONS = "stack_trace_format='    #%n %f %S %m+%o'"  # with the module of each frame, and where in it, for addr2line
# Our modules: the plugins in the cluster's own folder, and the controller.
OURS = re.compile(r"^ +#\d+ .*(?:/plugins/other/slurm/\S+\.so|/libdfrs_controller\.so)\S*$", re.MULTILINE)
BEGIN = re.compile(r"^(?:==\d+==)?(?:WARNING|ERROR|FATAL): (Thread|Address)Sanitizer: (.+?)"
                   r"(?: \(pid=\d+\)| on (?:unknown )?address .*)?$")
SUMMARY = re.compile(r"^SUMMARY: (?:Address|Thread)Sanitizer: .* in (\S+)$")
TOP = re.compile(r"^ +#0 (\S+) \S+ (?:\S*/)?([^/\s+]+)\S*$", re.MULTILINE)  # function, file
GLOBAL = re.compile(r"^  Location is global '([^']+)'", re.MULTILINE)
# After the stacks of what happened: those that only say where threads, locks and memory are from.
ORIGINS = re.compile(r"^ *(?:Location is|Mutex M\d+ \S+ created|Thread T\d+ .*created by|As if synchronized)", re.MULTILINE)


def known(text):
    """The names in such a list."""
    return {line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")}


def split(text):
    """The reports in a log: ("sanitizer: what: where", text) of each. One that was cut off is "unfinished"."""
    reports, lines, kind = [], [], None
    for line in text.splitlines():
        begins = BEGIN.match(line)
        if begins:
            if kind:
                reports.append(("unfinished", "\n".join(lines)))
            lines, kind = [], (begins[1], begins[2])
        if kind:
            lines.append(line)
            if line.startswith("SUMMARY: "):
                report = "\n".join(lines)
                reports.append((f"{kind[0].lower()}: {kind[1]}: {_where(kind[1], report, SUMMARY.match(line))}", report))
                kind = None
    if kind:
        reports.append(("unfinished", "\n".join(lines)))
    return reports


def _where(what, report, summary):
    if what == "data race":
        place = GLOBAL.search(report)
        met = {file if function == "<null>" else function for function, file in TOP.findall(_stacks(report))}
        return f"global {place[1]}" if place else ", ".join(sorted(met))
    return summary[1] if summary else "unknown"


def _stacks(report):
    """The part of a report that tells what happened."""
    return ORIGINS.split(report, maxsplit=1)[0]


def judge(text, ignored):
    """Names of the reports in which we took part, and that are not to be ignored, and of the others."""
    ours, others = [], []
    for name, report in split(text):
        is_ours = name == "unfinished" or (OURS.search(_stacks(report)) and name not in ignored)
        (ours if is_ours else others).append(name)
    return ours, others
