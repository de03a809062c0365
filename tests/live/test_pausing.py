# SPDX-License-Identifier: GPL-2.0-or-later
"""A job that is paused gives its memory to another and goes on from where it was, or starts again elsewhere."""
import time

from .case import LiveTest
from .options import Options
from .waiting import wait_for

SECONDS = 60
MEMORY = 1000  # of a node


class Suspending(LiveTest):
    # GreedyP pauses where GreedyPM would move; with two nodes full of memory there is nothing to move to anyway.
    options = Options(nodes=2, cpus=4, memory=MEMORY, cores=0.4, algorithm="GreedyP*/OPT=MIN",
                      settings={"PauseBy": "suspend"})

    def test_paused_job_gives_its_memory_to_another_and_goes_on(self):
        work = 1.0
        first = [self.sbatch_burn(work, f"--nodelist={node}", memory=900, hold=200) for node in self.cluster.nodes]
        for job in first:
            self.wait_event(job)
        time.sleep(0.5)  # so that they have made progress, which lowers their priority below a new job's
        new = self.sbatch_burn(0.1, memory=900, hold=200)
        began = self.wait_event(new)[0]["now"]
        paused = [job for job in first if self.wait_state(job, ("RUNNING", "SUSPENDED"))["JobState"] == "SUSPENDED"]
        self.assertEqual(len(paused), 1)
        ended = self.wait_ended(first + [new])
        self.assert_completed(ended)
        for job in first:
            self.assert_done(job, work)  # its own CPU clock: it did not start anew
            self.assertEqual(len(self.results(job, "start")), 1)
            self.assertEqual(ended[job]["Restarts"], "0")
        self.assert_done(new, 0.1)
        self.assertLess(began, self.results(paused[0], "end")[0]["now"])
        self.assertGreater(self.results(paused[0], "end")[0]["now"], self.results(new, "end")[0]["now"])
        self.assert_nodes_free()

    def test_job_suspended_by_its_user_is_left_alone(self):
        job = self.sbatch_burn(0.4, f"--nodelist={self.cluster.nodes[0]}", memory=500)
        self.wait_event(job)
        self.cluster.command("scontrol", "suspend", job)
        self.wait_state(job, "SUSPENDED")
        other = self.sbatch_burn(0.05, memory=100)
        self.assert_completed(self.wait_ended([other]))
        self.assertEqual(self.wait_state(job, "SUSPENDED")["JobState"], "SUSPENDED")
        self.cluster.command("scontrol", "resume", job)
        self.assert_completed(self.wait_ended([job]))
        self.assert_done(job, 0.4)
        self.assert_nodes_free()

    def test_paused_job_can_be_cancelled(self):
        first = [self.sbatch_burn(100, f"--nodelist={node}", memory=900) for node in self.cluster.nodes]
        for job in first:
            self.wait_event(job)
        time.sleep(0.3)
        new = self.sbatch_burn(100, memory=900)
        self.wait_event(new)
        paused = [job for job in first if self.wait_state(job, ("RUNNING", "SUSPENDED"))["JobState"] == "SUSPENDED"]
        self.assertEqual(len(paused), 1)
        self.cluster.command("scancel", *paused)
        self.assertEqual(self.wait_state(paused[0], "CANCELLED", 15)["JobState"], "CANCELLED")
        self.end_all_jobs()
        self.assert_nodes_free()


