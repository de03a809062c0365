# SPDX-License-Identifier: GPL-2.0-or-later
"""Weight= of dfrs.conf: Slurm's QOS, priorities and fair-share as weights of jobs that share a node."""
from . import jobs
from .case import LiveTest
from .options import Options
from .waiting import wait_for

SECONDS = 30
FOLLOWED = 5  # seconds until a change is seen: snapshots are a second apart
USERS = ("games", "daemon")  # Slurm 25.11 and later know no user "nobody"


class Weights(LiveTest):
    """Two jobs that both ask for the whole node's CPUs. They sleep: what counts is what they are given."""
    options = Options(nodes=1, cpus=4, memory=1000, cores=0.4, accounting=True,
                      settings={"Weight": "none", "PauseBy": "none"},
                      slurm={"PriorityType": "priority/multifactor", "PriorityCalcPeriod": "1"})

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sacctmgr("add", "qos", "low", "high")
        cls.sacctmgr("modify", "qos", "high", "set", "Priority=1")
        cls.sacctmgr("add", "account", "people")
        cls.sacctmgr("add", "user", USERS[0], "Account=people", "Fairshare=1")
        # Nobody has used anything; who has a share of nothing comes last all the same.
        cls.sacctmgr("add", "user", USERS[1], "Account=people", "Fairshare=0")
        # Fair-share factors are worked out when slurmctld starts, and then every minute.
        cls.restart_slurmctld()

    def use(self, rule):
        self.cluster.options.settings["Weight"] = rule
        self.cluster.write_configuration()
        self.cluster.command("scontrol", "reconfigure")

    def two(self, one, other):
        """Two running jobs, submitted with these options."""
        both = [self.sbatch(*options, cpus=4, memory=100, user=user) for options, user in (one, other)]
        for job in both:
            self.wait_state(job, "RUNNING")
        return both

    def wait_weights(self, *wanted):
        """Until these jobs, in this order, have these weights and no other ones; their yields then."""
        def have():
            seen = self.dfrs_jobs()
            return all(job in seen and abs(seen[job]["weight"] - weight) < 1e-6 for job, weight in wanted)
        try:
            wait_for("weights", have, FOLLOWED)
        except Exception:
            seen = self.dfrs_jobs()
            self.assertEqual([(job, seen.get(job, {}).get("weight")) for job, _ in wanted], list(wanted))
        seen = self.dfrs_jobs()
        return [seen[job]["yield"] for job, _ in wanted]

    def wait_yields(self, what, condition):
        """Until the yields of two jobs are as they should be; yields follow weights within a step."""
        what, *both = what
        seen = {}

        def reached():
            seen.clear()
            seen.update(self.dfrs_jobs())
            return condition(*(seen[job]["yield"] for job in both))
        try:
            wait_for(what, reached, FOLLOWED)
        except Exception:
            self.fail(f"{what}: {[seen[job] for job in both]}")

    def test_the_qos_of_more_priority_gets_more_and_changes_are_followed(self):
        self.use("qos")
        low, high = self.two((["--qos=low"], None), (["--qos=high"], None))
        self.wait_weights((low, 0.67), (high, 1.3))  # 1 and 2, mean 1.5, two digits
        self.wait_yields(("the one of weight 2 to get more", low, high), lambda a, b: b > 1.2 * a and a + b > 0.99)
        explained = self.cluster.command("dfrsctl", "explain", high).stdout
        self.assertIn(f"The weight of job {high} is 1.3, from a QOS of priority 1.", explained)
        # The administrator thinks again: from now on the other one counts more.
        self.sacctmgr("modify", "qos", "low", "set", "Priority=3")
        self.addCleanup(self.sacctmgr, "modify", "qos", "low", "set", "Priority=0")
        self.wait_weights((low, 1.3), (high, 0.67))  # 4 and 2, mean 3
        self.wait_yields(("the other one to get more", low, high), lambda a, b: a > 1.2 * b and a + b > 0.99)

    def test_equal_ones_share_equally_whatever_they_are(self):
        self.use("none")
        for rule, option in (("none", "--qos=low"), ("qos", "--qos=high"), ("priority", "--priority=777")):
            both = self.two(([option], None), ([option], None))
            self.use(rule)
            self.wait_weights(*((job, 1) for job in both))
            self.wait_yields((f"Weight={rule}: equal yields", *both), lambda a, b: abs(a - b) < 0.05 and a + b > 0.99)
            self.end_all_jobs()

    def test_a_changed_priority_is_followed_also_of_a_running_job(self):
        self.use("priority")
        one, other = self.two((["--priority=1000"], None), (["--priority=3000"], None))
        self.wait_weights((one, 0.5), (other, 1.5))
        self.wait_yields(("the one of more priority to get more", one, other), lambda a, b: b > 1.2 * a)
        self.cluster.command("scontrol", "update", f"jobid={one}", "priority=9000")
        self.wait_weights((one, 1.5), (other, 0.5))  # mean 6000
        self.wait_yields(("the other one to get more", one, other), lambda a, b: a > 1.2 * b)

    def test_two_users_by_their_fair_share(self):
        self.use("fairshare")
        factors = {}
        for line in self.cluster.command("sshare", "-a", "-h", "-P", "-o", "User,FairShare").stdout.splitlines():
            user, _, factor = line.strip().partition("|")
            if user:
                factors[user] = float(factor)
        first, second = (factors[user] for user in USERS)
        self.assertGreater(first, second)
        a, b = self.two(([], USERS[0]), ([], USERS[1]))
        mean = (max(first, 0.01) + max(second, 0.01)) / 2

        def weights():
            seen = self.dfrs_jobs()
            return abs(seen[a]["weight"] - first / mean) < 0.06 and abs(seen[b]["weight"] - second / mean) < 0.06
        wait_for(f"weights in proportion to {first} and {second}", weights, FOLLOWED)
        self.wait_yields(("the user of more fair-share to get more", a, b), lambda x, y: x > 1.2 * y)
        self.assertIn("fair-share", self.cluster.command("dfrsctl", "explain", a).stdout)
        self.assertEqual([jobs.show(self.cluster, job)["Account"] for job in (a, b)], ["people"] * 2)
