# SPDX-License-Identifier: GPL-2.0-or-later
"""The judge on diaries made by hand: nothing is found in good ones, and each error by its own rule."""
import unittest

from live import capacity

from . import diary
from .judge import Event, Evidence, Record, Submission, differing, judge
from .world import merged_failures

GOOD = """start a 100.0 7 n1 0 0
unit a 100.5 1
unit a 101.0 2
end a 101.0 2
"""
RESUMED = """start a 100.0 7 n1 0 0
unit a 100.5 1
start b 103.0 7 n2 1 1
unit b 103.5 2
end b 103.5 2
"""


class Case(unittest.TestCase):
    def evidence(self, text=GOOD, state="COMPLETED", times=(100, 102), nodes=("n1",), events=(), left=None, **more):
        submission = Submission("j1", 99.0, 7, units=2, **more)
        records = {7: Record(state, *times, nodes, "0:0")} if state else {}
        diaries = {("j1", 0): diary.parse(text)} if text else {}
        return Evidence([submission], diaries, records, left or {}, list(events))

    def rules(self, evidence):
        return sorted({finding.rule for finding in judge(evidence)})

    def assert_rules(self, *rules, **keywords):
        self.assertEqual(self.rules(self.evidence(**keywords)), sorted(rules))


class Good(Case):
    def test_a_job_that_ran_once(self):
        self.assert_rules()

    def test_a_job_that_goes_on_where_it_was(self):
        self.assert_rules(text=RESUMED, nodes=("n2",), times=(103, 104), checkpoint=True)

    def test_a_job_cancelled_before_it_ran_or_while_it_ran(self):
        self.assert_rules(text="", state="CANCELLED", cancelled=99.5, cancel_worked=True)
        self.assert_rules(text="".join(GOOD.splitlines(True)[:2]), state="CANCELLED", cancelled=100.5, cancel_worked=True)

    def test_a_submission_that_failed(self):
        evidence = self.evidence(text="", state="")
        evidence.submissions[0].job = None
        self.assertEqual(self.rules(evidence), [])

    def test_a_requeue_just_at_the_end(self):
        again = GOOD + "start b 103.0 7 n1 1 2\nend b 103.0 2\n"
        self.assert_rules(text=again, times=(103, 103), checkpoint=True)

    def test_what_slurmctld_was_killed_with(self):
        killed = Event("slurmctld_killed", 104, 105, saved=98)
        self.assert_rules(text="", state="", events=[killed])
        again = GOOD + GOOD.replace(" a ", " b ").replace("10", "11")
        self.assert_rules(text=again, times=(110, 112), events=[killed])

    def test_what_a_lost_node_could_not_tell(self):
        again = GOOD + GOOD.replace(" a ", " b ").replace("10", "11")
        self.assert_rules(text=again, times=(110, 112), events=[Event("node_lost", 101.5, 130, "n1")])


