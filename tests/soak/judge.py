# SPDX-License-Identifier: GPL-2.0-or-later
"""Decides what became of the jobs from what users saw and what the jobs wrote. It asks no part of dfrs."""
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Set, Tuple

from .diary import Line

SLACK = 2.0         # s between what a job writes and what Slurm stamps in whole seconds
NO_SCRIPT = "2:0"   # exit code of a job whose script is not there: slurmstepd ends with ENOENT
UNSEEN = 10.0       # s before slurmctld gives a node up from which it may not have heard of a job's end
UNSETTLED = 60.0    # s after a step of slurmctld's clock in which it may give up nodes that answer
CANCEL_SLACK = 20.0  # s from the answer to scancel until nothing of the job can begin any more


@dataclass
class Submission:
    tag: str
    accepted: float            # s since 1970 when sbatch answered
    job: Optional[int]         # None: sbatch failed, so that the user does not know whether there is a job
    tasks: int = 1
    units: int = 1
    checkpoint: bool = False
    after: str = ""            # the tag whose end it waits for
    cancelled: Optional[float] = None  # when scancel answered; it may have failed
    cancel_worked: bool = False
    resized: bool = False      # its nodes were changed, from when on Slurm counts its start
    requeued: bool = False     # scontrol requeue was tried, which runs an ended job again, too


@dataclass
class Record:
    """A job's last record in Slurm's accounting; times in s since 1970."""
    state: str
    begin: float = 0.0
    end: float = 0.0
    nodes: Tuple[str, ...] = ()
    exit_code: str = ""
    name: str = ""  # of the job: after a kill, slurmctld may give a number to another one
    array: int = 0  # the array's number, and of which task of it this is
    task: int = 0


@dataclass
class Event:
    """A fault that excuses something. `saved`: slurmctld_killed: when it last wrote its jobs. clock_step: of slurmctld's
    clock; `back`: s by which it was set back at its end. given_up: slurmctld says that the node failed, and requeues its
    jobs."""
    kind: str
    begin: float
    end: float
    node: str = ""
    saved: float = 0.0
    back: float = 0.0


@dataclass
class Evidence:
    submissions: List[Submission] = field(default_factory=list)
    diaries: Dict[Tuple[str, int], List[Line]] = field(default_factory=dict)
    records: Dict[int, Record] = field(default_factory=dict)  # Slurm's number -> of ended jobs
    left: Dict[int, str] = field(default_factory=dict)        # Slurm's number -> state, of jobs that have not ended
    events: List[Event] = field(default_factory=list)
    stray: Set[int] = field(default_factory=set)  # Slurm's numbers, of jobs whose script slurmd took for a stray one


@dataclass(frozen=True)
class Finding:
    rule: str
    text: str

    def __str__(self):
        return f"{self.rule}: {self.text}"


def judge(evidence):
    """All findings, in the order of submissions."""
    return _Judge(evidence).findings()


def differing(evidence, database):
    """What of the jobs' last records in the text file the accounting database has otherwise, or not at all."""
    wrong, known = [], _Judge(evidence)
    moved = _resized_before(evidence)
    for number, record in sorted(evidence.records.items()):
        if known.killed(record.begin) or known.killed(record.end) or not record.nodes or record.nodes == ("(null)",):
            continue  # forgotten, or never begun
        if record.begin == 0:
            continue  # the clock was set back while it ran: Slurm no longer knows its start, and does not report its end
        if number in moved:
            continue  # Slurm reports each later run as begun when it was resized, and the database keeps one of that time
        other = database.get(number)
        same = other and (other.state, other.nodes) == (record.state, record.nodes)
        if not same or abs(other.begin - record.begin) > SLACK or abs(other.end - record.end) > SLACK:
            wrong.append(f"job {number} is {other} in the database, and {record} in the text file")
    return wrong


def _resized_before(evidence):
    """Slurm's numbers, of the jobs that ran again after they had been resized."""
    resized = [submission for submission in evidence.submissions if submission.resized]
    runs = [runs_of(evidence.diaries.get((submission.tag, task), [])) for submission in resized for task in _tasks(submission)]
    return {lines[0].job for each in runs if len(each) > 1 for lines in each.values()}


def runs_of(lines):
    """run -> its lines, in the order in which the runs began."""
    runs = defaultdict(list)
    for line in lines:
        runs[line.run].append(line)
    return dict(runs)


