# SPDX-License-Identifier: GPL-2.0-or-later
"""What accounting forbids: a QOS or an association that goes while jobs wait, limits of a QOS, and a federation."""
import time

from . import jobs, slurm
from .case import LiveTest
from .errors import ClusterError
from .options import Options
from .waiting import wait_for

SECONDS = 110
ACCOUNT, QOS, USER = "physics", "fast", "games"  # Slurm 25.11 and later know no user "nobody"


class LimitsTest(LiveTest):
    def wait_reason(self, job, *parts):
        """Waits until squeue or dfrsctl give a reason with one of the words for a job that still waits."""
        def given():
            self.assertEqual(jobs.state(self.cluster, job), "PENDING")
            told = f"{jobs.show(self.cluster, job).get('Reason')} {self.dfrs_jobs().get(job)}"
            last[:] = [told]
            return any(part in told for part in parts)
        last = []
        try:
            wait_for("the reason", given, 30)
        except ClusterError:
            self.fail(f"job {job} should wait for one of {parts}; it says: {last}")


class Enforced(LimitsTest):
    """Slurm's own pass over the queue, which makes such checks now and then, too, is off."""
    options = Options(nodes=1, cpus=4, memory=1000, cores=0.4, algorithm="GreedyP*/OPT=MIN", accounting=True,
                      settings={"PauseBy": "none"},  # or what fills the node is paused for what should wait
                      slurm={"AccountingStorageEnforce": "associations,limits,qos",
                             "SchedulerParameters": "sched_interval=-1"})

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sacctmgr("add", "account", ACCOUNT)
        cls.sacctmgr("add", "qos", QOS)
        cls.sacctmgr("add", "user", USER, f"account={ACCOUNT}")
        cls.sacctmgr("modify", "user", "root", "set", f"qos+={QOS}")

    def setUp(self):
        super().setUp()
        self.sacctmgr("modify", "user", USER, "set", f"qos+={QOS}")
        self.limit_jobs(QOS, None)
        wait_for("slurmctld to know the user", lambda: self.known("users"), 20)
        self.wait_qos(True)

    # slurmctld answers before it has changed what it knows, so the end of sacctmgr says nothing.

    def known(self, what):
        """Whether slurmctld's lists of users or associations have the user."""
        shown = self.cluster.command("scontrol", "show", "assoc_mgr", f"users={USER}", f"flags={what}").stdout
        return f"UserName={USER}" in shown

    def limit_jobs(self, qos, number):
        """A limit of running jobs, or None; returns when slurmctld has it."""
        self.sacctmgr("modify", "qos", qos, "set", f"GrpJobs={-1 if number is None else number}")
        told = f"GrpJobs={'N' if number is None else number}("
        wait_for(f"slurmctld to know the limit of {qos}", lambda: told in self.cluster.command(
            "scontrol", "show", "assoc_mgr", f"qos={qos}", "flags=qos").stdout, 20)

    def wait_qos(self, allowed):
        """Until slurmctld takes, or refuses, a job of the user under the QOS."""
        def agreed():
            answer = self.cluster.command("sbatch", "--test-only", f"--qos={QOS}", f"--account={ACCOUNT}", "--wrap=true",
                                          user=USER, cwd="/", check=False)
            return ("Invalid qos" not in answer.stderr) == allowed
        wait_for(f"slurmctld to {'take' if allowed else 'refuse'} jobs under the QOS", agreed, 20)

    def fill_node(self):
        """A job with all memory, which runs until its file is there."""
        job = self.sbatch(script=f"while [ ! -e {self.folder}/over ]; do sleep 0.05; done", memory=1000)
        self.wait_state(job, "RUNNING")
        return job

    def end(self, job):
        (self.folder / "over").touch()
        self.assert_completed(self.wait_ended([job]))

    def test_job_whose_qos_was_taken_away_waits_until_it_is_given_back(self):
        first = self.fill_node()
        job = self.sbatch(f"--qos={QOS}", f"--account={ACCOUNT}", script="exit 0", memory=500, user=USER)
        self.sacctmgr("modify", "user", USER, "set", f"qos-={QOS}")
        self.wait_qos(False)
        self.end(first)
        self.wait_reason(job, "QOS")
        other = self.sbatch(f"--account={ACCOUNT}", script="exit 0", memory=500, user=USER)
        self.assert_completed(self.wait_ended([other]))
        self.assertEqual(jobs.state(self.cluster, job), "PENDING")
        self.sacctmgr("modify", "user", USER, "set", f"qos+={QOS}")
        self.assert_completed(self.wait_ended([job], 90))

    def test_job_whose_association_was_removed_waits_until_it_is_back(self):
        first = self.fill_node()
        job = self.sbatch(f"--account={ACCOUNT}", script="exit 0", memory=500, user=USER)
        self.wait_state(job, "PENDING")
        deleted = self.cluster.command("sacctmgr", "-i", "delete", "user", USER, f"account={ACCOUNT}", check=False)
        if "cancel job(s) before remove" in deleted.stdout + deleted.stderr:
            self.skipTest("this Slurm keeps associations that have jobs")
        self.assertEqual(deleted.returncode, 0, deleted.stdout)
        try:
            wait_for("slurmctld to forget the association", lambda: not self.known("assoc"), 20)
            self.end(first)
            other = self.sbatch(script="exit 0", memory=500)
            self.assert_completed(self.wait_ended([other]))
            self.wait_reason(job, "InvalidAccount")
        finally:
            self.sacctmgr("add", "user", USER, f"account={ACCOUNT}")
        self.assert_completed(self.wait_ended([job], 120))

    def test_limit_of_a_qos_is_kept_though_there_is_room(self):
        self.limit_jobs(QOS, 1)
        numbers = [self.sbatch(f"--qos={QOS}", f"--account={ACCOUNT}", memory=100, user=USER,
                               script=f"echo b >> {self.folder}/log; sleep 0.3; echo e >> {self.folder}/log")
                   for _ in range(3)]
        self.assert_completed(self.wait_ended(numbers, 120))
        self.assertEqual((self.folder / "log").read_text(encoding="ascii").split(), ["b", "e"] * 3)

    def test_job_that_names_two_qos_starts_under_the_one_that_has_room(self):
        if not slurm.since(24, 11):
            self.skipTest("a job has one QOS before Slurm 24.11")
        try:
            for full, free in ((QOS, "normal"), ("normal", QOS)):
                self.limit_jobs(full, 1)
                running = self.sbatch(f"--qos={full}", memory=100)
                self.wait_state(running, "RUNNING")
                job = self.sbatch(f"--qos={QOS},normal", memory=100)
                self.assertEqual(self.wait_state(job, "RUNNING", 20)["QOS"], free)
                self.cluster.command("scancel", running, job)
                self.wait_ended([running, job])
                self.limit_jobs(full, None)
        finally:
            self.limit_jobs("normal", None)


class Federated(LimitsTest):
    """A federation of one cluster: its jobs have numbers that name their cluster, and a lock before each start."""
    options = Options(nodes=1, cpus=4, memory=1000, cores=0.4, algorithm="GreedyP*/OPT=MIN", accounting=True)

    def test_jobs_of_a_federation_share_a_node_and_end(self):
        before = self.sbatch(script="exit 0", memory=100)
        self.assert_completed(self.wait_ended([before]))
        self.sacctmgr("add", "federation", "union", f"clusters={self.cluster.cluster_name}")
        wait_for("slurmctld to know its federation",
                 lambda: "union" in self.cluster.command("scontrol", "show", "federation").stdout, 20)
        time.sleep(1)
        numbers = [self.sbatch_burn(0.3, memory=300) for _ in range(3)]
        self.assertTrue(all(job >= 1 << 26 for job in numbers), numbers)
        ended = self.wait_ended(numbers, 120)
        self.assert_completed(ended)
        for job in numbers:
            self.assert_done(job, 0.3)
        self.assert_nodes_free()
