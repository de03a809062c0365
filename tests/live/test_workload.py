# SPDX-License-Identifier: GPL-2.0-or-later
"""What the comparison is made of, without a cluster: the generated workload, traces of users, figures and tables."""
import csv
import json
import tempfile
import unittest
from pathlib import Path

from . import compare, jobs, report, simulate
from . import workload as workloads
from .errors import ClusterError
from .measure import Measured, Overhead, Run, StartUp
from .workload import Job, Workload


class Folder(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="dfrs-workload-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)


class Generated(unittest.TestCase):
    def test_the_fixed_workload_stays_what_it_is(self):
        """docs/live/live-validation.md has figures of this very workload."""
        workload = workloads.generate()
        self.assertEqual(workload, workloads.generate(seed=1, jobs=60, nodes=8, cpus=4, memory=4096, load=0.8))
        self.assertEqual(len(workload.jobs), 60)
        self.assertAlmostEqual(workload.load, 0.8, places=3)
        self.assertEqual(workload.jobs[11], Job(12, 28.724, 8, 4, 2048, 12.43, 120))
        self.assertAlmostEqual(workload.node_seconds, 1022.8, delta=0.1)
        self.assertAlmostEqual(workload.span, 159.806, places=3)

    def test_jobs_are_as_slurm_takes_them(self):
        for seed in range(20):
            workload = workloads.generate(seed=seed, nodes=8)
            self.assertEqual([job.number for job in workload.jobs], list(range(1, 61)))
            self.assertEqual([job.submit for job in workload.jobs], sorted(job.submit for job in workload.jobs))
            for job in workload.jobs:
                self.assertTrue(1 <= job.tasks <= 8, job)
                self.assertEqual((job.cpus, job.memory % job.cpus, job.limit % 60), (4, 0, 0), job)
                self.assertTrue(0.09 * 4096 <= job.memory <= 0.5 * 4096, job)
                self.assertTrue(2 <= job.run_time <= job.limit, job)

    def test_seeds_and_loads_differ(self):
        self.assertNotEqual(workloads.generate(seed=1).jobs, workloads.generate(seed=2).jobs)
        low, high = (workloads.generate(load=load) for load in (0.4, 0.8))
        self.assertAlmostEqual(low.span, 2 * high.span, delta=0.01)
        self.assertEqual([job.run_time for job in low.jobs], [job.run_time for job in high.jobs])


class Traces(Folder):
    def read(self, text, nodes=None, memory=None, time_scale=1.0):
        path = self.folder / "mine.dfrs"
        path.write_text(text, encoding="utf-8")
        return workloads.read_trace(path, nodes, 4, memory, time_scale)

    def test_what_is_written_is_read_again(self):
        workload = workloads.generate(seed=3, jobs=20)
        again = self.read(workloads.trace_text(workload))
        self.assertEqual(again.name, workload.name)
        self.assertEqual((again.nodes, again.memory), (8, 4096))
        for one, other in zip(workload.jobs, again.jobs):
            self.assertAlmostEqual(one.submit, other.submit, places=3)
            self.assertEqual((one.tasks, one.cpus, one.memory, one.limit), (other.tasks, other.cpus, other.memory, other.limit))

    def test_times_are_scaled_and_needs_become_cpus(self):
        workload = self.read("; dfrs-trace: 1\n; Name: x\n; Nodes: 2 cpu 1 memory 100\n"
                             "7 1000 3 0.3 10 500 3600\n9 1100 1 1 0 100 50\n", time_scale=100)
        self.assertEqual(workload.jobs[0], Job(1, 0.0, 3, 2, 10, 5.0, 60))
        self.assertEqual(workload.jobs[1], Job(2, 1.0, 1, 4, 1, 1.0, 60))
        self.assertEqual(self.read("; dfrs-trace: 1\n; Nodes: 2 cpu 1 memory 100\n7 0 1 1 10 90 30\n").jobs[0].limit, 120)

    def test_command_line_wins_over_the_header(self):
        workload = self.read("; dfrs-trace: 1\n; Nodes: 2 cpu 1 memory 100\n7 0 1 1 10 90 90\n", nodes=5, memory=70)
        self.assertEqual((workload.nodes, workload.memory), (5, 70))

    def test_errors_name_the_line_and_what_was_expected(self):
        head = "; dfrs-trace: 1\n; Nodes: 2 cpu 1 memory 100\n"
        for text, expected in (
                ("", "mine.dfrs:1: the first line must be"),
                ("1 0 1 1 10 5 5\n", "mine.dfrs:1: the first line must be"),
                ("; dfrs-trace: 2\n", "mine.dfrs:1: version 2"),
                (head, "mine.dfrs:2: the trace has no jobs"),
                (head + head, "mine.dfrs:3: the file holds more than one instance"),
                (head + "; Nodes: 3 cpu 1 memory 100\n", "mine.dfrs:3: nodes that differ"),
                ("; dfrs-trace: 1\n; Nodes: two\n", "mine.dfrs:2: expected '; Nodes: COUNT"),
                ("; dfrs-trace: 1\n; Nodes: 2 cpu 2 memory 100\n", "mine.dfrs:2: nodes of cpu 2"),
                ("; dfrs-trace: 1\n1 0 1 1 10 5 5\n", "there is no line '; Nodes:"),
                (head + "1 0 1 1 10 5\n", "mine.dfrs:3: expected 7 fields"),
                (head + "1 0 1 one 10 5 5\n", "mine.dfrs:3: expected 7 fields"),
                (head + "1 0 1 1.5 10 5 5\n", "mine.dfrs:3: job 1: expected"),
                (head + "1 0 1 1 10 nan 5\n", "mine.dfrs:3: job 1: expected"),
                (head + "1 9 1 1 10 5 5\n2 8 1 1 10 5 5\n", "mine.dfrs:4: job 2 is submitted before"),
                (head + "1 0 3 1 10 5 5\n", "job 1 has 3 tasks of 4 CPUs"),
                (head + "1 0 3 0.25 60 5 5\n", "give more nodes with --nodes")):
            with self.subTest(text=text), self.assertRaises(ClusterError) as caught:
                self.read(text)
            self.assertIn(expected, str(caught.exception))

    def test_missing_file_and_no_text(self):
        with self.assertRaisesRegex(ClusterError, "cannot read the trace .*: No such file"):
            workloads.read_trace(self.folder / "none", 1, 4)
        (self.folder / "binary").write_bytes(b"\xff\xfe\0")
        with self.assertRaisesRegex(ClusterError, "it is not text"):
            workloads.read_trace(self.folder / "binary", 1, 4)


class WorkDone(unittest.TestCase):
    def test_rounding_to_six_digits_is_no_missing_work(self):
        work = 0.2231434999
        self.assertTrue(jobs.did_once(work, float(f"{work - 4e-10:.6f}"), restarts=0))

    def test_less_and_more_than_once_are_told(self):
        self.assertFalse(jobs.did_once(0.2, 0.1999, restarts=0))
        self.assertFalse(jobs.did_once(2, 4, restarts=0))


class Overheads(unittest.TestCase):
    def test_between_those_measured_they_are_interpolated(self):
        start_up = StartUp({(4, 1): Overhead(0.5, 0.1), (4, 2): Overhead(0.4, 0.2), (4, 8): Overhead(0.1, 0.8)})
        job = lambda tasks: Job(1, 0.0, tasks, 4, 10, 1.0, 60)  # noqa: E731
        self.assertEqual(start_up(job(1)), Overhead(0.5, 0.1))
        middle = start_up(job(5))
        self.assertAlmostEqual(middle.delay, 0.25)
        self.assertAlmostEqual(middle.cost, 0.5)
        self.assertEqual(start_up(job(20)), Overhead(0.1, 0.8))

    def test_other_cpus_are_as_the_nearest(self):
        start_up = StartUp({(1, 1): Overhead(0, 1), (4, 1): Overhead(0, 4)})
        self.assertEqual(start_up(Job(1, 0.0, 1, 3, 10, 1.0, 60)).cost, 4)
        self.assertEqual(start_up(Job(1, 0.0, 1, 2, 10, 1.0, 60)).cost, 1)


class Simulated(Folder):
    """Two jobs that each fill the one node: A of 10 s at 0, B of 1 s at 1."""
    workload = Workload("two", 1, 4, 100, (Job(1, 0.0, 1, 4, 10, 10.0, 60), Job(2, 1.0, 1, 4, 10, 1.0, 60)))

    def predict(self, algorithm, start_up=None):
        return simulate.predict(self.workload, algorithm, self.folder, "two", start_up=start_up, pauses=["--penalty", "0"], period=30,
                                floor=0.1)

    def test_flows_are_from_submission_to_end(self):
        self.assertEqual(self.predict("EASY").flow, {1: 10.0, 2: 10.0})
        shared = self.predict("GreedyPM*").flow
        self.assertAlmostEqual(shared[2], 2.0)
        self.assertAlmostEqual(shared[1], 11.0)

    def test_overheads_count(self):
        flow = self.predict("EASY", lambda job: Overhead(0.5, 0.25)).flow
        self.assertAlmostEqual(flow[1], 10.75)
        self.assertAlmostEqual(flow[2], 0.5 + 10.25 + 1.25 - 1.0)

    def test_delays_do_not_change_the_order_of_the_queue(self):
        """Job 1 fills the node until 10. Job 2, which Slurm takes longer to see than job 3, was submitted before it."""
        jobs = (Job(1, 0.0, 1, 4, 10, 10.0, 60), Job(2, 5.0, 1, 4, 10, 2.0, 60), Job(3, 5.1, 1, 4, 20, 1.0, 60))
        flow = simulate.predict(Workload("order", 1, 4, 100, jobs), "FCFS", self.folder, "order", pauses=["--penalty", "0"], period=30,
                                start_up=lambda job: Overhead(0.1 if job.memory == 20 else 0.4, 0.0), floor=0.1).flow
        self.assertAlmostEqual(flow[2], 7.4)  # at 10.4, until 12.4
        self.assertAlmostEqual(flow[3], 8.3)  # at 12.4, until 13.4

    def test_a_job_with_an_equal_limit_does_not_slip_in_before_the_first_waiting_one(self):
        """Job 2 runs in its turn, job 3 needs both nodes and waits. Job 4, with the limit of job 2, ends in time only if it starts at
        the very instant at which job 2 did."""
        jobs = (Job(1, 0.0, 2, 4, 10, 5.0, 60), Job(2, 1.0, 1, 4, 10, 20.0, 60), Job(3, 2.0, 2, 4, 10, 5.0, 60),
                Job(4, 3.0, 1, 4, 10, 5.0, 60))
        flow = simulate.predict(Workload("tie", 2, 4, 100, jobs), "EASY", self.folder, "tie", pauses=["--penalty", "0"], period=30,
                                floor=0.1).flow
        self.assertAlmostEqual(flow[2], 24.0)  # at 5, until 25
        self.assertAlmostEqual(flow[3], 28.0)  # at 25, until 30
        self.assertAlmostEqual(flow[4], 32.0)  # at 30, not at 5

    def test_what_to_expect(self):
        setting = compare.Setting(algorithm="GreedyPM*")
        text = report.expected(self.workload, setting, compare.only_simulate(self.workload, setting, self.folder))
        self.assertRegex(text, r"sched/backfill as EASY +10\.00 +5\.50\n")
        self.assertRegex(text, r"sched/dfrs as GreedyPM\*/OPT=MIN +2\.00 +1\.55\n")
        self.assertRegex(text, r"sched/dfrs, Triage as Triage/SHORT=0\.1 +[0-9.]+ +[0-9.]+\n")

    def test_names_of_algorithms(self):
        self.assertEqual(simulate.check_algorithm("greedypm* / per"), "GreedyPM*/per/OPT=MIN")
        with self.assertRaisesRegex(ClusterError, "did you mean 'GreedyP"):
            simulate.check_algorithm("GreedyPN*")

    def test_varied_run_times_are_near_and_repeatable(self):
        one, same, other = (simulate.vary(self.workload, number) for number in (1, 1, 2))
        self.assertEqual(one, same)
        self.assertNotEqual(one, other)
        for job, was in zip(one.jobs, self.workload.jobs):
            self.assertLessEqual(abs(job.run_time - was.run_time), simulate.VARIATION)

    def test_estimates_can_be_exact(self):
        exact = compare._with_exact_limits(self.workload)  # pylint: disable=protected-access
        self.assertEqual([job.limit for job in exact.jobs], [11.0, 2.0])
        self.assertEqual([job.run_time for job in exact.jobs], [10.0, 1.0])


class Report(Folder):
    def comparison(self, live):
        workload = Simulated.workload
        sides = []
        for scheduler, flows in live.items():
            measured = {number: Measured(number, 100 + number, job.submit, job.submit + 0.1, job.submit + flow, "COMPLETED",
                                         1 if scheduler == "dfrs" else 0, [2.5] if scheduler == "dfrs" else [])
                        for (number, flow), job in zip(flows.items(), workload.jobs)}
            run = Run(measured, 1.5, 2, 0.01, [])
            simulated = simulate.Prediction({1: 11.0, 2: 2.0}, {"pauses_per_job": 0.5, "moves_per_job": 1.0, "work_lost": 0}, "dfrs-sim run")
            sides.append(report.Side(scheduler, "EASY", run, simulated, StartUp({(4, 1): Overhead(0.5, 0.1)})))
        return report.Comparison(workload, compare.Setting(), sides, simulate.Prediction({1: 10.0, 2: 5.0}, {}, ""))

    def test_figures(self):
        comparison = self.comparison({"backfill": {1: 10.0, 2: 10.0}, "dfrs": {1: 12.0, 2: 1.8}})
        batch, dfrs = (comparison.figures(side) for side in comparison.sides)
        self.assertAlmostEqual(batch["live"]["max_stretch"], 10.0)
        self.assertAlmostEqual(batch["live"]["mean_stretch"], 5.5)
        self.assertAlmostEqual(dfrs["live"]["mean_stretch"], 1.5)
        self.assertAlmostEqual(dfrs["simulated"]["mean_stretch"], 1.55)
        self.assertEqual((dfrs["live"]["requeues"], dfrs["simulated"]["requeues"]), (2, 3))
        self.assertEqual(dfrs["live"]["median_requeue"], 2.5)
        text = comparison.text()
        self.assertIn("The worst-served job fares 5.6 times better under DFRS.", text)
        self.assertIn("mean stretch of sched/dfrs is within 20% of the live one", text)
        self.assertIn("mean stretch of sched/backfill is NOT within 20% of the live one", text)
        self.assertNotIn("WARNING", text)

    def test_figures_are_means_of_varied_simulations(self):
        comparison = self.comparison({"backfill": {1: 10.0, 2: 10.0}, "dfrs": {1: 12.0, 2: 1.8}})
        totals = {"pauses_per_job": 0.5, "moves_per_job": 0, "work_lost": 0}
        comparison.sides[1].simulated.varied = [
            simulate.Prediction({1: 10.0, 2: 1.0}, totals, ""),
            simulate.Prediction({1: 10.0, 2: 4.0}, {**totals, "moves_per_job": 2.0, "work_lost": 0.5}, "")]
        made = comparison.figures(comparison.sides[1])["simulated"]
        self.assertAlmostEqual(made["max_stretch"], 2.5)
        self.assertAlmostEqual(made["mean_stretch"], 1.75)
        self.assertEqual(made["mean_stretch_range"], [1.0, 2.5])
        self.assertEqual((made["requeues"], made["work_lost"]), (3, 0.25))
        self.assertIn("sched/dfrs: max stretch 1.00 to 4.00, mean stretch 1.00 to 2.50", comparison.text())

    def test_triage_is_the_third(self):
        comparison = self.comparison({"backfill": {1: 10.0, 2: 10.0}, "dfrs": {1: 12.0, 2: 1.8}, "triage": {1: 11.0, 2: 1.0}})
        text = comparison.text()
        self.assertIn("The worst-served job fares 5.6 times better under DFRS.", text)
        self.assertIn("The worst-served job fares 9.1 times better under Triage.", text)
        self.assertRegex(text, r"sched/dfrs, Triage +1\.10 ")

    def test_it_says_when_dfrs_loses_and_when_something_is_wrong(self):
        comparison = self.comparison({"backfill": {1: 10.0, 2: 1.0}, "dfrs": {1: 30.0, 2: 3.0}})
        comparison.sides[1].live.wrong.append("job-2 is FAILED (exit 1:0)")
        comparison.sides[0].live.busy = 2.0
        text = comparison.text()
        self.assertIn("The worst-served job fares 3.0 times worse under DFRS.", text)
        self.assertIn("WARNING: sched/dfrs: job-2 is FAILED", text)
        self.assertIn("WARNING: the host had no core to spare", text)

    def test_stretch_is_bounded(self):
        comparison = self.comparison({"backfill": {1: 10.0, 2: 0.05}, "dfrs": {1: 12.0, 2: 1.8}})
        comparison.setting.floor = 20.0
        self.assertEqual(comparison.figures(comparison.sides[0])["live"]["max_stretch"], 1.0)

    def test_files(self):
        comparison = self.comparison({"backfill": {1: 10.0, 2: 10.0}, "dfrs": {1: 12.0, 2: 1.8}})
        comparison.write(self.folder, "the table\n")
        self.assertEqual((self.folder / "results.txt").read_text(encoding="utf-8"), "the table\n")
        with open(self.folder / "jobs.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["dfrs_live_stretch"] for row in rows], ["1.2", "1.8"])
        self.assertEqual([row["backfill_wait"] for row in rows], ["0.1", "0.1"])
        stored = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        self.assertAlmostEqual(stored["schedulers"]["dfrs"]["live"]["max_stretch"], 1.8)
        self.assertEqual(len(stored["workload"]["jobs"]), 2)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["jobs.csv", "results.json", "results.txt"])


class Arguments(unittest.TestCase):
    def parse(self, *words):
        from .cli import _parser  # pylint: disable=import-outside-toplevel
        return _parser().parse_args(["compare", *words])

    def test_options_that_do_not_go_together(self):
        for words, expected in ((["--trace", "x", "--jobs", "3"], "--jobs, --short and --seeds"),
                                (["--trace", "x", "--short"], "--jobs, --short and --seeds"),
                                (["--trace", "x", "--seeds", "2"], "--jobs, --short and --seeds"),
                                (["--worlds", "--gang"], "leave out --checkpoints and --gang"),
                                (["--time-scale", "10"], "--time-scale is of --trace"),
                                (["--nodes", "100", "--cores", "1000"], "are more than this host has")):
            with self.subTest(words=words), self.assertRaisesRegex(ClusterError, expected):
                compare.main(self.parse(*words))

    def test_short_means_fewer_jobs(self):
        self.assertEqual(len(compare.workload_of(self.parse("--short"), 1).jobs), compare.SHORT_JOBS)
        self.assertEqual(compare.workload_of(self.parse(), 1), workloads.generate())
