# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports of AddressSanitizer and ThreadSanitizer: which of them are of dfrs."""
import re
from pathlib import Path

# Of Slurm's own faults, as "sanitizer: what: function", which tests/soak/known tells.
KNOWN = Path(__file__).with_name("known")
OPTIONS = "stack_trace_format='    #%n %f %S %m'"  # with the module of each frame
# Our modules: the plugins in the cluster's own folder, and the controller.
OURS = re.compile(r"^ +#\d+ .*(?:/plugins/other/slurm/\S+\.so|/libdfrs_controller\.so)\S*$", re.MULTILINE)
SUMMARY = re.compile(r"^SUMMARY: (Address|Thread|UndefinedBehavior)Sanitizer: (.+?)"
                     r"(?: \S+:\d+| \(\S+\)| \(BuildId: \S+\))* in (\S+)")


def known():
    lines = KNOWN.read_text(encoding="utf-8").splitlines() if KNOWN.exists() else []
    return {line.strip() for line in lines if line.strip() and not line.startswith("#")}


def split(text):
    """The reports in a log: (name as in the list of known ones, text) of each."""
    reports, lines = [], []
    for line in text.splitlines():
        lines.append(line)
        match = SUMMARY.match(line)
        if match:
            reports.append((f"{match[1].lower()}: {match[2]}: {match[3]}", "\n".join(lines)))
            lines = []
    rest = "\n".join(lines).strip("= \n")
    if re.search(r"ERROR|WARNING|runtime error", rest):  # cut off
        reports.append(("unfinished", rest))
    return reports


def judge(text, ignored):
    """(reports with a frame of ours that are not known, names of the others)."""
    mine, others = [], []
    for name, report in split(text):
        (mine if OURS.search(report) and name not in ignored or name == "unfinished" else others).append((name, report))
    return mine, [name for name, _ in others]
