# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports of AddressSanitizer and ThreadSanitizer: which of them are of dfrs."""
import re
from pathlib import Path

KNOWN = Path(__file__).with_name("known")  # Slurm's own faults, one a line, named as split() names them
OPTIONS = "stack_trace_format='    #%n %f %S %m'"  # with the module of each frame
# Our modules: the plugins in the cluster's own folder, and the controller.
OURS = re.compile(r"^ +#\d+ .*(?:/plugins/other/slurm/\S+\.so|/libdfrs_controller\.so)\S*$", re.MULTILINE)
SUMMARY = re.compile(r"^SUMMARY: (Address|Thread)Sanitizer: (.+?)"
                     r"(?: \S+:\d+| \(\S+\)| \(BuildId: \S+\))* in (\S+)")


def known(text):
    """The names in such a list."""
    return {line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")}


def split(text):
    """The reports in a log: ("sanitizer: what: function", text) of each."""
    reports, lines = [], []
    for line in text.splitlines():
        lines.append(line)
        match = SUMMARY.match(line)
        if match:
            reports.append((f"{match[1].lower()}: {match[2]}: {match[3]}", "\n".join(lines)))
            lines = []
    rest = "\n".join(lines).strip("= \n")
    if re.search(r"ERROR|WARNING", rest):  # cut off
        reports.append(("unfinished", rest))
    return reports


def judge(text, ignored):
    """Names of the reports with a frame of ours that are not to be ignored, and of the others."""
    ours, others = [], []
    for name, report in split(text):
        is_ours = name == "unfinished" or (OURS.search(report) and name not in ignored)
        (ours if is_ours else others).append(name)
    return ours, others
