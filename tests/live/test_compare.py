# SPDX-License-Identifier: GPL-2.0-or-later
"""The comparison, in short: one workload under sched/backfill and under sched/dfrs with two algorithms, live and
simulated; and stock Slurm's gangs."""
import json
import os
import tempfile
import unittest
from pathlib import Path

from . import compare, pause_cost, report, seeds, simulate, swap, test_checkpoints
from . import workload as workloads
from .measure import Measured, Overhead, Run, StartUp
from .simulate import Prediction
from .workload import Job, Workload

ALONE = True  # it measures times
SECONDS = 90
NODES, MEMORY = 8, 4096


def contention():
    """A job that has all nodes for 8 s, and short ones that come meanwhile: under batch scheduling they wait for it."""
    jobs = [Job(1, 0.0, NODES, 4, 1024, 8.0, 60)]
    for number in range(2, 12):
        tasks = 2 if number % 3 == 0 else 1
        jobs.append(Job(number, round(1.0 + 0.4 * (number - 2), 3), tasks, 4, 512, 1.0 + 0.1 * (number % 5), 60))
    return Workload("contention", NODES, 4, MEMORY, tuple(jobs))


class Comparison(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(os.environ.get("DFRS_LIVE_LOGS") or tempfile.mkdtemp(prefix="dfrs-live-")) / "compare"
        setting = compare.Setting(period=10.0, algorithm="GreedyPM*/per/OPT=MIN/MINVT=2", repeats=2)
        cls.workload = contention()
        cls.comparison = compare.compare(cls.workload, setting, cls.folder, lambda text: print(text, flush=True))
        cls.text = cls.comparison.text()
        print(cls.text, flush=True)
        cls.comparison.write(cls.folder, cls.text)
        cls.sides = {side.scheduler: side for side in cls.comparison.sides}
        cls.figures = {side.scheduler: cls.comparison.figures(side) for side in cls.comparison.sides}

    def test_all_jobs_complete_with_the_work_that_they_asked_for(self):
        for scheduler, side in self.sides.items():
            self.assertEqual(side.live.wrong, [], scheduler)
            self.assertEqual({one.state for one in side.live.jobs.values()}, {"COMPLETED"}, scheduler)
            for job in self.workload.jobs:
                self.assertEqual(len(side.live.jobs[job.number].cpu), job.tasks)
                self.assertGreaterEqual(min(side.live.jobs[job.number].cpu), job.run_time * 0.2 - 1e-6)

    def test_nodes_have_the_same_capacity_under_both(self):
        """No job is faster than a node of its own allows."""
        for scheduler, side in self.sides.items():
            for job in self.workload.jobs:
                self.assertGreater(side.live.jobs[job.number].flow, 0.9 * job.run_time, (scheduler, job))

    def test_dfrs_serves_jobs_better(self):
        batch = self.figures["backfill"]["live"]
        for side in ("dfrs", "triage"):
            live = self.figures[side]["live"]
            self.assertLess(live["max_stretch"], batch["max_stretch"], side)
            self.assertLess(live["mean_stretch"], batch["mean_stretch"], side)

    def test_the_simulator_predicts_about_what_happens(self):
        """Loosely, so that a busy host does not break it; docs/live/live-validation.md has figures of a quiet one."""
        for scheduler, figures in self.figures.items():
            ratio = figures["simulated"]["mean_stretch"] / figures["live"]["mean_stretch"]
            self.assertTrue(0.6 < ratio < 1.6, (scheduler, figures))

    def test_results_are_written(self):
        stored = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        for side in ("dfrs", "triage"):
            self.assertEqual(stored["schedulers"][side]["live"], self.figures[side]["live"])
            self.assertGreater((self.folder / f"log-{side}" / compare.RECORD).stat().st_size, 0)
        self.assertEqual(len((self.folder / "jobs.csv").read_text(encoding="utf-8").splitlines()), 1 + len(self.workload.jobs))


class Worlds(unittest.TestCase):
    """Without a cluster: what each world's cluster and simulation are told, and the table of several seeds."""

    def setUp(self):
        self.setting = compare.Setting(worlds=True)

    def test_each_world_has_its_own_settings(self):
        folder = Path("/none/cluster/log")
        options = {side: self.setting.options(contention(), side, folder) for side in self.setting.order}
        told = {side: tuple(options[side].settings.get(name) for name in ("PauseBy", "LostWork", "SuspendNeedsSwap"))
                for side in ("suspend", "lost", "none")}
        self.assertEqual(told, {"suspend": ("suspend", "refuse", "yes"), "lost": ("requeue", "accept", None),
                                "none": ("none", "refuse", None)})
        self.assertEqual((options["backfill"].oversubscribe, options["force"].oversubscribe), ("NO", "FORCE:4"))
        for side in ("backfill", "force"):
            self.assertEqual(options[side].slurm["SelectTypeParameters"], "CR_CPU_Memory")
        self.assertEqual({self.setting.program(contention(), side, None).hold for side in self.setting.order}, {MEMORY})

    def test_suspended_jobs_are_simulated_with_the_swap_of_the_nodes(self):
        cost = ["--penalty", "memory/100+2"]
        self.assertEqual(self.setting.simulation("suspend"), ["--pauses", "suspended", *cost])
        self.assertEqual(self.setting.simulation("suspend", None, 700),
                         ["--pauses", "suspended", "--swap", "700", *cost])
        lines = ["/dev/sda2  partition  1048576  1024  -2", "/swap  file  204800  100  -3"]
        self.assertEqual((swap.free_mib(lines), swap.free_mib([])), (1222, 0))

    def test_the_simulator_is_told_what_a_pause_cost(self):
        live = Run({}, 0, 1, 0, [], pause_cost=pause_cost.PauseCost(1.234, 0.1, 6))
        self.assertEqual(self.setting.simulation("suspend", live, 700)[-2:], ["--penalty", "1.23"])

    def test_what_pauses_cost_is_what_paused_jobs_were_given_beyond_the_others(self):
        """Others have 0.3 s and 2 % of their run time more than that; each of three pauses costs 1.2 s. Slots and numbers of
        jobs differ, and a job of the calibration comes before."""
        run_times = {11: 4.0, 12: 6.0, 13: 8.0, 14: 5.0, 15: 7.0}
        steps = [{"dfrs-record": 2}, {"t": 1.0, "jobs": [{"slot": 0, "id": 3, "clock": [0, 1.0, 1]}]},
                 {"t": 9.0, "jobs": [{"slot": 0, "state": "absent"}], "events": [["completed", 0]]}]

        def end(slot, at):
            steps.append({"t": at, "jobs": [{"slot": slot, "state": "absent"}], "events": [["completed", slot]]})
        for slot, (job, run_time) in enumerate(run_times.items()):
            time, pauses = 1.02 * run_time + 0.3, {14: 1, 15: 2}.get(job, 0)
            steps.append({"t": 10.0, "jobs": [{"slot": slot, "id": job, "clock": [0, 10.0, 0.5]}]})
            for _ in range(pauses):  # half a second of virtual time before each
                steps[-1]["decisions"] = {"placements": [["pause", slot]], "yields": []}
                steps.append({"t": 20.0, "jobs": [{"slot": slot, "clock": [0.5, 11.0, 0]}],
                              "decisions": {"placements": [["resume", slot, [0]]], "yields": [[slot, 1]]}})
                steps.append({"t": 21.0, "jobs": [{"slot": slot, "clock": [0.5, 20.0, 1]}]})
            end(slot, 20.0 + time + 1.2 * pauses - 0.5 if pauses else 10.0 + 2 * time)
        found = pause_cost.of_record(map(json.dumps, steps), run_times)
        self.assertAlmostEqual(found.seconds, 1.2)
        self.assertAlmostEqual(found.error, 0)
        self.assertEqual(found.pauses, 3)
        del run_times[15]
        self.assertIsNone(pause_cost.of_record(map(json.dumps, steps), run_times), "one pause tells little")

    def test_pauses_help_as_the_simulator_has_it(self):
        """60 jobs of 20 seeds: who may not pause does worse than who may, on average; of one seed, who loses work does some
        of it twice."""
        folder = Path(tempfile.mkdtemp(prefix="dfrs-worlds-"))

        def totals(side, seed=1):
            workload = workloads.generate(seed=seed, memory=256)
            return simulate.predict(workload, self.setting.simulated(side), folder, side,
                                    pauses=self.setting.simulation(side), period=30, floor=0.1).totals
        found = {side: totals(side) for side in self.setting.order}
        worst = {side: sum(totals(side, seed)["max_stretch"] for seed in range(1, 21)) for side in ("suspend", "none")}
        self.assertLess(worst["suspend"], worst["none"])
        self.assertEqual((found["suspend"]["work_lost"], found["none"]["work_lost"], found["none"]["pauses"]), (0, 0, 0))
        self.assertGreater(found["suspend"]["pauses"], 0)

    def test_means_of_simulations_over_seeds(self):
        workload = Workload("one", 1, 4, MEMORY, (Job(1, 0.0, 1, 4, 64, 2.0, 60),))

        def sides(batch, mine):
            return [(report.SIDES[name], name, Prediction({1: flow}, {"work_lost": lost}, ""))
                    for name, flow, lost in (("backfill", batch, 0), ("lost", mine, 0.2))]
        text = seeds.expected({1: workload, 2: workload}, self.setting, {1: sides(4.0, 2.0), 2: sides(6.0, 8.0)})
        self.assertRegex(text, r"sched/backfill +2\.50 \(0\) +2\.50 \(0\) +0\.0%")
        self.assertRegex(text, r"Triage, work lost +2\.50 \(1\) +2\.50 \(1\) +20\.0%")

    def test_means_and_ranges_over_seeds(self):
        workload = Workload("two", 1, 4, MEMORY, (Job(1, 0.0, 1, 4, 64, 2.0, 60), Job(2, 1.0, 1, 4, 64, 2.0, 60)))

        def side(name, flows):
            jobs = {number: Measured(number, ended=flow) for number, flow in flows.items()}
            totals = {"pauses_per_job": 0, "moves_per_job": 0, "work_lost": 0.25 if name == "lost" else 0}
            lost = {"lost_work_s": 1.0} if name == "lost" else {}
            return report.Side(name, name, Run(jobs, 0, 1, 0, [], checkpoints=lost), Prediction(flows, totals, ""), StartUp({}))

        def comparison(batch, mine):
            return report.Comparison(workload, self.setting, [side("backfill", batch), side("lost", mine)], None)
        made = {1: comparison({1: 2.0, 2: 8.0}, {1: 4.0, 2: 4.0}), 2: comparison({1: 4.0, 2: 4.0}, {1: 2.0, 2: 2.0})}
        text = seeds.text(made)
        self.assertRegex(text, r"sched/backfill +live +3\.00 \(2\.00-4\.00\) +2\.25 \(2\.00-2\.50\)")
        self.assertRegex(text, r"Triage, work lost +live +1\.50 \(1\.00-2\.00\) .*25\.0% \(25\.0%-25\.0%\)")
        self.assertIn("the average job fares 1.62 (1.25-2.00) times as well as under sched/backfill, better with 2 of 2", text)


@unittest.skipIf(test_checkpoints.missing(), test_checkpoints.missing())
class Checkpoints(unittest.TestCase):
    """Two jobs without checkpoints hold all nodes; short ones come meanwhile."""

    @classmethod
    def setUpClass(cls):
        folder = Path(os.environ.get("DFRS_LIVE_LOGS") or tempfile.mkdtemp(prefix="dfrs-live-")) / "compare-checkpoints"
        jobs = [Job(1, 0.0, 1, 4, 64, 8.0, 60), Job(2, 0.1, 1, 4, 64, 8.0, 60)]
        jobs += [Job(number, 3.0 + 0.5 * number, 1, 4, 64, 1.0, 60) for number in (3, 4)]
        workload = Workload("without-checkpoints", 2, 4, 100, tuple(jobs))
        setting = compare.Setting(cores=0.4, repeats=1, checkpoints=True)
        cls.comparison = compare.compare(workload, setting, folder, lambda text: print(text, flush=True))
        cls.text = cls.comparison.text()
        print(cls.text, flush=True)
        cls.sides = {side.scheduler: side for side in cls.comparison.sides}

    def test_with_checkpoints_no_work_is_lost(self):
        live = self.sides["checkpoint"].live
        self.assertGreater(live.checkpoints["completed"], 0, self.text)
        self.assertEqual((live.checkpoints["lost_runs"], live.begun_again), (0, 0), self.text)
        self.assertEqual({one.state for one in live.jobs.values()}, {"COMPLETED"})
        self.assertEqual(live.wrong, [])

    def test_the_simulator_is_told_what_was_measured(self):
        known = self.sides["checkpoint"].live.checkpoints
        rate = 2 / (1 / known["write_mib_per_s"] + 1 / known["read_mib_per_s"])
        self.assertIn(f"memory/{rate:.1f}+{known['restart_s']:g}", self.sides["checkpoint"].simulated.command)


class Gangs(unittest.TestCase):
    """Two jobs of 15 s hold both nodes; two of 1 s come meanwhile and, in a gang, take turns with them."""

    def test_short_jobs_end_while_long_ones_are_suspended(self):
        folder = Path(os.environ.get("DFRS_LIVE_LOGS") or tempfile.mkdtemp(prefix="dfrs-live-")) / "gangs"
        folder.mkdir(parents=True, exist_ok=True)
        jobs = [Job(1, 0.0, 1, 4, 512, 15.0, 60), Job(2, 0.1, 1, 4, 512, 15.0, 60),
                Job(3, 2.0, 1, 4, 512, 1.0, 60), Job(4, 2.1, 1, 4, 512, 1.0, 60)]
        side = compare.run_one(Workload("turns", 2, 4, MEMORY, tuple(jobs)), compare.Setting(gang=True), "gang", folder,
                               lambda text: print(text, flush=True), lambda job: Overhead(0, 0))
        live = side.live.jobs
        self.assertEqual(side.live.wrong, [])
        for short in (3, 4):
            self.assertLess(live[short].submitted + live[short].flow, min(live[one].flow for one in (1, 2)), short)
        for job in (1, 2):
            # The kernel may give a node a few per cent more than its share.
            self.assertGreater(live[job].flow, 0.95 * (15 + 1), "the node also did the other's work meanwhile")


class Forced(unittest.TestCase):
    """Two jobs of 6 s share the cores of a node (OverSubscribe=FORCE): each has the speed of half a node."""

    def test_a_node_has_no_more_cores_for_two_jobs_than_for_one(self):
        folder = Path(os.environ.get("DFRS_LIVE_LOGS") or tempfile.mkdtemp(prefix="dfrs-live-")) / "forced"
        folder.mkdir(parents=True, exist_ok=True)
        jobs = [Job(1, 0.0, 1, 4, 64, 6.0, 60), Job(2, 0.1, 1, 4, 64, 6.0, 60)]
        side = compare.run_one(Workload("shared", 1, 4, compare.WORLD_MEMORY, tuple(jobs)), compare.Setting(worlds=True), "force",
                               folder, lambda text: print(text, flush=True), lambda job: Overhead(0, 0))
        live = side.live.jobs
        self.assertEqual(side.live.wrong, [])
        self.assertGreater(max(one.flow for one in live.values()), 0.95 * 12, "the kernel may give a node a few per cent more")
        self.assertLess(max(one.started for one in live.values()), 6, "they ran at the same time")
