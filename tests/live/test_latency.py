# SPDX-License-Identifier: GPL-2.0-or-later
"""How long a user waits for an idle cluster."""
import statistics
import time

from .case import LiveTest
from .options import Options

ALONE = True  # measures times

# A start that waited for a periodic pass takes seconds. How fast it is beyond that is for `make bench-slurmctld`.
SOON = 1.0  # seconds


class Latency(LiveTest):
    options = Options(nodes=4, cpus=4, memory=1000, cores=2.0, settings={"PauseBy": "none"})

    def test_a_job_on_an_idle_cluster_starts_without_waiting_for_a_pass(self):
        script = f"date +%s.%N >> {self.folder}/$SLURM_JOB_ID"
        waits = []
        for number in range(20):
            before = time.time()
            job = self.sbatch(script=script, cpus=1 + number % 4, memory=100)
            self.assert_completed(self.wait_ended([job], 20))
            waits.append(float((self.folder / str(job)).read_text(encoding="ascii")) - before)
        print("milliseconds from sbatch to script: " + " ".join(f"{1000 * wait:.0f}" for wait in sorted(waits)))
        self.assertLess(statistics.median(waits), SOON)

    def test_srun_starts_promptly_when_idle(self):
        waits = []
        for _ in range(10):
            before = time.time()
            result = self.cluster.command("srun", "--ntasks=2", "--cpus-per-task=1", "date", "+%s.%N", cwd="/")
            waits.append(max(float(line) for line in result.stdout.split()) - before)
        print("milliseconds from srun to task: " + " ".join(f"{1000 * wait:.0f}" for wait in sorted(waits)))
        self.assertLess(statistics.median(waits), SOON)

    def test_waiting_job_starts_soon_after_its_room_is_free(self):
        """A job that fills its node's memory ends; the next one starts when its node is free again."""
        node, gaps = self.cluster.nodes[0], []
        numbers = [self.sbatch_burn(0.1, f"--nodelist={node}", "--no-requeue", memory=1000) for _ in range(6)]
        self.assert_completed(self.wait_ended(numbers))
        runs = sorted((self.results(job, "start")[0]["now"], self.results(job, "end")[0]["now"]) for job in numbers)
        gaps = [later[0] - earlier[1] for earlier, later in zip(runs, runs[1:])]
        print("milliseconds from end to start: " + " ".join(f"{1000 * gap:.0f}" for gap in sorted(gaps)))
        self.assertLess(statistics.median(gaps), SOON)
