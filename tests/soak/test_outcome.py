# SPDX-License-Identifier: GPL-2.0-or-later
"""An outcome is read as it was written, and judged alike; what is none is refused."""
import gzip
import json
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from . import diary, outcome as outcomes
from . import plan as plans
from .judge import Event, Evidence, Finding, Record, Submission
from .report import MOST, summary
from .test_judge import GOOD

RECORD = Record("COMPLETED", 100.0, 102.0, ("n1",), "0:0", "j1", 7, 1)


def made():
    """A job that is good, one that is lost, and one that the database has otherwise."""
    evidence = Evidence([Submission("j1", 99.0, 7, units=2), Submission("j2", 99.0, 8)],
                        {("j1", 0): diary.parse(GOOD)}, {7: RECORD}, {}, [Event("drain", 1.0, 2.0, "n1")], {5, 3})
    steady = [(float(second), 10.0, 20, 4) for second in range(0, 2000, 5)]
    growing = [(float(second), 10.0 + second / 100, 20, 4) for second in range(0, 2000, 5)]
    return outcomes.Outcome(plans.make(1, 60, 4, 4, 1000), evidence, {7: Record("FAILED", 100.0, 102.0, ("n1",))},
                            [Finding("quotas", "one")], {"steps": 5},
                            [("dfrsd.n1", 12, steady), ("slurmctld", 13, growing)], Counter({"thread: race: f": 2}), 77.0)


class Outcomes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "outcome"

    def test_is_read_as_it_was_written_and_judged_alike(self):
        made().write(self.path)
        again = outcomes.read(self.path)
        self.assertEqual(again, made())
        self.assertEqual([finding.rule for finding in again.findings()], ["quotas", "lost", "sacct", "growth"])
        self.assertEqual(summary(again, again.findings()), summary(made(), made().findings()))

    def test_without_a_database_nobody_asks_it(self):
        outcome = made()
        outcome.database = None
        outcome.write(self.path)
        self.assertNotIn("sacct", {finding.rule for finding in outcomes.read(self.path).findings()})

    def test_what_is_none_is_refused(self):
        good = {"format": outcomes.FORMAT}
        for content in (b"", b"{}", gzip.compress(b"{}"), gzip.compress(b"[]"), gzip.compress(b"{"),
                        gzip.compress(json.dumps(good).encode()), gzip.compress(b'{"format": 99}')):
            self.path.write_bytes(content)
            with self.assertRaises(ValueError, msg=content):
                outcomes.read(self.path)
        with self.assertRaisesRegex(ValueError, "nowhere"):
            outcomes.read(Path("/nowhere"))

    def test_each_rule_shows_some_findings_and_all_are_counted(self):
        outcome = made()
        findings = [Finding("books", str(k)) for k in range(MOST + 1)] + [Finding("lost", "last")]
        text = summary(outcome, findings)
        self.assertEqual(text.count("**books**"), MOST)
        self.assertIn("**lost** last", text)
        self.assertIn(f"{MOST + 1} books, 1 lost", text)
