# SPDX-License-Identifier: GPL-2.0-or-later
"""A cluster with AuthType=auth/slurm and no munged: controller, agents and dfrsctl use Slurm's own credentials."""
import unittest
import urllib.request

from . import processes, slurm
from .case import LiveTest
from .options import Options
from .waiting import wait_for

ALONE = True  # the sockets of auth/slurm have fixed places


def missing():
    """Why this Slurm has no auth/slurm; nothing if it has."""
    if not slurm.find_program("slurmctld") or not slurm.since(23, 11):
        return "auth/slurm came with Slurm 23.11"
    if not (slurm.plugin_folder() / "auth_slurm.so").exists():
        return "this Slurm was built without auth/slurm (libjwt-dev)"
    return ""


@unittest.skipIf(missing(), missing())
class SlurmsOwn(LiveTest):
    options = Options(nodes=2, cpus=4, cores=0.4, auth="slurm", algorithm="Greedy*/OPT=MIN",
                      settings={"ControlAddress": "127.0.0.1", "ControlRepacks": "2"})

    def ctl(self, *words, user=None, check=True):
        return self.cluster.command("dfrsctl", *words, user=user, check=check)

    def metrics(self, port):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            return answer.read().decode()

    def test_jobs_share_quotas_arrive_and_dfrsctl_answers(self):
        munged = [process.pid for process in processes.marked(self.cluster.folder)
                  if "munged" in " ".join(processes.command_line(process.pid))]
        self.assertEqual(munged, [])
        pair = [self.sbatch_burn(1000, "--nodelist=n1", memory=60) for _ in range(2)]
        for job in pair:
            self.wait_event(job)

        def settled():
            now = self.dfrs_jobs()
            return all(now.get(job, {}).get("yield") == 0.5 and not now[job]["quota_pending"] for job in pair)
        wait_for("both to have half of the node", settled, 20)
        self.assertTrue(self.dfrs_nodes()["n1"]["agent"]["current"])
        # What the kernel was given: half of 0.4 cores each.
        text = wait_for("quotas in the agent's metrics", lambda: [
            line for line in self.metrics(self.cluster.node_port("n1", agent=True)).splitlines()
            if line.startswith("dfrs_job_quota_cores{") and line.endswith(" 0.2")], 10)
        self.assertEqual(len(text), 2, text)
        self.assertIn('dfrs_quota_deliveries_total{result="refused"} 0\n',
                      self.metrics(self.cluster.ports["control"]))

    def test_users_may_look_but_not_record_nor_ask_all_the_time(self):
        self.assertEqual(self.ctl("status", user="nobody").returncode, 0)
        refused = self.ctl("record", "on", "/tmp/never", user="nobody", check=False)
        self.assertEqual(refused.returncode, 6, refused.stderr)
        self.ctl("repack", "--dry-run", user="nobody")
        limited = self.ctl("repack", "--dry-run", user="nobody", check=False)
        self.assertEqual(limited.returncode, 7, limited.stderr)
        self.assertIn("asks too often", limited.stderr)
        self.ctl("repack", "--dry-run")  # root is not limited

    def test_slurmctld_and_agents_start_again(self):
        for name in ("slurmctld", "dfrsd.n1"):
            self.cluster.stop(name)
        self.cluster.start_slurmctld()
        self.cluster.start_agent("n1")
        job = self.sbatch_burn(1000, "--nodelist=n1", memory=60)
        self.wait_event(job)
        wait_for("the agent to be current", lambda: self.dfrs_nodes()["n1"]["agent"]["current"], 30)
