# SPDX-License-Identifier: GPL-2.0-or-later
"""Back to stock Slurm with jobs in every state, and forward again, as docs/administrator-guide.md says."""
from . import cgroups, jobs
from .case import LiveTest
from .options import Options
from .waiting import wait_for

SECONDS = 100


class Rollback(LiveTest):
    options = Options(nodes=2, cpus=4, memory=1000, cores=0.4, algorithm="GreedyP*/OPT=MIN",
                      settings={"PauseBy": "suspend,requeue", "MinProgress": "0.3", "CommentInterval": "1"})

    def scheduler(self, name):
        """slurmctld is stopped, its configuration names another scheduler, it is started again."""
        self.cluster.stop("slurmctld")
        self.cluster.options.scheduler = name
        self.cluster.write_configuration()
        self.cluster.start_slurmctld()
        self.cluster.wait_nodes()

    def errors_since(self, size):
        text = self.cluster.log("slurmctld").read_text(encoding="utf-8", errors="replace")[size:]
        # "could not find idle resources": of jobs that share cores, as docs/administrator-guide.md says. "High latency":
        # of a busy host's clock.
        return [line for line in text.splitlines() if " error: " in line and not any(usual in line for usual in (
            "mpi", "MPI", "pmix", "state file", "NOTE: Trying backup", "Zero Bytes", "could not find idle resources",
            "High latency"))]

    def log_size(self):
        return len(self.cluster.log("slurmctld").read_text(encoding="utf-8", errors="replace"))

    def tearDown(self):
        if self.cluster.options.scheduler != "dfrs":
            self.scheduler("dfrs")
        super().tearDown()

    def test_to_backfill_and_back_without_losing_a_job(self):
        one, two = self.cluster.nodes
        work = 5.0
        # Several on one node, more CPUs than it has; one suspended there; one waiting in the queue; one held.
        sharing = [self.sbatch_burn(work, f"--nodelist={one}", "--comment=my words", memory=300, hold=20)
                   for _ in range(3)]
        long = 10.0  # to be still at work when the next one takes its place, on a host that is busy
        big = self.sbatch_burn(long, f"--nodelist={two}", memory=900, hold=50)
        for job in [*sharing, big]:
            self.wait_event(job)
        wait_for("progress", lambda: self.dfrs_jobs()[big]["run_virtual_time_s"] > 2.2, 15)
        new = self.sbatch_burn(work, f"--nodelist={two}", memory=900)
        self.wait_event(new)
        self.assertEqual(self.wait_state(big, "SUSPENDED")["JobState"], "SUSPENDED")
        held = self.sbatch_burn(0.02, "--hold", memory=100)
        waiting = self.sbatch_burn(0.02, f"--dependency=afterok:{held}", memory=100)
        # The first step: quotas are lifted, so that no job stays at the fraction that it last had.
        conf = self.cluster.folder / "etc/dfrs.conf"
        conf.write_text(conf.read_text(encoding="utf-8") + "QuotaMode=off\n", encoding="utf-8")
        self.cluster.command("scontrol", "reconfigure")
        wait_for("quotas to be lifted", lambda: not any(cgroups.quotas(self.cluster.cgroup_tree, node) for node in self.cluster.nodes), 10)
        size = self.log_size()
        self.scheduler("backfill")
        states = {job: jobs.state(self.cluster, job) for job in [*sharing, big, new, held, waiting]}
        for job in [*sharing, new]:  # without quotas they may have ended meanwhile, which is as good
            self.assertIn(states[job], ("RUNNING", "COMPLETING", "COMPLETED"), states)
        self.assertEqual([states[job] for job in (big, held, waiting)], ["SUSPENDED", "PENDING", "PENDING"], states)
        self.cluster.command("scontrol", "release", held)
        self.assert_completed(self.wait_ended([*sharing, new]))
        self.assertEqual(jobs.state(self.cluster, big), "SUSPENDED")  # none but an administrator resumes it
        self.cluster.command("scontrol", "resume", big)
        ended = self.wait_ended([*sharing, big, new, held, waiting])
        self.assert_completed(ended)
        for job in [*sharing, big, new]:
            self.assert_done(job, long if job == big else work)
            self.assertEqual(ended[job]["Restarts"], "0")
        self.assert_nodes_free()
        self.assertEqual(self.errors_since(size), [], "stock slurmctld complains of what it was left")

        # Forward again, with jobs of stock Slurm running and waiting. Without quotas they take no longer than their work,
        # which must outlast slurmctld's restart.
        longer = 30.0
        running = [self.sbatch_burn(longer, memory=600) for _ in range(2)]
        for job in running:
            self.wait_event(job)
        queued = [self.sbatch_burn(0.05, memory=200) for _ in range(4)]
        size = self.log_size()
        self.scheduler("dfrs")
        for job in queued:
            self.wait_event(job)  # they share the nodes that stock Slurm would have kept for the first
        self.assertEqual({job: jobs.state(self.cluster, job) for job in running}, {job: "RUNNING" for job in running})
        self.assertEqual({job: status["state"] for job, status in self.dfrs_jobs().items() if job in running},
                         {job: "running" for job in running})
        ended = self.wait_ended(running + queued, 100)
        self.assert_completed(ended)
        for job in running:
            self.assert_done(job, longer)
        self.assertEqual(self.errors_since(size), [])
        self.assert_nodes_free()
        self.assert_no_groups()
