# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings of slurm.conf with which DFRS cannot work: slurmctld does not start, and says why in one sentence. With those
that only do harm it starts, and warns."""
import tempfile
import unittest
from pathlib import Path

from .cluster import Cluster
from .errors import ClusterError
from .options import Options

SECONDS = 40


class Settings(unittest.TestCase):
    def refused(self, sentence, **slurm):
        with tempfile.TemporaryDirectory(prefix="dfrs-settings-") as folder:
            Path(folder).chmod(0o755)
            cluster = Cluster(folder, Options(nodes=1, cpus=2, memory=500, slurm=slurm))
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

    def test_preemption_that_only_does_harm(self):
        log = self.started(PreemptMode="REQUEUE", PreemptType="preempt/partition_prio")
        self.assertRegex(log, "warning: PreemptMode lets Slurm requeue or cancel jobs")

    def test_pinning(self):
        self.assertRegex(self.started(TaskPlugin="task/affinity"), "warning: TaskPlugin has task/affinity")

    def test_affinity_that_does_not_pin_and_no_preemption(self):
        self.assertNotIn("warning:", self.started(TaskPlugin="task/affinity", TaskPluginParam="none"))