class Bad(Case):
    def test_lost(self):
        self.assert_rules("lost", text="", state="")
        self.assert_rules("lost", state="")
        self.assert_rules("lost", text="", state="", events=[Event("slurmctld_killed", 300, 301, saved=290)])

    def test_failed(self):
        for state in ("FAILED", "NODE_FAIL", "TIMEOUT", "OUT_OF_MEMORY"):
            self.assert_rules("failed", state=state)
        self.assert_rules("failed", state="CANCELLED", text="")

    def test_stuck(self):
        self.assert_rules("stuck", text="", state="", left={7: "PENDING"})

    def test_twice_at_once(self):
        both = ("start a 100.0 7 n1 0 0\nstart b 100.2 7 n2 0 0\nunit a 100.5 1\nunit b 100.7 1\nunit b 101.2 2\n"
                "end b 101.2 2\n")
        self.assert_rules("twice", text=both, nodes=("n2",))
        late = Event("slurmctld_killed", 300, 301, saved=290)
        self.assert_rules("twice", text=both, nodes=("n2",), events=[late])

    def test_again_after_its_end(self):
        again = GOOD + GOOD.replace(" a ", " b ").replace("10", "11")
        self.assert_rules("again", text=again, times=(110, 112))
        self.assert_rules("again", text=again, times=(110, 112), events=[Event("node_lost", 101.5, 130, "n2")])

    def test_again_after_a_step_of_the_clock_made_slurmctld_give_up_the_node(self):
        again = GOOD + GOOD.replace(" a ", " b ").replace("10", "11")
        step, given_up = Event("clock_step", 70.0, 75.0), Event("given_up", 101.0, 103.0, "n1")
        self.assert_rules(text=again, times=(110, 112), events=[step, given_up])
        self.assert_rules("again", text=again, times=(110, 112), events=[given_up])
        self.assert_rules("again", text=again, times=(110, 112), events=[step])
        self.assert_rules("again", text=again, times=(110, 112), events=[step, Event("given_up", 101.0, 103.0, "n2")])
        self.assert_rules("again", text=again, times=(110, 112), events=[step, Event("given_up", 120.0, 121.0, "n1")])

    def test_failures_of_a_node_that_follow_one_another_are_one(self):
        found = merged_failures([("n3", 105.0), ("n1", 100.0), ("n3", 102.0), ("n3", 100.0), ("n3", 120.0)])
        self.assertEqual([(event.node, event.begin, event.end) for event in found],
                         [("n1", 100.0, 100.0), ("n3", 100.0, 105.0), ("n3", 120.0, 120.0)])

    def test_work_that_was_left_out(self):
        self.assert_rules("undone", text=GOOD.replace("unit a 101.0 2\n", ""))
        self.assert_rules("undone", text=GOOD.replace("end a 101.0 2\n", ""))
        self.assert_rules("undone", text=GOOD.replace("0 0\n", "0 1\n", 1).replace("unit a 100.5 1\n", ""))
        self.assert_rules("undone", text=RESUMED, nodes=("n2",), times=(103, 104))  # not marked as checkpointing
        self.assert_rules("undone", text="")

    def test_a_task_of_an_array_that_never_ran(self):
        evidence = self.evidence()
        evidence.submissions[0].tasks = 2
        evidence.diaries = {("j1", 1): evidence.diaries["j1", 0]}
        self.assertEqual(self.rules(evidence), ["undone"])

    def test_a_task_that_never_ran_has_a_record_of_its_own(self):
        evidence = self.evidence()
        evidence.submissions[0].tasks = 2
        evidence.submissions[0].cancelled = 99.5
        evidence.diaries = {("j1", 2): evidence.diaries["j1", 0]}
        evidence.records[7].array, evidence.records[7].task = 7, 2
        evidence.records[8] = Record("CANCELLED", 99, 99, array=7, task=1)
        self.assertEqual(self.rules(evidence), [])
        evidence.records[8].state = "TIMEOUT"
        self.assertEqual(self.rules(evidence), ["failed"])

    def test_a_launch_that_slurmd_spoiled(self):
        evidence = self.evidence(text="", state="FAILED", times=(100, 100))
        self.assertEqual(self.rules(evidence), ["failed"])
        evidence.stray = {7}
        self.assertEqual(self.rules(evidence), ["failed"], "for another reason")
        evidence.records[7].exit_code = "2:0"
        self.assertEqual(self.rules(evidence), [])
        evidence = self.evidence(text=GOOD.replace("end a 101.0 2\n", ""), state="FAILED")
        evidence.stray, evidence.records[7].exit_code = {7}, "2:0"
        self.assertEqual(self.rules(evidence), ["failed"], "it had its script")

    def test_a_launch_refused_after_the_clock_was_set_back(self):
        run = "".join(GOOD.splitlines(True)[:2])
        self.assert_rules(text=run, state="FAILED", times=(150, 150),
                          events=[Event("clock_step", 90.0, 95.0, back=60.0)])
        self.assert_rules("failed", text=run, state="FAILED", times=(190, 190),
                          events=[Event("clock_step", 90.0, 95.0, back=60.0)])
        self.assert_rules("failed", text=run, state="FAILED", times=(96, 96), events=[Event("clock_step", 90.0, 95.0)])

    def test_revived(self):
        self.assert_rules("revived", text=GOOD.replace("10", "20"), state="CANCELLED", cancelled=110.0, cancel_worked=True)

    def test_began_before_its_dependency_had_ended(self):
        evidence = self.evidence()
        other = Submission("j2", 99.5, 8, units=1, after="j1")
        evidence.submissions.append(other)
        evidence.records[8] = Record("COMPLETED", 96, 98, ("n1",))
        evidence.diaries["j2", 0] = diary.parse("start c 97.0 8 n1 0 0\nunit c 97.5 1\nend c 97.5 1\n")
        self.assertEqual(self.rules(evidence), ["order"])

    def test_record_of_another_time_or_node(self):
        self.assert_rules("record", times=(110, 120))
        self.assert_rules("record", times=(90, 95))
        self.assert_rules("record", nodes=("n2",))

    def test_stranger(self):
        evidence = self.evidence()
        evidence.diaries["j9", 0] = evidence.diaries["j1", 0]
        self.assertEqual(self.rules(evidence), ["stranger"])

    def test_diary_without_a_start_or_with_something_else(self):
        self.assertIn("diary", self.rules(self.evidence(text=GOOD.partition("\n")[2])))
        with self.assertRaises(ValueError):
            diary.parse(GOOD + "garbage\n")


