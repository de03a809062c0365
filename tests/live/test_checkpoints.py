# SPDX-License-Identifier: GPL-2.0-or-later
"""A job that knows nothing of checkpoints is paused by one, and goes on where it was (PauseBy=checkpoint, dfrs-run)."""
import os
import re
import subprocess
import tempfile
import unittest

from . import jobs
from .options import Options
from .test_pausing import PausingTest
from .waiting import wait_for

FOLDER = os.path.join(tempfile.gettempdir(), f"dfrs-live-images-{os.getpid()}")
CRIU = os.environ.get("DFRS_CRIU", "criu")

# Writes a number every tenth of a second: 0 to 249, each once, unless work is lost or done twice.
COUNTER = """import os, sys, time
total = 0
for number in range(250):
    with open(sys.argv[1], "a") as out:
        print(number, file=out)
    total += sum(range(20000))
    time.sleep(0.1)
print("counted to the end in process", os.getpid(), total)
"""


def missing():
    """Why there can be no checkpoints here; nothing if there can."""
    try:
        version = subprocess.run([CRIU, "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout
    except OSError:
        version = ""
    found = re.search(r"Version: (\d+)", version)
    if not found or int(found.group(1)) < 4:
        return "needs criu 4.0 or newer in PATH, or in DFRS_CRIU"
    return ""


@unittest.skipIf(missing(), missing())
class Checkpointing(PausingTest):
    options = Options(nodes=2, cpus=4, memory=1000, cores=0.4, algorithm="GreedyP*/OPT=MIN", checkpoints=FOLDER,
                      settings={"PauseBy": "checkpoint", "CheckpointFolder": FOLDER, "MinProgress": "0",
                                "CommentInterval": "1"},
                      slurm={"JobFileAppend": "1"})

    def sbatch_counter(self, *options, **keywords):
        program = self.folder / "counter.py"
        program.write_text(COUNTER, encoding="utf-8")
        run = self.cluster.program("dfrs-run")
        script = (f"exec {run} --run-dir {self.cluster.folder}/run/$SLURMD_NODENAME /usr/bin/python3 {program} "
                  f"{self.folder}/$SLURM_JOB_ID.numbers")
        return self.sbatch("--comment=dfrs:criu", f"--output={self.folder}/%j.out", *options, script=script, **keywords)

    def numbers(self, job):
        path = self.folder / f"{job}.numbers"
        return [int(word) for word in path.read_text(encoding="utf-8").split()] if path.exists() else []

    def under_dfrs_run(self, command):
        return f"exec {self.cluster.program('dfrs-run')} --run-dir {self.cluster.folder}/run/%n {command}"

    def test_memory_is_kept_and_work_is_done_once(self):
        work = 6.0
        burn = f"{jobs.burn()} --work {work} --memory 200 --result {self.folder}/$SLURM_JOB_ID.json"
        first = [self.sbatch("--comment=dfrs:criu", f"--nodelist={node}", script=self.under_dfrs_run(burn), memory=900)
                 for node in self.cluster.nodes]
        for job in first:
            self.wait_event(job)
        self.wait_progress(first)
        wait_for("the dry checks", lambda: all(self.of_dfrs(job)["checkpoint"]["possible"] for job in first), 20)
        new = self.sbatch_burn(0.5, memory=900)
        ended = self.wait_ended(first + [new], 180)
        self.assert_completed(ended)
        self.assertEqual(sum(int(ended[job]["Restarts"]) for job in first), 1)
        for job in first:
            self.assertEqual(len(self.results(job, "start")), 1, self.results(job))
            self.assert_done(job, work)

    def test_what_cannot_be_dumped_stays_and_says_why(self):
        port = self.cluster.ports["slurmctld"]
        script = self.under_dfrs_run(f"/bin/bash -c 'exec 5<>/dev/tcp/127.0.0.1/{port}; while sleep 1; do :; done'")
        job = self.sbatch("--comment=dfrs:criu", script=script, memory=900)
        wait_for("dfrsctl to say why it cannot be checkpointed",
                 lambda: re.search(rf"[Jj]ob {job} cannot be checkpointed: [^.]*TCP connection",
                                   self.cluster.command("dfrsctl", "explain", job).stdout), 30)
        self.cluster.command("scancel", job)

    def test_paused_job_goes_on_where_it_was(self):
        first = [self.sbatch_counter(f"--nodelist={node}", memory=900) for node in self.cluster.nodes]
        for job in first:
            wait_for(f"job {job} to count", lambda job=job: len(self.numbers(job)) > 5, 20)
        self.wait_progress(first)
        wait_for("the dry checks", lambda: all(self.of_dfrs(job)["checkpoint"]["possible"] for job in first), 20)
        new = self.sbatch_burn(0.5, memory=900)
        paused = wait_for("one to be requeued",
                          lambda: [job for job in first if jobs.state(self.cluster, job) == "PENDING"], 40)
        self.assertEqual(len(paused), 1)
        stands = self.numbers(paused[0])
        ended = self.wait_ended(first + [new], 120)
        self.assert_completed(ended)
        self.assertLess(len(stands), 250)
        self.assertEqual(ended[paused[0]]["Restarts"], "1")
        for job in first:
            self.assertEqual(self.numbers(job), list(range(250)))
            out = (self.folder / f"{job}.out").read_text(encoding="utf-8")
            self.assertIn("counted to the end in process 2 ", out)
        self.assert_nodes_free()
        self.assertEqual(os.listdir(FOLDER), [], "images of jobs that have ended")
