# SPDX-License-Identifier: GPL-2.0-or-later
"""A job that is paused gives its memory to another and continues where it was, or starts again elsewhere."""
import subprocess
import time

from . import jobs, swap
from .case import LiveTest
from .errors import Unavailable
from .options import Options
from .waiting import wait_for

SECONDS = 90
MEMORY = 1000  # of a node


class PausingTest(LiveTest):
    PROGRESS = 0.4  # seconds of virtual time that put a job behind a new one

    def wait_progress(self, numbers, seconds=None):
        """Waits until these jobs have made progress, which puts them behind a new job."""
        seconds = self.PROGRESS if seconds is None else seconds
        wait_for(f"jobs {numbers} to have {seconds} s of virtual time",
                 lambda: all(self.dfrs_jobs().get(job, {}).get("run_virtual_time_s", 0) >= seconds for job in numbers), 20)

    def fill(self, work, *options, wait=None, **keywords):
        """A job on each node that leaves no memory for another like it."""
        first = [self.sbatch_burn(work, f"--nodelist={node}", *options, memory=900, **keywords)
                 for node in self.cluster.nodes]
        for job in first:
            self.wait_event(job)
        self.wait_progress(first, wait)
        return first

    def suspended(self, numbers):
        """Those that are suspended, once there are some."""
        return wait_for(f"one of {numbers} to be suspended",
                        lambda: [job for job in numbers if jobs.state(self.cluster, job) == "SUSPENDED"], 10)

    def assert_one_run(self, job, work, ended, tasks=1):
        """From its beginning to its end without a new start."""
        self.assert_done(job, work, tasks)
        self.assertEqual(len(self.results(job, "start")), tasks, self.results(job))
        self.assertEqual(ended[job]["Restarts"], "0")

    def of_dfrs(self, job):
        status = self.dfrs_jobs()
        self.assertIn(job, status)
        return status[job]


