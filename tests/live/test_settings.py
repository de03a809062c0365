# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings of slurm.conf with which DFRS cannot work: slurmctld does not start, and says why in one sentence. With those
that only do harm it starts, and warns."""
import tempfile
import unittest
from pathlib import Path

from .cluster import Cluster
from .errors import ClusterError
from .options import Options
from .waiting import wait_for

SECONDS = 55
BARE = "PartitionName=bare Nodes=ALL MaxTime=INFINITE SelectTypeParameters=CR_Core"


class Settings(unittest.TestCase):
    def refused(self, sentence, more=None, **slurm):
        with tempfile.TemporaryDirectory(prefix="dfrs-settings-") as folder:
            Path(folder).chmod(0o755)
            cluster = Cluster(folder, Options(nodes=1, cpus=2, memory=500, slurm=slurm, **(more or {})))
            try:
                with self.assertRaises(ClusterError):
                    cluster.up()
                self.assertRegex(cluster.log("slurmctld").read_text(encoding="utf-8"), sentence)
            finally:
                cluster.down()

    def started(self, **slurm):
        """slurmctld's log."""
        with tempfile.TemporaryDirectory(prefix="dfrs-settings-") as folder:
            Path(folder).chmod(0o755)
            cluster = Cluster(folder, Options(nodes=1, cpus=2, memory=500, slurm=slurm))
            try:
                cluster.up()
                return cluster.log("slurmctld").read_text(encoding="utf-8")
            finally:
                cluster.down()

    def test_gang(self):
        self.refused("PreemptMode has GANG", PreemptMode="SUSPEND,GANG", PreemptType="preempt/partition_prio")

    def test_preemption_by_qos(self):
        self.refused("PreemptType=preempt/qos takes a row", PreemptMode="REQUEUE", PreemptType="preempt/qos")

    def test_memory_is_not_counted(self):
        self.refused("SelectTypeParameters does not count memory", SelectTypeParameters="CR_Core")

    def test_memory_is_not_counted_in_a_managed_partition(self):
        self.refused("SelectTypeParameters of partition bare do not count memory",
                     {"settings": {"Partitions": "dfrs,bare"}, "slurm_lines": [BARE]})

    def test_partition_that_does_not_count_memory_and_then_is_managed(self):
        with tempfile.TemporaryDirectory(prefix="dfrs-settings-") as folder:
            Path(folder).chmod(0o755)
            cluster = Cluster(folder, Options(nodes=1, cpus=2, memory=500, slurm_lines=[BARE]))
            log = cluster.log("slurmctld")
            try:
                cluster.up()
                self.assertNotIn("do not count memory", log.read_text(encoding="utf-8"))
                cluster.options.settings = {"Partitions": "dfrs,bare"}
                cluster.write_configuration()
                cluster.command("scontrol", "reconfigure")
                for words in ("partition bare do not count memory", "continuing, but jobs are at risk"):
                    wait_for(f"slurmctld to say '{words}'",
                             lambda words=words: words in log.read_text(encoding="utf-8"), 10)
                self.assertEqual(cluster.command("dfrsctl", "status").returncode, 0)
            finally:
                cluster.down()

    def test_preemption_that_only_does_harm(self):
        log = self.started(PreemptMode="REQUEUE", PreemptType="preempt/partition_prio")
        self.assertRegex(log, "warning: PreemptMode lets Slurm requeue or cancel jobs")

    def test_pinning(self):
        self.assertRegex(self.started(TaskPlugin="task/affinity"), "warning: TaskPlugin has task/affinity")

    def test_affinity_that_does_not_pin_and_no_preemption(self):
        self.assertNotIn("warning:", self.started(TaskPlugin="task/affinity", TaskPluginParam="none"))