class Requeuing(LiveTest):
    options = Options(nodes=2, cpus=4, memory=MEMORY, cores=0.4, algorithm="GreedyP*/OPT=MIN",
                      settings={"PauseBy": "requeue", "MinProgress": "0.1"})

    def fill(self, work, **keywords):
        first = [self.sbatch_burn(work, f"--nodelist={node}", memory=900, **keywords) for node in self.cluster.nodes]
        for job in first:
            self.wait_event(job)
        time.sleep(0.7)
        return first

    def test_job_with_checkpoints_is_requeued_and_restarts_where_there_is_room(self):
        work = 1.0
        anywhere = self.sbatch_burn(work, memory=900, hold=100, checkpoint=True)
        home = self.wait_event(anywhere)[0]["node"]
        time.sleep(0.7)
        # The other node is free: it takes one new job, and the second one needs the first one's place.
        fixed = self.sbatch_burn(0.1, memory=900, checkpoint=False)
        self.wait_event(fixed)
        new = self.sbatch_burn(0.6, f"--nodelist={home}", memory=900)
        self.wait_event(new, seconds=15)
        ended = self.wait_ended([anywhere, fixed, new])
        self.assert_completed(ended)
        starts = self.results(anywhere, "start")
        self.assertEqual(len(starts), 2, starts)
        self.assertEqual([line["restarts"] for line in starts], [0, 1])
        self.assertGreater(starts[1]["from"], 0)  # from its checkpoint
        self.assertNotEqual(starts[1]["node"], home)  # elsewhere
        self.assert_done(anywhere, work)
        self.assert_nodes_free()

    def test_jobs_that_may_not_be_requeued_never_are(self):
        """--no-requeue, interactive, and without a checkpoint where lost work is refused: the policy works round."""
        first = [self.sbatch_burn(0.6, f"--nodelist={self.cluster.nodes[0]}", "--no-requeue", memory=900, checkpoint=True),
                 self.sbatch_burn(0.6, f"--nodelist={self.cluster.nodes[1]}", memory=900)]
        for job in first:
            self.wait_event(job)
        time.sleep(0.7)
        new = self.sbatch_burn(0.05, memory=900)
        ended = self.wait_ended(first + [new])
        self.assert_completed(ended)
        for job in first:
            self.assertEqual((len(self.results(job, "start")), ended[job]["Restarts"]), (1, "0"))
        self.assertGreater(self.results(new, "start")[0]["now"],
                           min(self.results(job, "end")[0]["now"] for job in first))
        flags = {job: status for job, status in self.dfrs_jobs().items() if job in first}
        self.assertTrue(all(not status["may_pause"] for status in flags.values()), flags)

    def test_job_that_ignores_sigterm_is_requeued_and_none_fails(self):
        """Slurm waits KillWait seconds for such a job, and its node is not free until then."""
        stubborn = self.sbatch_burn(0.6, f"--nodelist={self.cluster.nodes[0]}", memory=900, checkpoint=True,
                                    more="--ignore-sigterm")
        self.wait_event(stubborn)
        time.sleep(0.7)
        new = self.sbatch_burn(0.05, f"--nodelist={self.cluster.nodes[0]}", memory=900)
        self.assert_completed(self.wait_ended([stubborn, new]))
        self.assert_done(new, 0.05)


class LosingWork(LiveTest):
    """Where lost work is accepted, jobs are requeued without a checkpoint, but not for ever."""
    options = Options(nodes=1, cpus=4, memory=MEMORY, cores=0.4, algorithm="GreedyP*/OPT=MIN",
                      settings={"PauseBy": "requeue", "LostWork": "accept", "MinProgress": "0.2", "MaxLostRuns": "2"})

    def test_lost_runs_are_counted_and_limited(self):
        work = 0.8
        job = self.sbatch_burn(work, memory=900)
        short = []
        for run in range(1, 4):
            starts = self.wait_event(job, count=min(run, 3), seconds=30)
            wait_for("the job to have made progress",
                     lambda: self.dfrs_jobs().get(job, {}).get("run_virtual_time", 0) > 0.4, 10)
            short.append(self.sbatch_burn(0.02, memory=900))
            if run <= 2:
                self.assert_completed(self.wait_ended([short[-1]], 30))
        self.assertEqual(len(starts), 3)
        self.assertEqual(self.dfrs_jobs()[job]["lost_runs"], 2)
        self.assertGreater(self.dfrs_jobs()[job]["lost_work"], 0.4)
        ended = self.wait_ended([job, *short], 60)
        self.assert_completed(ended)
        self.assertEqual(ended[job]["Restarts"], "2")  # the third run was not ended by us
        self.assertGreater(self.results(short[2], "start")[0]["now"], self.results(job, "end")[0]["now"])
        self.assert_done(job, work)