class Suspending(PausingTest):
    PROGRESS = 2.2  # a run is not suspended in its first two seconds
    # GreedyP pauses where GreedyPM would move; with two nodes full of memory there is nothing to move to anyway.
    options = Options(nodes=2, cpus=4, memory=MEMORY, cores=0.4, algorithm="GreedyP*/OPT=MIN",
                      settings={"PauseBy": "suspend", "CommentInterval": "1"})

    def test_paused_job_gives_its_memory_to_another_and_goes_on(self):
        work, short = 3.6, 3.0  # the short one must last longer than a busy host takes to look at the paused one
        first = self.fill(work, hold=200)
        new = self.sbatch_burn(short, memory=900, hold=200)
        self.wait_event(new)
        paused = self.suspended(first)
        self.assertEqual(len(paused), 1)
        shown = self.of_dfrs(paused[0])
        self.assertEqual((shown["state"], shown["pauses"], shown["yield"]), ("suspended", 1, 0), shown)
        self.assertIn(str(paused[0]), self.cluster.command("dfrsctl", "status").stdout)
        stands = self.of_dfrs(paused[0])["virtual_time_s"]
        ended = self.wait_ended(first + [new])
        self.assert_completed(ended)
        for job in first:
            self.assert_one_run(job, work, ended)  # by its own CPU clock: it was not restarted
        self.assert_done(new, short)
        end = self.results(paused[0], "end")[0]["now"]
        self.assertGreater(end, self.results(new, "end")[0]["now"])
        # What it took: the work at its quota, and as long as it was paused.
        self.assertGreater(stands, 0.4)
        self.assertGreater(end - self.results(paused[0], "start")[0]["now"], work / 0.4)
        self.assert_nodes_free()

    def test_paused_job_of_several_tasks_goes_on(self):
        work = 3.6
        wide = self.sbatch_burn(work, tasks=2, cpus=4, memory=900, hold=100)
        self.wait_event(wide, count=2)
        self.wait_progress([wide])
        new = self.sbatch_burn(2.0, memory=900)  # longer than a busy host takes to look
        self.wait_event(new)
        self.assertEqual(self.suspended([wide]), [wide])
        ended = self.wait_ended([wide, new])
        self.assert_completed(ended)
        self.assert_one_run(wide, work, ended, tasks=2)
        self.assertEqual({line["node"] for line in self.results(wide, "end")}, set(self.cluster.nodes))
        self.assert_nodes_free()

    def test_job_is_not_suspended_while_its_srun_launches_a_step(self):
        """slurmd closes the connection of an srun that is stopped meanwhile, and the step is lost."""
        one = self.cluster.nodes[0]
        result = self.folder / "$SLURM_JOB_ID.json"
        old = self.sbatch(f"--nodelist={one}", memory=900, script=(
            f"sleep 5\nexec srun --cpus-per-task=4 {jobs.burn()} --work 4.0 --memory 10 --result {result}"))
        launched = self.wait_event(old)[0]["now"]
        new = self.sbatch_burn(1.0, f"--nodelist={one}", memory=900)
        self.wait_state(old, "SUSPENDED", 15)
        self.assertGreater(time.time() - launched, 2)  # created up to 2 s before; otherwise it would be suspended at once
        ended = self.wait_ended([old, new])
        self.assert_completed(ended)
        self.assert_one_run(old, 4.0, ended)

    def test_job_suspended_by_its_user_is_left_alone(self):
        """It keeps its memory, and only its user resumes it."""
        one, two = self.cluster.nodes
        job = self.sbatch_burn(2.0, f"--nodelist={one}", memory=500)  # not done before a slow host suspends it
        self.wait_event(job)
        self.cluster.command("scontrol", "suspend", job)
        self.wait_state(job, "SUSPENDED")
        waits = self.sbatch_burn(0.05, f"--nodelist={one}", memory=900)
        others = [self.sbatch_burn(0.05, f"--nodelist={node}", memory=400) for node in (one, two)]
        self.assert_completed(self.wait_ended(others))
        self.assertEqual([jobs.state(self.cluster, each) for each in (job, waits)], ["SUSPENDED", "PENDING"])
        self.assertEqual(self.of_dfrs(job)["state"], "user-suspended")
        self.cluster.command("scontrol", "resume", job)
        self.assert_completed(self.wait_ended([job, waits]))
        self.assert_done(job, 2.0)
        self.assert_nodes_free()

    def test_paused_job_can_be_cancelled(self):
        first = self.fill(100)
        new = self.sbatch_burn(100, memory=900)
        self.wait_event(new)
        paused = self.suspended(first)
        self.assertEqual(len(paused), 1)
        self.cluster.command("scancel", *paused)
        self.wait_state(paused[0], "CANCELLED", 15)
        self.assertEqual(jobs.state(self.cluster, new), "RUNNING")
        self.end_all_jobs()
        self.assert_nodes_free()
        self.assert_no_groups()

    def test_paused_jobs_survive_a_restart_of_slurmctld(self):
        work = 3.6
        first = self.fill(work)
        over = self.folder / "restarted"
        new = self.sbatch(memory=900, script=f"until [ -e {over} ]; do sleep 0.1; done")
        self.wait_state(new, "RUNNING")
        paused = self.suspended(first)
        before = self.of_dfrs(paused[0])
        self.cluster.stop("slurmctld")
        self.cluster.start_slurmctld()
        after = wait_for("the controller to know its jobs again", lambda: self.dfrs_jobs().get(paused[0]), 10)
        self.assertEqual(jobs.state(self.cluster, paused[0]), "SUSPENDED")
        self.assertAlmostEqual(after["virtual_time_s"], before["virtual_time_s"], places=2)
        self.assertEqual(after["pauses"], before["pauses"])
        over.touch()
        ended = self.wait_ended(first + [new])
        self.assert_completed(ended)
        for job in first:
            self.assert_one_run(job, work, ended)
        self.assert_nodes_free()


