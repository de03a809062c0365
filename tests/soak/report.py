# SPDX-License-Identifier: GPL-2.0-or-later
"""The outcome of a soak as Markdown."""
from collections import Counter

from . import plan as plans

MOST = 60  # findings in full


def summary(player, findings, seconds):
    plan = player.plan
    evidence = player.evidence
    starts = sum(line.what == "start" for lines in evidence.diaries.values() for line in lines)
    tasks = sum(submission.tasks for submission in evidence.submissions)
    faults = Counter(action.kind for action in plan.actions if action.kind in plans.FAULTS)
    users = Counter(action.kind for action in plan.actions if action.kind not in plans.FAULTS)
    lines = [f"## Seed {plan.seed}: {'nothing found' if not findings else f'{len(findings)} findings'}", "",
             f"{plan.seconds / 60:g} minutes ({seconds:.0f} s in all) on {plan.nodes} nodes under `{plan.algorithm}`: "
             f"{tasks} jobs, {starts} starts.", "",
             f"- users: {_counts(users)}", f"- faults: {_counts(faults)}"]
    if player.counters:
        lines.append(f"- controller, since its last start: {_numbers(player.counters)}")
    for name, life, memory, grown, descriptors, threads in player.usage.rows():
        lines.append(f"- {name}, {life:.0f} s: {memory:.1f} MiB, {grown:+.2f} MiB, {descriptors:+.1f} descriptors, "
                     f"{threads:+.1f} threads an hour")
    if player.foreign:
        lines.append(f"- reports of the sanitizer that are Slurm's: {_counts(player.foreign)}")
    if findings:
        lines += ["", *(f"- **{finding.rule}** {finding.text}" for finding in findings[:MOST])]
    if len(findings) > MOST:
        lines.append(f"- and {len(findings) - MOST} more; in all: {_counts(Counter(finding.rule for finding in findings))}")
    return "\n".join(lines) + "\n"


def _numbers(counters):
    return ", ".join(f"{value} {name}" for name, value in counters.items())


def _counts(counter):
    return ", ".join(f"{count} {kind}" for kind, count in counter.most_common()) or "none"
