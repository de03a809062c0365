# SPDX-License-Identifier: GPL-2.0-or-later
"""What users pay for: sshare and sreport charge a job for the CPU that its yield gave it."""
import sys
import time
from pathlib import Path

from . import jobs, slurm
from .case import LiveTest
from .options import Options
from .waiting import wait_for

SECONDS = 170
CPUS = 4
RUN = 70  # s; more than a minute, so that Slurm charges for a part while the jobs run, and for the rest at their end
USERS = ("games", "daemon")  # Slurm 25.11 and later know no user "nobody"


class FairShare(LiveTest):
    """One node, and jobs that all ask for all of its CPUs."""
    options = Options(nodes=1, cpus=CPUS, memory=1000, cores=0.4, accounting=True,
                      settings={"Weight": "qos", "PauseBy": "none"},
                      slurm={"PriorityType": "priority/multifactor", "PriorityCalcPeriod": "1",
                             "AccountingStorageEnforce": "limits"})

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sacctmgr("add", "qos", "one", "three")
        cls.sacctmgr("modify", "qos", "three", "set", "Priority=2")  # the weight is 1 + that
        cls.sacctmgr("add", "account", "people")
        for user in USERS:
            cls.sacctmgr("add", "user", user, "Account=people", "QOS=normal,one,three")
        cls.restart_slurmctld()

    def setUp(self):
        super().setUp()
        # Hours are summed up one by one, and the report of each goes out before its end: none may end during a test.
        left = 3600 - time.time() % 3600
        if left < RUN + 60:
            time.sleep(left + 1)

    def shares(self, column):
        """What sshare says of each user."""
        lines = self.cluster.command("sshare", "-a", "-h", "-P", "-o", f"User,{column}").stdout.splitlines()
        return {user: value for user, _, value in (line.strip().partition("|") for line in lines) if user}

    def raw_usage(self, user):
        return float(self.shares("RawUsage")[user])

    def cpu_minutes(self, user):
        """Of the sums that GrpTRESMins limits."""
        fields = dict(part.split("=") for part in self.shares("TRESRunMins,GrpTRESRaw")[user].split("|")[1].split(","))
        return float(fields["cpu"])

    def reported(self, start, what="cpu"):
        """CPU seconds of each user by sreport, in the hours since `start`."""
        begin, end = int(start) // 3600 * 3600, (int(time.time()) // 3600 + 1) * 3600
        self.cluster.command(sys.executable, Path(__file__).parent / "rollup.py", slurm.plugin_folder() / "libslurmfull.so",
                             self.cluster.folder / "etc/slurm.conf", begin, end)
        at = lambda when: time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(when))
        lines = self.cluster.command("sreport", "-n", "-P", "-t", "Seconds", "-T", what, "cluster",
                                     "AccountUtilizationByUser", f"Start={at(begin)}", f"End={at(end)}",
                                     "Format=Login,Used").stdout.splitlines()
        return {user: float(used) for user, _, used in (line.partition("|") for line in lines) if user}

    def time_of(self, job, what):
        """Its StartTime or EndTime, s since the epoch."""
        text = self.cluster.command("scontrol", "-o", "show", "job", job, environment={"SLURM_TIME_FORMAT": "%s"}).stdout
        return int(jobs.parse(text.splitlines()[0])[what])

    def elapsed(self, job):
        return self.time_of(job, "EndTime") - self.time_of(job, "StartTime")

    def given(self, job):
        """The job's mean yield until now."""
        return self.dfrs_jobs()[job]["run_virtual_time_s"] / (time.time() - self.time_of(job, "StartTime"))

    def accounted(self, job):
        """What slurmdbd knows: the job's state, and for how long it counts as suspended."""
        return self.cluster.command("sacct", "-X", "-n", "-P", "-j", job, "-o", "State,Suspended").stdout.strip().split("|")

    def wait_known(self, job, before="00:00:00"):
        """Until slurmdbd has heard of the job's end, and of what it was given since `before`, which it knew then."""
        def heard():
            state, suspended = self.accounted(job)
            return state.startswith("CANCELLED") and suspended != before
        wait_for(f"slurmdbd to know of the end of job {job}", heard, 20)

    def two_users_pay(self, middle, slack=0.0):
        """A job of each user, on one node; `middle` takes its time while they run. What they pay is right
        within 5 %, or `slack` CPU seconds. Returns the mean yield of each."""
        begin = time.time()
        earlier = self.reported(begin)
        before = {user: (self.raw_usage(user), self.cpu_minutes(user)) for user in USERS}
        both = {}
        # The one that gets more goes first: for a moment it is alone, and Slurm's start is up to a second before ours.
        for user, qos in reversed(list(zip(USERS, ("one", "three")))):
            both[user] = self.sbatch(f"--qos={qos}", cpus=CPUS, memory=100, user=user)
            self.wait_state(both[user], "RUNNING")
        middle()
        share = {user: self.given(job) for user, job in both.items()}
        self.assertGreater(sum(share.values()), 0.9, share)
        # What a slurmctld that has been replaced has reported already.
        known = {job: self.accounted(job)[-1] for job in both.values()}
        # Both at once: the last one does not get the whole node for a while.
        self.cluster.command("scancel", *both.values())
        self.wait_ended(both.values())
        got = {}
        for user, job in both.items():
            self.wait_known(job, known[job])
            got[user] = share[user] * self.elapsed(job) * CPUS
        reported = {user: used - earlier.get(user, 0) for user, used in self.reported(begin).items()}
        for user, cpu_seconds in got.items():
            raw, minutes = before[user]
            what = f"{user} got {cpu_seconds:.1f} CPU seconds: {reported}"
            delta = max(0.05 * cpu_seconds, slack)
            self.assertAlmostEqual(self.raw_usage(user) - raw, cpu_seconds, delta=delta, msg=what)
            self.assertAlmostEqual(reported[user], cpu_seconds, delta=delta, msg=what)
            # In whole minutes.
            self.assertAlmostEqual(self.cpu_minutes(user) - minutes, cpu_seconds / 60, delta=1, msg=what)
        # The jobs themselves are as they were: all CPUs allocated, no suspension that slurmctld knows of.
        fields = jobs.show(self.cluster, both[USERS[0]])
        self.assertEqual((fields["NumCPUs"], fields["SecsPreSuspend"]), (str(CPUS), "0"))
        return [share[user] for user in USERS]

    def test_two_users_on_one_node_at_a_quarter_and_three_quarters(self):
        one, other = self.two_users_pay(lambda: time.sleep(RUN))
        self.assertAlmostEqual(one, 0.25, delta=0.05)
        self.assertAlmostEqual(other, 0.75, delta=0.05)

    def test_the_same_over_a_restart_of_slurmctld(self):
        def restart():
            time.sleep(20)
            self.cluster.stop("slurmctld")
            time.sleep(5)
            self.cluster.start_slurmctld()
            time.sleep(20)
        # Reports are whole seconds of all CPUs, and a restart makes two of them. The policy weighs afresh, so that the
        # yields are not known here.
        one, other = self.two_users_pay(restart, slack=2 * CPUS)
        self.assertLess(one, 0.8 * other)

    def test_a_suspended_job_costs_nothing(self):
        user, begin = USERS[0], time.time()
        raw, earlier = self.raw_usage(user), self.reported(begin).get(user, 0)
        job = self.sbatch(cpus=CPUS, memory=100, user=user)
        self.wait_state(job, "RUNNING")
        time.sleep(10)
        before = time.time()
        self.cluster.command("scontrol", "suspend", job)
        self.wait_state(job, "SUSPENDED")
        since = time.time()
        time.sleep(15)
        until = time.time()
        self.cluster.command("scontrol", "resume", job)
        self.wait_state(job, "RUNNING")
        after = time.time()
        time.sleep(10)
        self.cluster.command("scancel", job)
        self.wait_ended([job])
        self.wait_known(job)
        # It was suspended for so long; times of suspensions are whole seconds.
        least, most = until - since, after - before
        for paid in (self.raw_usage(user) - raw, self.reported(begin)[user] - earlier):
            self.assertGreaterEqual(paid, (self.elapsed(job) - most - 2) * CPUS)
            self.assertLessEqual(paid, (self.elapsed(job) - least + 2) * CPUS)