class Clocks(Case):
    def test_a_wrong_clock_excuses_stamps_of_its_time_alone(self):
        self.assert_rules("record", times=(160, 162))
        self.assert_rules(times=(160, 162), events=[Event("clock_step", 99.0, 103.0)])
        self.assert_rules("record", times=(160, 162), events=[Event("clock_step", 80.0, 90.0)])
        self.assert_rules("undone", text="", times=(160, 162), events=[Event("clock_step", 99.0, 103.0)])


class Numbers(Case):
    def test_a_number_that_another_job_got_after_a_kill(self):
        evidence = self.evidence(text="", events=[Event("slurmctld_killed", 100.0, 104.0, saved=98.0)])
        evidence.records[7] = Record("COMPLETED", 105, 107, ("n1",), "0:0", "j2")
        self.assertEqual(self.rules(evidence), [])
        evidence.records[7].name = "j1"
        self.assertEqual(self.rules(evidence), ["undone"])

    def test_cancelled_while_requeued(self):
        begun = "".join(GOOD.splitlines(True)[:2])
        self.assert_rules(text=begun, state="PENDING", cancelled=101.0, cancel_worked=True)
        self.assert_rules("failed", text=begun, state="PENDING")


class Databases(Case):
    def test_both_accounts_of_a_job_are_compared(self):
        evidence = self.evidence()
        self.assertEqual(differing(evidence, {7: Record("COMPLETED", 101, 102, ("n1",))}), [])
        for other in ({}, {7: Record("FAILED", 100, 102, ("n1",))}, {7: Record("COMPLETED", 100, 102, ("n2",))},
                      {7: Record("COMPLETED", 100, 109, ("n1",))}):
            self.assertEqual(len(differing(evidence, other)), 1, other)
        resized = self.evidence(text=RESUMED, nodes=("n2",), times=(99, 104), checkpoint=True, resized=True)
        self.assertEqual(differing(resized, {7: Record("RESIZING", 97, 99, ("n1", "n2"))}), [])
        resized.diaries["j1", 0] = diary.parse(GOOD)
        self.assertEqual(len(differing(resized, {7: Record("RESIZING", 97, 99, ("n1", "n2"))})), 1, "its only run")
        set_back = self.evidence(times=(0, 102))
        self.assertEqual(differing(set_back, {}), [])
        evidence.events.append(Event("slurmctld_killed", 101.0, 104.0, saved=101.0))
        self.assertEqual(differing(evidence, {}), [])


class Books(unittest.TestCase):
    JOBS = ("JobId=1 JobState=RUNNING Nodes=n1 CPU_IDs=0 Mem=300 x\n"
            "JobId=2 JobState=SUSPENDED Nodes=n[1-2] CPU_IDs=0-1 Mem=200 x\n"
            "JobId=3 JobState=COMPLETED Nodes=n1 CPU_IDs=0 Mem=900 x\n")

    def wrong(self, first, second):
        return set(capacity.compare_books(self.JOBS, f"NodeName=n1 AllocMem={first} Y=1\nNodeName=n2 AllocMem={second} Y=1\n"))

    def test_suspended_jobs_have_their_memory_or_not(self):
        self.assertEqual(self.wrong(300, 0), set())
        self.assertEqual(self.wrong(500, 200), set())

    def test_what_no_job_has_or_what_is_missing(self):
        self.assertEqual(self.wrong(200, 0), {"n1"})
        self.assertEqual(self.wrong(600, 300), {"n1", "n2"})


if __name__ == "__main__":
    unittest.main()
