# SPDX-License-Identifier: GPL-2.0-or-later
"""What a soak leaves: enough to judge it again, by a judge that knows more, when its cluster is gone."""
import gzip
import json
import zlib
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Dict, List, Optional

from . import plan as plans
from . import usage
from .diary import Line
from .judge import Event, Evidence, Finding, Record, Submission, differing, judge

FORMAT = 1


@dataclass
class Outcome:
    plan: plans.Plan
    evidence: Evidence = field(default_factory=Evidence)
    database: Optional[Dict[int, Record]] = None  # Slurm's number -> of ended jobs, as sacct has them; None: not asked
    seen: List[Finding] = field(default_factory=list)  # what was found wrong while it ran
    counters: dict = field(default_factory=dict)       # of the controller
    lives: List[tuple] = field(default_factory=list)   # (daemon, process number, samples of usage.py)
    foreign: Counter = field(default_factory=Counter)  # reports of a sanitizer that are not of dfrs
    seconds: float = 0.0                               # in all

    def findings(self):
        found = self.seen + judge(self.evidence)
        if self.database is not None:
            found += [Finding("sacct", text) for text in differing(self.evidence, self.database)]
        return found + usage.findings(self.lives)

    def write(self, path):
        evidence = self.evidence
        whole = {
            "format": FORMAT, "plan": asdict(self.plan), "seconds": self.seconds,
            "submissions": [asdict(each) for each in evidence.submissions],
            "diaries": [[tag, task, [asdict(line) for line in lines]] for (tag, task), lines in evidence.diaries.items()],
            "records": _numbered(evidence.records), "left": list(evidence.left.items()),
            "events": [asdict(each) for each in evidence.events], "stray": sorted(evidence.stray),
            "database": None if self.database is None else _numbered(self.database),
            "seen": [asdict(each) for each in self.seen], "counters": self.counters, "lives": self.lives,
            "foreign": dict(self.foreign)}
        with gzip.open(path, "wt", encoding="ascii") as file:
            json.dump(whole, file)


def read(path):
    """ValueError: no outcome, or one of another format."""
    try:
        with gzip.open(path, "rt", encoding="ascii") as file:
            whole = json.load(file)
        if whole["format"] != FORMAT:
            raise ValueError(f"{path}: expected format {FORMAT}, not {whole['format']}; the version that wrote it reads it")
        plan = whole["plan"]
        evidence = Evidence(
            [Submission(**each) for each in whole["submissions"]],
            {(tag, task): [Line(**line) for line in lines] for tag, task, lines in whole["diaries"]},
            _records(whole["records"]), dict(map(tuple, whole["left"])), [Event(**each) for each in whole["events"]],
            set(whole["stray"]))
        return Outcome(
            plans.Plan(**{**plan, "actions": [plans.Action(**each) for each in plan["actions"]]}), evidence,
            None if whole["database"] is None else _records(whole["database"]),
            [Finding(**each) for each in whole["seen"]], whole["counters"],
            [(name, pid, [tuple(sample) for sample in samples]) for name, pid, samples in whole["lives"]],
            Counter(whole["foreign"]), whole["seconds"])
    except (OSError, EOFError, zlib.error, KeyError, TypeError, UnicodeError) as error:
        raise ValueError(f"{path}: expected the outcome of a soak (outcome.json.gz): {error!r}") from None


def _numbered(records):
    return [[number, asdict(record)] for number, record in records.items()]


def _records(rows):
    return {number: Record(**{**record, "nodes": tuple(record["nodes"])}) for number, record in rows}
