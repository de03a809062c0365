# SPDX-License-Identifier: GPL-2.0-or-later
"""Plans are repeatable, and shrinking finds the few actions that matter."""
import tempfile
import unittest
from pathlib import Path

from . import plan as plans
from .judge import Finding
from .shrink import shrink
from .usage import findings, slope


def make(seed=3, seconds=600, only=()):
    return plans.make(seed, seconds, 4, 4, 1000, only=only)


class Plans(unittest.TestCase):
    def test_a_seed_gives_one_plan_and_another_seed_another(self):
        self.assertEqual(make(), make())
        self.assertNotEqual(make().actions, make(4).actions)

    def test_a_plan_is_read_as_it_was_written(self):
        with tempfile.TemporaryDirectory() as folder:
            make().write(Path(folder) / "plan")
            self.assertEqual(plans.read(Path(folder) / "plan"), make())

    def test_faults_do_not_overlap_and_are_those_asked_for(self):
        faults = [action for action in make(only=("drain", "freeze")).actions if action.kind in plans.FAULTS]
        self.assertEqual({action.kind for action in faults}, {"drain", "freeze"})
        for first, second in zip(faults, faults[1:]):
            self.assertGreater(second.at, first.at + first.arguments["seconds"])

    def test_clocks_step_by_seconds_and_jobs_of_several_tasks_shrink(self):
        plan = make(seconds=3600)
        steps = [action.arguments for action in plan.actions if action.kind == "clock_step"]
        self.assertEqual({each["daemon"].partition(".")[0] for each in steps}, {"slurmctld", "dfrsd"})
        self.assertTrue(all(each["by"] for each in steps))
        tasks = {action.arguments["tag"]: action.arguments["ntasks"] for action in plan.actions if action.kind == "submit"}
        shrunk = [action.arguments["tag"] for action in plan.actions if action.kind == "resize"]
        self.assertGreater(len(shrunk), 10)
        self.assertTrue(all(tasks[tag] > 1 for tag in shrunk))
        self.assertTrue(plan.has("takeover") and not make(only=("drain",)).has("takeover"))

    def test_as_many_empty_jobs_as_were_asked_for(self):
        plan = plans.make(3, 600, 4, 4, 1000, starts=6000)
        empty = [action for action in plan.actions if action.kind == "submit" and action.arguments["units"] == 0]
        self.assertEqual(sum(action.arguments["array"] for action in empty), 1000)
        self.assertLess(empty[-1].at, 600)

    def test_long_plans_leave_watched_daemons_alone_later(self):
        late = [action for action in make(seconds=3600).actions if action.at > 0.4 * 3600 and action.kind in plans.FAULTS]
        self.assertGreater(len(late), 10)
        self.assertEqual([action for action in late if action.kind in plans.ENDS_WATCHED], [])


class Shrinking(unittest.TestCase):
    def test_the_two_actions_that_break_a_rule_remain(self):
        plan = make()
        guilty = [plan.actions[10], plan.actions[-5]]

        def run(candidate, _):
            broken = all(action in candidate.actions for action in guilty)
            return [Finding("twice" if broken else "other", "")]
        self.assertEqual(shrink(plan, {"twice"}, run, 10, clock=lambda: 0).actions, guilty)

    def test_without_time_the_plan_remains(self):
        self.assertEqual(shrink(make(), {"twice"}, None, 0, clock=lambda: 0), make())


class Stock(unittest.TestCase):
    def test_lives_the_same_day_without_what_needs_dfrs(self):
        with_dfrs = plans.make(4, 600, 4, 4, 8192, "Triage", starts=50000)
        stock = plans.make(4, 600, 4, 4, 8192, plans.STOCK, starts=50000)
        self.assertTrue(stock.stock and not with_dfrs.stock)
        left_out = [action for action in with_dfrs.actions if action not in stock.actions]
        self.assertEqual([action for action in with_dfrs.actions if action not in left_out], stock.actions)
        self.assertIn("agent_kill", {action.kind for action in left_out})
        for action in left_out:
            self.assertTrue(action.kind in plans.OF_DFRS or action.arguments["daemon"].startswith("dfrsd."), action)
        self.assertFalse(any("dfrs" in str(action) for action in stock.actions))


class Growth(unittest.TestCase):
    @staticmethod
    def found(memory):
        """The rules broken by a slurmctld that has so much memory so many seconds after its start."""
        return [finding.rule for finding in findings([("slurmctld", 7, [(s, memory(s), 20, 30) for s in range(0, 2640, 5)])])]

    def test_slope_of_a_line(self):
        self.assertAlmostEqual(slope([(0, 1), (1, 3), (2, 5)]), 2)

    def test_a_leak_goes_on(self):
        self.assertEqual(self.found(lambda s: 100 + s / 1800), ["growth"])
        self.assertEqual(self.found(lambda s: 100 + s / 7200), [])

    def test_a_step_and_a_level_that_is_reached_do_not(self):
        self.assertEqual(self.found(lambda s: 130 if s < 1860 else 146), [])
        self.assertEqual(self.found(lambda s: 134 - 30 * 0.5 ** (s / 200)), [])
        self.assertEqual(self.found(lambda s: 100 + 10 * (s // 300)), ["growth"], "many steps")


if __name__ == "__main__":
    unittest.main()