class _Judge:
    def __init__(self, evidence):
        self.evidence, self.found = evidence, []
        self.numbers = {(record.array, record.task): number for number, record in evidence.records.items() if record.array}

    def findings(self):
        for submission in self.evidence.submissions:
            self._of_submission(submission)
        known = {submission.tag: submission for submission in self.evidence.submissions}
        for (tag, task) in self.evidence.diaries:
            if tag not in known or task not in _tasks(known[tag]):
                self._say("stranger", tag, task, "wrote a diary and was never submitted")
        return self.found

    def _say(self, rule, tag, task, text):
        self.found.append(Finding(rule, f"{tag}.{task} {text}"))

    def killed(self, time):
        """Whether slurmctld may have forgotten what happened then: it was killed before it saved that."""
        return any(event.kind == "slurmctld_killed" and event.saved - SLACK <= time <= event.end + SLACK
                   for event in self.evidence.events)

    def _clock_stepped(self, *times):
        """Whether Slurm may have stamped what happened at one of these times by a clock that was wrong."""
        return any(event.kind == "clock_step" and event.begin - SLACK <= time <= event.end + SLACK
                   for event in self.evidence.events for time in times)

    def _node_lost(self, node, time):
        """Whether what happened on that node then may not have been told any more."""
        return any(event.kind == "node_lost" and event.node == node and event.begin - SLACK <= time <= event.end
                   for event in self.evidence.events)

    def _given_up(self, node, time):
        """Whether slurmctld, whose clock had been stepped, gave the node up before it heard of what happened there then."""
        return any(event.kind == "given_up" and event.node == node and event.begin - UNSEEN <= time <= event.end + SLACK
                   and any(step.kind == "clock_step" and step.begin <= event.begin <= step.end + UNSETTLED
                           for step in self.evidence.events)
                   for event in self.evidence.events)

    def _of_submission(self, submission):
        present = [self.evidence.diaries.get((submission.tag, task), []) for task in _tasks(submission)]
        for task, lines in zip(_tasks(submission), present):
            self._runs(submission, task, lines)
            self._order(submission, task, lines)
            self._outcome(submission, task, lines)

    # ---- what a task's diary alone tells ----

    def _runs(self, submission, task, lines):
        runs = runs_of(lines)
        order = list(runs)
        for first, second in zip(order, order[1:]):
            begun = runs[second][0]
            late = [line for line in runs[first] if line.time > begun.time]
            if late and not self.killed(runs[first][0].time):
                self._say("twice", submission.tag, task, f"ran twice at once: run {first} wrote '{late[0].what}' "
                          f"{late[0].time - begun.time:.2f} s after run {second} had begun")
        ended = [run for run in order if runs[run][-1].what == "end"]
        if ended and ended[0] != order[-1]:
            self._again(submission, task, runs, ended[0], order)
        for run in order:
            self._work(submission, task, runs[run], lines)

    def _again(self, submission, task, runs, ended, order):
        first, again = runs[ended], runs[order[order.index(ended) + 1]]
        end = first[-1].time
        # A job that is requeued just as it ends runs again, and finds nothing left to do.
        nothing_left = submission.checkpoint and again[0].number == submission.units
        excused = (self.killed(end) or self.killed(first[0].time) or self._node_lost(first[0].node, end)
                   or self._given_up(first[0].node, end))
        if not (nothing_left or submission.requeued or excused):
            self._say("again", submission.tag, task, f"ran again {again[0].time - end:.2f} s after it had ended")

    def _work(self, submission, task, run, lines):
        """The units of a run follow one another from where it began; and it may begin only at work that was done."""
        if run[0].what != "start":
            self._say("diary", submission.tag, task, f"run {run[0].run} has no start")
            return
        before = [line.number for line in lines[:lines.index(run[0])] if line.what == "unit"]
        begun = run[0].number
        if begun > max(before, default=0) or (begun and not submission.checkpoint):
            self._say("undone", submission.tag, task, f"begins after unit {begun}, which was not done before")
        units = [line.number for line in run if line.what == "unit"]
        if units != list(range(begun + 1, begun + 1 + len(units))):
            self._say("undone", submission.tag, task, f"did units {units} after {begun}")
        if run[-1].what == "end" and (begun + len(units) != submission.units or run[-1].number != submission.units):
            self._say("undone", submission.tag, task, f"ended with {begun + len(units)} of {submission.units} units")

    def _order(self, submission, task, lines):
        if submission.cancel_worked and lines and not submission.requeued:
            late = [line for line in lines if line.what == "start"
                    and line.time > submission.cancelled + CANCEL_SLACK and not self.killed(submission.cancelled)]
            if late:
                self._say("revived", submission.tag, task,
                          f"began {late[0].time - submission.cancelled:.1f} s after it was cancelled")
        if submission.after and lines:
            self._dependency(submission, task, lines)

    def _dependency(self, submission, task, lines):
        first = next((each for each in self.evidence.submissions if each.tag == submission.after), None)
        if first is None or first.cancelled or first.job is None:
            return
        for other in _tasks(first):
            ends = [line.time for line in self.evidence.diaries.get((first.tag, other), []) if line.what == "end"]
            if (not ends or min(ends) > lines[0].time + SLACK) and not self.killed(first.accepted):
                self._say("order", submission.tag, task, f"began before {first.tag}.{other} had ended")

    # ---- what Slurm said of it ----

    def _outcome(self, submission, task, lines):
        ended = bool(lines) and any(line.what == "end" for line in lines)
        numbers = [line.job for line in lines if line.what == "start"]
        number = numbers[-1] if numbers else self.numbers.get((submission.job, task), submission.job)
        record, left = self.evidence.records.get(number), self.evidence.left.get(number)
        if record and record.name not in ("", submission.tag):
            record = None
        if left:
            self._say("stuck", submission.tag, task, f"(job {number}) is still {left} at the end")
        elif record and record.state == "PENDING" and submission.cancelled:
            pass  # cancelled while it was being requeued: the end of that run is its last record
        elif record and record.state == "FAILED" and self._failed_by_slurm(number, record, lines):
            pass
        elif record and record.state not in ("COMPLETED", "CANCELLED"):
            self._say("failed", submission.tag, task, f"(job {number}) is {record.state}, exit {record.exit_code}, "
                      f"on {','.join(record.nodes)}")
        elif record and record.state == "CANCELLED" and not submission.cancelled:
            self._say("failed", submission.tag, task, f"(job {number}) is CANCELLED and nobody cancelled it")
        elif not record and not self._may_be_missing(submission, lines):
            self._say("lost", submission.tag, task, f"(job {number}) was accepted and is not known to Slurm")
        elif not ended and not submission.cancelled and not self._may_be_missing(submission, []):
            self._say("undone", submission.tag, task, f"(job {number}) has not done its work")
        elif record and record.state == "COMPLETED" and not ended:
            self._say("undone", submission.tag, task, f"(job {number}) is COMPLETED without having done its work")
        elif record and ended and not submission.cancelled:
            self._agrees(submission, task, lines, number, record)

    def _failed_by_slurm(self, number, record, lines):
        """slurmd took its script for a stray one and removed it as it was to be run; or it ran before, and slurmd refuses
        launches that are older than its last end, by a clock that has been set back since."""
        of_this_run = [line for line in lines if line.time >= record.begin - SLACK]
        set_back = any(event.back > 0 and event.end - SLACK <= record.end <= event.end + event.back + SLACK
                       for event in self.evidence.events)
        no_script = number in self.evidence.stray and record.exit_code == NO_SCRIPT and not of_this_run
        return no_script or bool(lines and set_back)

    def _may_be_missing(self, submission, lines):
        """Jobs that no user saw accepted, that were cancelled before they ran, or that slurmctld was killed with."""
        if submission.job is None or self.killed(submission.accepted):
            return True
        return bool(submission.cancelled) and not lines

    def _agrees(self, submission, task, lines, number, record):
        """Slurm's record of the last run and the run's own diary."""
        last = list(runs_of(lines).values())[-1]
        start, end = last[0], last[-1]
        if self.killed(start.time) or self.killed(end.time) or self._clock_stepped(start.time, end.time):
            return
        if record.nodes and start.node not in record.nodes:
            self._say("record", submission.tag, task, f"(job {number}) ran on {start.node}; Slurm says "
                      f"{','.join(record.nodes)}")
        late = record.begin > start.time + SLACK and not submission.resized
        if late or (end.what == "end" and record.end < end.time - SLACK):
            self._say("record", submission.tag, task, f"(job {number}) ran from {start.time:.1f} to {end.time:.1f}; Slurm "
                      f"says from {record.begin:.0f} to {record.end:.0f}")


def _tasks(submission):
    return range(1, submission.tasks + 1) if submission.tasks > 1 else range(1)
