# SPDX-License-Identifier: GPL-2.0-or-later
"""A backup controller takes over from a primary that was killed, and gives back to it."""
import signal

from . import backup, configuration, jobs, slurm
from .case import LiveTest
from .options import Options
from .waiting import wait_for

SECONDS = 25


class Failover(LiveTest):
    options = Options(nodes=2, cpus=4, memory=1000, cores=0.25, algorithm="GreedyP*/OPT=MIN",
                      settings={"PauseBy": "suspend"}, slurm={"SlurmctldTimeout": "30"},
                      slurm_lines=[backup.SLURM_CONF_LINE])

    def assert_goes_on(self, before, numbers):
        """The controller that is in charge now knows these jobs and their progress."""
        after, = wait_for("dfrsctl to be answered", self.known_jobs, 40, interval=0.2)
        self.assertEqual(set(numbers), set(after))
        for job in numbers:
            self.assertGreaterEqual(after[job]["virtual_time_s"], 0.99 * before[job]["virtual_time_s"], (job, before, after))
        return after

    def known_jobs(self):
        result = self.cluster.command("dfrsctl", "status", "--json", check=False)
        return (self.dfrs_jobs(),) if result.returncode == 0 else None

    def test_backup_takes_over_and_gives_back(self):
        cluster, node = self.cluster, self.cluster.nodes[0]
        why = backup.impossible()
        if why:
            self.skipTest(why)
        self.addCleanup(cluster.stop, "backup")
        other = backup.Backup(cluster)
        other.start()
        # Since 23.11 a backup needs 30 s to give back (CONTROL_TIMEOUT): the jobs are to see the end of that.
        work = 12.0 if slurm.since(23, 11) else 3.0
        one, two = (self.sbatch_burn(work, f"--nodelist={node}", memory=100) for _ in range(2))
        for job in (one, two):
            self.wait_event(job)
        wait_for("both to have got on", lambda: all(job["virtual_time_s"] > 1 for job in self.dfrs_jobs().values()), 20)
        before = self.dfrs_jobs()
        cluster.stop("slurmctld", signal.SIGKILL)
        conf = cluster.folder / "etc/dfrs.conf"  # which somebody is editing just now
        good = conf.read_text(encoding="utf-8")
        conf.write_text(good + "Perod=5\n", encoding="utf-8")
        cluster.command("scontrol", "takeover", check=False)
        now = self.assert_goes_on(before, [one, two])
        self.assertIn("Perod", other.log())
        conf.write_text(good, encoding="utf-8")
        self.assertNotIn(configuration.host_name(), cluster.command("scontrol", "ping").stdout.splitlines()[1])
        late = self.sbatch_burn(0.05, memory=100)
        self.assert_completed(self.wait_ended([late]))
        cluster.start_slurmctld()  # the primary takes over by itself
        other.wait_standby(2)
        left = [job for job in (one, two) if jobs.state(cluster, job) == "RUNNING"]
        self.assert_goes_on(now, left)
        self.assertNotEqual(left, [])
        ended = self.wait_ended([one, two], 200)
        self.assert_completed(ended)
        for job in (one, two):
            self.assert_done(job, work)
            self.assertEqual(len(self.results(job, "start")), 1)
            self.assertEqual(ended[job]["Restarts"], "0")
