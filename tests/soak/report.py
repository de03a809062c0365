# SPDX-License-Identifier: GPL-2.0-or-later
"""The outcome of a soak as Markdown."""
from collections import Counter

from . import plan as plans
from . import usage

MOST = 20  # findings of a rule in full


def summary(outcome, findings):
    plan, evidence = outcome.plan, outcome.evidence
    starts = sum(line.what == "start" for lines in evidence.diaries.values() for line in lines)
    tasks = sum(submission.tasks for submission in evidence.submissions)
    faults = Counter(action.kind for action in plan.actions if action.kind in plans.FAULTS)
    users = Counter(action.kind for action in plan.actions if action.kind not in plans.FAULTS)
    lines = [f"## Seed {plan.seed}: {'nothing found' if not findings else f'{len(findings)} findings'}", "",
             f"{plan.seconds / 60:g} minutes ({outcome.seconds:.0f} s in all) on {plan.nodes} nodes under `{plan.algorithm}`: "
             f"{tasks} jobs, {starts} starts.", "",
             f"- users: {_counts(users)}", f"- faults: {_counts(faults)}"]
    if outcome.counters:
        lines.append(f"- controller, since its last start: {_numbers(outcome.counters)}")
    for name, life, memory, grown, descriptors, threads in usage.rows(outcome.lives):
        lines.append(f"- {name}, {life:.0f} s, by quarters: {', '.join(f'{median:.1f}' for median in memory)} MiB; "
                     f"{grown:+.2f} MiB, {descriptors:+.1f} descriptors, {threads:+.1f} threads an hour")
    if outcome.foreign:
        lines.append(f"- reports of the sanitizer that are Slurm's or known: {_counts(outcome.foreign)}")
    shown, rules = Counter(), Counter(finding.rule for finding in findings)
    if findings:
        lines.append("")
    for finding in findings:
        shown[finding.rule] += 1
        if shown[finding.rule] <= MOST:
            lines.append(f"- **{finding.rule}** {finding.text}")
    if any(count > MOST for count in rules.values()):
        lines.append(f"- the first {MOST} of each rule; in all: {_counts(rules)}")
    return "\n".join(lines) + "\n"


def _numbers(counters):
    return ", ".join(f"{value} {name}" for name, value in counters.items())


def _counts(counter):
    return ", ".join(f"{count} {kind}" for kind, count in counter.most_common()) or "none"