class Swapping(PausingTest):
    """Suspend with page-out to a swap device: the memory of paused jobs is free for others, and comes back as it was."""
    PROGRESS = 2.2  # a run is not suspended in its first two seconds
    options = Options(nodes=1, cpus=4, memory=MEMORY, cores=0.4, algorithm="GreedyP*/OPT=MIN",
                      settings={"PauseBy": "suspend", "SuspendNeedsSwap": "yes"})

    def test_without_swap_no_job_is_suspended(self):
        if swap.devices():
            self.skipTest(f"this host has swap: {swap.devices()}")
        (first,) = self.fill(3.0)
        self.assertFalse(self.of_dfrs(first)["may_pause"])
        new = self.sbatch_burn(0.02, memory=900)
        self.assert_completed(self.wait_ended([first, new]))
        self.assertGreater(self.results(new, "start")[0]["now"], self.results(first, "end")[0]["now"])

    def test_memory_of_a_paused_job_goes_to_swap_and_comes_back(self):
        if not swap.devices():
            try:
                made = swap.SwapFile([self.folder, "/var/tmp", "/tmp"])
            except Unavailable as reason:
                self.skipTest(str(reason))
            self.addCleanup(made.close)
        node, hold, work = self.cluster.nodes[0], 150, 3.6
        reported = wait_for("the agent to report swap", lambda: self.dfrs_nodes()[node]["swap_free_mib"], 15)
        self.assertGreaterEqual(self.dfrs_nodes()[node]["swap_total_mib"], reported)
        # What may be suspended must fit into swap as Slurm counts it.
        memory = min(900, int(reported) - 10) // 4 * 4
        if memory < hold + 30:
            self.skipTest(f"only {reported} MiB of swap are free")
        rest = self.sbatch("--no-requeue", f"--nodelist={node}", memory=(MEMORY - memory - 20) // 4 * 4, cpus=4)
        self.wait_state(rest, "RUNNING")
        first = self.sbatch_burn(work, memory=memory, hold=hold)
        pid = self.wait_event(first)[0]["pid"]
        wait_for("the job to hold its memory", lambda: swap.of_process(pid, "VmRSS") > hold, 10)
        self.wait_progress([first])
        self.cluster.command("scancel", rest)
        filler = self.sbatch("--no-requeue", f"--nodelist={node}", memory=(MEMORY - memory - 20) // 4 * 4, cpus=4)
        wait_for("it to be one that may be paused", lambda: self.of_dfrs(first)["may_pause"], 10)
        new = self.sbatch_burn(1000, memory=memory, hold=20)
        self.wait_event(new)
        self.assertEqual(self.suspended([first]), [first])
        wait_for("its memory to be in swap", lambda: swap.of_process(pid) > 0.9 * hold, 15)
        self.assertLess(swap.of_process(pid, "VmRSS"), 0.1 * hold + 8)
        self.assertEqual(jobs.state(self.cluster, new), "RUNNING")
        self.cluster.command("scancel", new)
        ended = self.wait_ended([first])
        self.assert_completed(ended)
        self.assert_one_run(first, work, ended)  # "memory_ok": it is what was written there
        self.cluster.command("scancel", filler)


class Requeuing(PausingTest):
    options = Options(nodes=2, cpus=4, memory=MEMORY, cores=0.4, algorithm="GreedyP*/OPT=MIN",
                      settings={"PauseBy": "requeue", "MinProgress": "0.3"})

    def test_job_with_checkpoints_is_requeued_and_restarts_elsewhere(self):
        work = 1.2
        anywhere = self.sbatch_burn(work, memory=900, hold=100, checkpoint=True)
        home = self.wait_event(anywhere)[0]["node"]
        (away,) = [node for node in self.cluster.nodes if node != home]
        self.wait_progress([anywhere])
        # The other node is taken for a while; then a job comes that can only be where the first one is, for longer.
        fixed = self.sbatch_burn(0.5, f"--nodelist={away}", "--no-requeue", memory=900)
        self.wait_event(fixed)
        new = self.sbatch_burn(1.2, f"--nodelist={home}", "--no-requeue", memory=900)
        self.wait_event(new, seconds=20)
        shown = self.of_dfrs(anywhere)
        self.assertEqual((shown["pauses"], shown["lost_runs"]), (1, 0), shown)
        ended = self.wait_ended([anywhere, fixed, new])
        self.assert_completed(ended)
        starts = self.results(anywhere, "start")
        self.assertEqual([line["restarts"] for line in starts], [0, 1], starts)
        self.assertGreater(starts[1]["from"], 0.1)  # its checkpoint: 0.3 s of virtual time at 0.4 cores
        self.assertEqual(starts[1]["node"], away)
        self.assert_done(anywhere, work)
        # Slurm's wait of two minutes after a requeue was lifted.
        self.assertLess(starts[1]["now"] - self.results(fixed, "end")[0]["now"], 10)
        self.assert_nodes_free()

    def test_batch_jobs_that_may_not_be_requeued_never_are(self):
        """--no-requeue, and without the mark where lost work is refused: the policy works round them."""
        one, two = self.cluster.nodes
        first = [self.sbatch_burn(2.4, f"--nodelist={one}", "--no-requeue", memory=900, checkpoint=True),
                 self.sbatch_burn(2.4, f"--nodelist={two}", "--comment=my:words", memory=900)]
        for job in first:
            self.wait_event(job)
        self.wait_progress(first)
        self.assert_works_round(first, 2.4)

    def test_interactive_job_is_never_requeued(self):
        one, two = self.cluster.nodes
        first = [self.srun_burn(2.4, one), self.srun_burn(2.4, two)]
        self.wait_progress([job for job, _ in first])
        self.assert_works_round([job for job, _ in first], 2.4)
        for _, process in first:
            self.assertEqual(process.wait(20), 0)

    def srun_burn(self, work, node):
        """An interactive job that says that it has checkpoints; (its number, the process of srun)."""
        name = self.folder / f"srun-{node}"
        burn = [jobs.burn(), "--work", work, "--checkpoint", f"{name}.checkpoint", "--result"]
        process = subprocess.Popen([str(word) for word in (
            "srun", "--immediate=20", "--ntasks=1", "--cpus-per-task=4", "--mem-per-cpu=225", f"--nodelist={node}",
            "--comment=dfrs:checkpoint", "sh", "-c", 'exec "$@" "$0/$SLURM_JOB_ID.json"', self.folder, *burn)],
            env=self.cluster.environment(), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait, 20)
        self.addCleanup(process.terminate)

        def started():
            for path in self.folder.glob("*.json"):
                lines = jobs.lines_of(path)
                if lines and lines[0]["node"] == node:
                    return lines[0]["job"]
            return None
        return wait_for(f"srun on {node} to run its task", started, 20), process

    def assert_works_round(self, first, work):
        """A new job waits for one of these to end, and they end as they began."""
        flags = {job: self.of_dfrs(job) for job in first}
        self.assertFalse(any(status["may_pause"] or status["may_move"] for status in flags.values()), flags)
        new = self.sbatch_burn(0.05, memory=900)
        ended = self.wait_ended([*first, new])
        self.assert_completed(ended)
        for job in first:
            self.assert_one_run(job, work, ended)
        self.assertGreater(self.results(new, "start")[0]["now"],
                           min(self.results(job, "end")[0]["now"] for job in first))
        self.assert_nodes_free()

    def test_job_that_ignores_sigterm_is_requeued_and_none_fails(self):
        """Slurm waits KillWait seconds for such a job, and its node is not free until then."""
        home = self.cluster.nodes[0]
        stubborn = self.sbatch_burn(0.6, f"--nodelist={home}", memory=900, checkpoint=True, more="--ignore-sigterm")
        self.wait_event(stubborn)
        self.wait_progress([stubborn])
        new = self.sbatch_burn(0.05, f"--nodelist={home}", memory=900)
        self.assert_completed(self.wait_ended([stubborn, new]))
        self.assert_done(new, 0.05)
        self.assertEqual([line["restarts"] for line in self.results(stubborn, "start")], [0, 1])
        self.assert_nodes_free()


class MinProgress(PausingTest):
    """A run that has not gained MinProgress is not ended for a job that comes; that one is served when it has."""
    options = Options(nodes=1, cpus=4, memory=MEMORY, cores=0.4, algorithm="GreedyP*/OPT=MIN",
                      settings={"PauseBy": "requeue", "MinProgress": "2"})

    def test_run_is_not_ended_before_it_has_gained_enough(self):
        job = self.sbatch_burn(1.6, memory=900, checkpoint=True)
        self.wait_event(job)
        begun = self.of_dfrs(job)["started"]  # its process came somewhat later
        new = self.sbatch_burn(0.02, memory=900)
        ended = self.wait_ended([job, new])
        self.assert_completed(ended)
        runs = self.results(job, "start")
        self.assertEqual(len(runs), 2, runs)
        self.assertGreaterEqual(self.results(job, "terminated")[0]["now"] - begun, 2.0)
        self.assertGreater(runs[1]["from"], 0.5)
        self.assertGreater(self.results(new, "start")[0]["now"], self.results(job, "terminated")[0]["now"])
        self.assert_done(job, 1.6)


class LosingWork(PausingTest):
    """Where lost work is accepted, jobs are requeued without a checkpoint, but not for ever."""
    options = Options(nodes=1, cpus=4, memory=MEMORY, cores=0.4, algorithm="GreedyP*/OPT=MIN",
                      settings={"PauseBy": "requeue", "LostWork": "refuse", "MinProgress": "0.3", "MaxLostRuns": "2",
                                "Partitions": "dfrs,short"},
                      partition_settings=["PartitionName=short LostWork=accept"],
                      slurm_lines=["PartitionName=short Nodes=ALL MaxTime=INFINITE State=UP OverSubscribe=FORCE:1"])

    def test_lost_runs_are_counted_and_limited(self):
        work = 2.4
        job = self.sbatch_burn(work, "--partition=short", memory=900)
        short = []
        for run in (1, 2, 3):
            self.wait_event(job, count=run, seconds=30)
            self.wait_progress([job], 0.5)
            self.assertEqual(self.of_dfrs(job)["may_pause"], run <= 2)
            short.append(self.sbatch_burn(0.02, "--partition=short", memory=900))
            if run <= 2:
                self.assert_completed(self.wait_ended([short[-1]], 30))
        shown = self.of_dfrs(job)
        self.assertEqual(shown["lost_runs"], 2)
        self.assertGreater(shown["lost_work_s"], 1.0)  # twice half a second at least
        whole = self.dfrsctl("status")
        self.assertGreaterEqual(whole["lost_runs"], 2)
        self.assertGreaterEqual(whole["lost_work_s"], shown["lost_work_s"])
        self.assertRegex(self.cluster.command("dfrsctl", "status").stdout, r"(?i)lost")
        ended = self.wait_ended([job, *short], 60)
        self.assert_completed(ended)
        self.assertEqual(ended[job]["Restarts"], "2")  # the third run was not ended by us
        self.assertGreater(self.results(short[2], "start")[0]["now"], self.results(job, "end")[0]["now"])
        self.assert_done(job, work)
        self.assert_nodes_free()
