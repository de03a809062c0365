# SPDX-License-Identifier: GPL-2.0-or-later
"""A live run is recorded, and the simulator's program makes the same decisions of it again."""
import json
import os
import re

from .burst import ARRAY, Burst
from .case import LiveTest
from .options import Options
from .waiting import wait_for

SECONDS = 30
JOBS = 30


class Recording(LiveTest):
    options = Options(nodes=8, cpus=4, memory=1000, cores=0.25, algorithm="GreedyPM*/per/OPT=MIN/MINVT=3",
                      settings={"Period": "3", "MinProgress": "0.3", "Partitions": "dfrs,steady"},
                      partition_settings=["PartitionName=steady PauseBy=none"],
                      slurm_lines=["PartitionName=steady Nodes=ALL MaxTime=INFINITE State=UP OverSubscribe=FORCE:1"],
                      slurm={"MessageTimeout": "10"})

    def setUp(self):
        super().setUp()
        self.addCleanup(self.cluster.command, "dfrsctl", "record", "off", check=False)

    def record(self, name):
        """A path that SlurmUser may write to."""
        return self.folder / name

    def replay(self, path, *options):
        return self.cluster.command("dfrs-sim", "replay", path, "--json", *options, check=False)

    def assert_exact(self, path, steps=10):
        """The record's summary."""
        result = self.replay(path)
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        self.assertTrue(json.loads(result.stdout)["exact"])
        os.truncate(path, path.stat().st_size - 5)
        result = self.replay(path)
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        self.assertTrue(json.loads(result.stdout)["cut_off"])
        self.assertIn("ends within a line", result.stderr)

    def test_users_may_not_switch_recording(self):
        path = self.record("users.jsonl")
        result = self.cluster.command("dfrsctl", "record", "on", path, user="nobody", check=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertFalse(path.exists())
