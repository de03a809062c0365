# SPDX-License-Identifier: GPL-2.0-or-later
"""A live run is recorded, and the simulator's program makes the same decisions of it again."""
import gzip
import json
import os
import signal
import time

from .burst import ARRAY, Burst
from .case import LiveTest
from .options import Options
from .timeline import runs_of
from .waiting import wait_for

SECONDS = 110
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
        summary = json.loads(result.stdout)
        self.assertTrue(summary["exact"], summary)
        self.assertGreater(summary["steps"], steps, summary)
        self.assertEqual((summary["errors"], summary["cut_off"]), (0, False), summary)
        self.assertEqual(summary["algorithms"], [self.cluster.options.algorithm], summary)
        return summary

    def test_record_of_a_load_replays_exactly(self):
        path = self.record("run.jsonl.gz")
        self.cluster.command("dfrsctl", "record", "on", path)
        burst = Burst(self, JOBS, 401)
        burst.wait_ended(180)
        self.cluster.command("dfrsctl", "record", "off")
        summary = self.assert_exact(path)
        self.assertGreaterEqual(summary["starts"], len(burst.kinds) + ARRAY)
        burst.check()
        self.check_page(path, set(burst.kinds))
        # Other algorithms on the jobs of the record, beside what was measured.
        result = self.replay(path, "--algorithm", "EASY,GreedyP*/OPT=MIN")
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        rows = {(row["source"], row["algorithm"]): row for row in json.loads(result.stdout)["rows"]}
        own = self.cluster.options.algorithm
        self.assertEqual(set(rows), {("measured", own), ("simulated", own), ("simulated", "EASY"),
                                     ("simulated", "GreedyP*/OPT=MIN")})
        for row in rows.values():
            self.assertGreaterEqual(row["max_stretch"], 1.0)

    def check_page(self, path, wanted):
        """The page of the recorded run shows these jobs, and none that the record does not have."""
        page = self.record("run.html")
        result = self.replay(path, "--report", page)
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        runs = runs_of(page.read_text(encoding="utf-8"))
        self.assertEqual([run.header["algorithm"] for run in runs], [self.cluster.options.algorithm])
        shown = set(runs[0].columns["job.id"])
        self.assertLessEqual(wanted, shown)
        with gzip.open(path, "rt", encoding="utf-8") as record:
            recorded = {job["id"] for line in record for job in json.loads(line).get("jobs", []) if "id" in job}
        self.assertLessEqual(shown, recorded)

    def test_a_paused_job_is_told_why_in_the_words_of_the_replay(self):
        """Jobs fill the memory of all nodes; a later one takes the room of one of them."""
        path = self.record("why.jsonl")
        self.cluster.command("dfrsctl", "record", "on", path)
        # They run for 40 s, which must be longer than a slow host takes to start all of them, with a disk that stalls.
        first = [self.sbatch_burn(10, memory=900, checkpoint=True) for _ in range(8)]
        for number in first:
            self.wait_event(number)
        time.sleep(2)  # more than MinProgress
        late = self.sbatch_burn(0.1, memory=900)
        self.assert_completed(self.wait_ended([late]))
        victim = next((number for number in first if "is paused" in self.explain(number)), None)
        self.assertIsNotNone(victim, "nobody was told to be paused")
        told = [event for event in json.loads(self.explain(victim, "--json"))["events"] if event["event"] == "paused"]
        # By the submission, or by a tick that came with it.
        self.assertIn(told[0]["reason"], ("gave_way", "left_out"), told)
        if told[0]["reason"] == "gave_way":
            self.assertIn(f"Job {victim} is paused: job {late} takes its room", told[0]["text"])
        self.assert_completed(self.wait_ended(first, 120))
        self.cluster.command("dfrsctl", "record", "off")
        result = self.replay(path, "--explain", victim)
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        again = [event for event in json.loads(result.stdout)["explanation"]["events"] if event["event"] == "paused"]
        self.assertEqual([event["text"] for event in again][:len(told)], [event["text"] for event in told])

    def explain(self, number, *options):
        return self.cluster.command("dfrsctl", "explain", number, *options, check=False).stdout

    def test_record_that_begins_in_mid_run_replays_exactly(self):
        path = self.record("later.jsonl")
        burst = Burst(self, JOBS, 403, waves=3)  # so that a wave is still to come, however slowly the record begins
        burst.wait_middle()
        self.cluster.command("dfrsctl", "record", "on", path)
        burst.check()
        self.cluster.command("dfrsctl", "record", "off")
        self.assert_exact(path, steps=4)

    def test_record_from_the_start_goes_on_in_a_new_file_after_a_restart(self):
        path = self.record("start.jsonl")
        conf = self.cluster.folder / "etc/dfrs.conf"
        good = conf.read_text(encoding="utf-8")
        conf.write_text(f"{good}RecordFile={path}\n", encoding="utf-8")
        self.addCleanup(self.restart)
        self.addCleanup(conf.write_text, good, encoding="utf-8")
        self.restart()
        burst = Burst(self, JOBS, 402, steps="old")
        burst.wait_middle()
        self.restart()
        burst.wait_ended()
        for _ in range(3):  # on a slow host the burst may have ended before the restart
            self.assert_completed(self.wait_ended([self.sbatch_burn(0.02, memory=100)]))
        self.cluster.command("dfrsctl", "record", "off")
        second = self.record("start.1.jsonl")
        wait_for("the record after the restart", second.exists, 5)
        # A slow host decides for many jobs at once.
        self.assert_exact(path, steps=4)
        self.assert_exact(second, steps=4)
        burst.check()

    def restart(self):
        self.cluster.stop("slurmctld")
        self.cluster.start_slurmctld()

    def test_record_that_was_cut_off_replays_as_far_as_it_goes(self):
        """slurmctld was killed while it recorded, in the middle of a line."""
        path = self.record("killed.jsonl")
        self.cluster.command("dfrsctl", "record", "on", path)
        numbers = [self.sbatch_burn(0.02, memory=100) for _ in range(6)]
        self.assert_completed(self.wait_ended(numbers))
        wait_for("steps to be on the disk", lambda: path.exists() and path.stat().st_size > 2000, 20)
        self.cluster.stop("slurmctld", signal.SIGKILL)
        self.cluster.start_slurmctld()
        self.assertEqual(self.replay(path).returncode, 0)
        os.truncate(path, path.stat().st_size - 5)
        result = self.replay(path)
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        summary = json.loads(result.stdout)
        self.assertTrue(summary["exact"] and summary["cut_off"], summary)
        self.assertIn("ends within a line", result.stderr)

    def test_users_may_not_switch_recording(self):
        path = self.record("users.jsonl")
        result = self.cluster.command("dfrsctl", "record", "on", path, user="nobody", check=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertFalse(path.exists())
