# SPDX-License-Identifier: GPL-2.0-or-later
"""A live run is recorded, and the simulator's program makes the same decisions of it again."""
import os
import re

from .burst import Burst
from .case import LiveTest
from .options import Options
from .waiting import wait_for

SECONDS = 30
JOBS = 30


class Recording(LiveTest):
    options = Options(nodes=8, cpus=4, memory=1000, cores=0.25, algorithm="GreedyPM*/per/OPT=MIN/MINVT=3",
                      settings={"Period": "3", "MinProgress": "0.3"})

    def setUp(self):
        super().setUp()
        self.addCleanup(self.cluster.command, "dfrsctl", "record", "off", check=False)

    def record(self, name):
        """A path that SlurmUser may write to."""
        return self.folder / name

    def replay(self, path, *options):
        return self.cluster.command("dfrs-sim", "replay", path, *options, check=False)

    def assert_exact(self, path):
        result = self.replay(path)
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        steps = re.search(r"(\d+) steps", result.stdout)
        self.assertTrue(steps, result.stdout)
        return int(steps.group(1))

    def test_record_of_a_load_replays_exactly(self):
        path = self.record("run.jsonl.gz")
        burst = Burst(self, JOBS, 401)
        burst.wait_middle()
        self.cluster.command("dfrsctl", "record", "on", path)  # in mid-run
        burst.wait_ended()
        self.cluster.command("dfrsctl", "record", "off")
        self.assertGreater(self.assert_exact(path), 10)
        burst.check()
        # The same record under other algorithms: they decide otherwise, and say so; that is no error.
        for algorithm in ("EASY", "GreedyP*/OPT=MIN"):
            other = self.replay(path, "--algorithm", algorithm)
            self.assertIn(other.returncode, (0, 1), f"{other.stdout}\n{other.stderr}")
            self.assertIn(algorithm, other.stdout)
            self.assertRegex(other.stdout, r"(?i)differ")

    def test_record_from_the_start_goes_on_in_a_new_file_after_a_restart(self):
        path = self.record("start.jsonl")
        conf = self.cluster.folder / "etc/dfrs.conf"
        good = conf.read_text(encoding="utf-8")
        conf.write_text(f"{good}RecordFile={path}\n", encoding="utf-8")
        self.addCleanup(self.restart)
        self.addCleanup(conf.write_text, good, encoding="utf-8")
        self.restart()
        burst = Burst(self, JOBS, 402, steps="narrow")
        burst.wait_middle()
        self.restart()
        burst.wait_ended()
        self.cluster.command("dfrsctl", "record", "off")
        second = self.record("start.1.jsonl")
        wait_for("the record after the restart", second.exists, 5)
        self.assertGreater(self.assert_exact(path), 10)
        self.assertGreater(self.assert_exact(second), 10)
        burst.check()

    def restart(self):
        self.cluster.stop("slurmctld")
        self.cluster.start_slurmctld()

    def test_record_that_was_cut_off_replays_as_far_as_it_goes(self):
        """slurmctld was killed while it recorded."""
        path = self.record("killed.jsonl")
        self.cluster.command("dfrsctl", "record", "on", path)
        ended = [self.sbatch_burn(0.02, memory=100) for _ in range(6)]
        self.assert_completed(self.wait_ended(ended))
        wait_for("steps to be on the disk", lambda: path.exists() and path.stat().st_size > 2000, 20)
        self.cluster.stop("slurmctld", 9)
        self.cluster.start_slurmctld()
        result = self.replay(path)
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        os.truncate(path, path.stat().st_size - 40)
        result = self.replay(path)
        self.assertIn(result.returncode, (0, 1), f"{result.stdout}\n{result.stderr}")
        self.assertRegex(result.stdout + result.stderr, r"(?i)cut off|incomplete|truncated|ends")

    def test_users_may_not_switch_recording(self):
        path = self.record("users.jsonl")
        result = self.cluster.command("dfrsctl", "record", "on", path, user="nobody", check=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertFalse(path.exists())
