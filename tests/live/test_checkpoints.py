# SPDX-License-Identifier: GPL-2.0-or-later
"""A job that knows nothing of checkpoints is paused by one, and goes on where it was (PauseBy=checkpoint, dfrs-run)."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from . import jobs, processes
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


SETTINGS = {"PauseBy": "checkpoint", "MinProgress": "0", "CommentInterval": "1"}


class CheckpointingTest(PausingTest):
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

    def two_counters(self, anywhere=False):
        """One on each node, known to be such as can be checkpointed; `anywhere`: they may move."""
        first = [self.sbatch_counter(*([] if anywhere else [f"--nodelist={node}"]), memory=900)
                 for node in self.cluster.nodes]
        for job in first:
            wait_for(f"job {job} to count", lambda job=job: len(self.numbers(job)) > 5, 20)
        self.wait_progress(first)
        wait_for("the dry checks", lambda: all(self.of_dfrs(job)["checkpoint"]["possible"] for job in first), 20)
        return first

    def paused(self, numbers):
        """The one that was requeued."""
        paused = wait_for("one to be requeued",
                          lambda: [job for job in numbers if jobs.state(self.cluster, job) == "PENDING"], 40)
        self.assertEqual(len(paused), 1)
        return paused[0]


@unittest.skipIf(missing(), missing())
class Checkpointing(CheckpointingTest):
    options = Options(nodes=2, cpus=4, memory=1000, cores=0.4, algorithm="GreedyP*/OPT=MIN", checkpoints=FOLDER,
                      compressed=True, settings={**SETTINGS, "CheckpointFolder": FOLDER}, slurm={"JobFileAppend": "1"})

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
        first = self.two_counters()
        new = self.sbatch_burn(0.5, memory=900)
        paused = self.paused(first)
        stands = self.numbers(paused)
        ended = self.wait_ended(first + [new], 120)
        self.assert_completed(ended)
        self.assertLess(len(stands), 250)
        self.assertEqual(ended[paused]["Restarts"], "1")
        for job in first:
            self.assertEqual(self.numbers(job), list(range(250)))
            out = (self.folder / f"{job}.out").read_text(encoding="utf-8")
            self.assertIn("counted to the end in process 2 ", out)
        self.assert_nodes_free()
        self.assertEqual(os.listdir(FOLDER), [], "images of jobs that have ended")


@unittest.skipIf(missing(), missing())
class SeveralNodes(CheckpointingTest):
    """What concerns more than one node: a step on two, and a move."""
    options = Checkpointing.options

    def test_step_on_two_nodes_goes_on_as_a_whole(self):
        program = self.folder / "counter.py"
        program.write_text(COUNTER, encoding="utf-8")
        run = f"{self.cluster.program('dfrs-run')} --run-dir {self.cluster.folder}/run/%n"
        count = f"{run} /usr/bin/python3 {program} {self.folder}/$SLURM_JOB_ID.$SLURM_PROCID"
        script = f"srun --cpus-per-task=4 /bin/sh -c 'exec {count}'"
        job = self.sbatch("--comment=dfrs:criu", "--nodes=2", "--ntasks-per-node=1", f"--output={self.folder}/%j.out",
                          script=script, tasks=2, memory=900)

        def numbers(rank):
            path = self.folder / f"{job}.{rank}"
            return [int(word) for word in path.read_text(encoding="utf-8").split()] if path.exists() else []
        wait_for("both tasks to count", lambda: min(len(numbers(rank)) for rank in (0, 1)) > 5, 30)
        self.wait_progress([job])
        wait_for("the dry check", lambda: self.of_dfrs(job)["checkpoint"]["possible"], 20)
        new = self.sbatch_burn(0.5, memory=900)
        self.assertEqual(self.paused([job]), job)
        ended = self.wait_ended([job, new], 150)
        self.assert_completed(ended)
        self.assertEqual(ended[job]["Restarts"], "1")
        for rank in (0, 1):
            self.assertEqual(numbers(rank), list(range(250)), rank)

    def test_move_goes_on_at_another_node(self):
        first = self.two_counters(anywhere=True)
        nodes = {job: jobs.show(self.cluster, job)["NodeList"] for job in first}
        new = self.sbatch_burn(0.5, memory=900)
        job = self.paused(first)
        left = nodes[job]
        self.cluster.command("scontrol", "update", f"nodename={left}", "state=drain", "reason=maintenance")
        self.addCleanup(self.cluster.command, "scontrol", "update", f"nodename={left}", "state=resume")
        stands = len(self.numbers(job))
        (other,) = [one for one in first if one != job]
        self.assert_completed(self.wait_ended([other, new], 150))
        self.assertLess(stands, 250)
        ended = self.wait_ended([job], 150)
        self.assert_completed(ended)
        self.assertNotEqual(ended[job]["NodeList"], left)
        self.assertEqual(self.numbers(job), list(range(250)))
        self.assertEqual(ended[job]["Restarts"], "1")


class Criu:
    """A criu for dfrsd that before a dump or a restore waits for as long as we want."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.program = self.folder / "criu"

    def install(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.program.write_text(f"""#!/bin/sh
case $1 in dump|restore)
  : > {self.folder}/$1
  while [ -e {self.folder}/hold-$1 ]; do sleep 0.05; done
esac
exec {CRIU} "$@"
""", encoding="utf-8")
        self.program.chmod(0o755)

    def hold(self, what):
        (self.folder / what).unlink(missing_ok=True)
        (self.folder / f"hold-{what}").touch()

    def let_go(self):
        for what in ("dump", "restore"):
            (self.folder / f"hold-{what}").unlink(missing_ok=True)

    def wait(self, what, seconds=60):
        wait_for(f"criu to {what}", (self.folder / what).exists, seconds)


class FaultTest(CheckpointingTest):
    """In the middle of a dump or a restore: no job is lost, none runs twice at once, and all tell why."""
    disk = f"{FOLDER}-disk"
    criu = Criu(f"{FOLDER}-criu")
    options = Options(nodes=2, cpus=4, memory=1000, cores=0.4, algorithm="GreedyP*/OPT=MIN", checkpoints=disk,
                      settings={**SETTINGS, "CheckpointFolder": disk, "CheckpointTimeout": "15"},
                      slurm={"JobFileAppend": "1", "SlurmdTimeout": "10", "MessageTimeout": "5"}, credential_seconds=8,
                      criu=str(criu.program))

    @classmethod
    def setUpClass(cls):
        cls.criu.install()
        os.makedirs(cls.disk, mode=0o700, exist_ok=True)
        small = ["mount", "-t", "tmpfs", "-o", "size=200m,mode=0700", "images", cls.disk]
        if subprocess.run(small, check=False).returncode != 0:
            raise unittest.SkipTest("needs the right to mount a small disk")
        cls.addClassCleanup(os.rmdir, cls.disk)
        cls.addClassCleanup(subprocess.run, ["umount", "--lazy", cls.disk], check=True)
        super().setUpClass()

    def tearDown(self):
        self.criu.let_go()
        self.cluster.up()
        super().tearDown()

    def begin_dump(self):
        """Both nodes have a counter, and a new job wants one's place: (both, the one whose dump has begun, the new one)."""
        self.criu.hold("dump")
        first = self.two_counters()
        new = self.sbatch_burn(0.5, memory=900)
        self.criu.wait("dump")
        (one,) = [job for job in first if self.of_dfrs(job)["checkpoint"]["stage"] == "dumping"]
        return first, one, new

    def pause(self):
        """The same, and the one was dumped and requeued; its restore will wait."""
        first, one, new = self.begin_dump()
        self.criu.hold("restore")
        (self.criu.folder / "hold-dump").unlink()
        self.assertEqual(self.paused(first), one)
        return first, one, new

    def node_of(self, job):
        return jobs.show(self.cluster, job)["NodeList"]

    def why(self, job, pattern, seconds=30):
        wait_for(f"dfrsctl to say of job {job}: {pattern}",
                 lambda: re.search(pattern, self.cluster.command("dfrsctl", "explain", job).stdout), seconds)

    def image_files(self, job):
        return [path for path in Path(self.disk).glob(f"job-{job}/*/*/*/*") if not path.parent.name.endswith(".part")]

    def assert_all_counted(self, first, new, again=()):
        """All end well, each having counted once; those of `again`, from the beginning a second time."""
        ended = self.wait_ended([*first, new], 150)
        self.assert_completed(ended)
        for job in first:
            numbers = self.numbers(job)
            begun = len(numbers) - 250 if job in again else 0
            self.assertLess(begun, 250)
            self.assertEqual(numbers, list(range(begun)) + list(range(250)))
        for job in first:
            wait_for("images of ended jobs to be gone", lambda job=job: not Path(f"{self.disk}/job-{job}").exists(), 30)
        return ended


@unittest.skipIf(missing(), missing())
class Faults(FaultTest):
    """Of daemons and of a node."""

    def test_dfrsd_is_killed_during_a_dump(self):
        first, one, new = self.begin_dump()
        node = self.node_of(one)
        self.cluster.stop(f"dfrsd.{node}", signal.SIGKILL)
        self.why(one, f"the last attempt failed: the agent of node {node} does not answer")
        stands = len(self.numbers(one))
        self.criu.let_go()
        wait_for("it to go on without dfrsd", lambda: len(self.numbers(one)) > stands, 30)
        self.cluster.start_agent(node)
        self.assertEqual(self.assert_all_counted(first, new)[one]["Restarts"], "0")

    def test_dfrsd_is_killed_during_a_restore(self):
        first, one, new = self.pause()
        self.criu.wait("restore")
        node = self.node_of(one)
        self.cluster.stop(f"dfrsd.{node}", signal.SIGKILL)
        self.criu.let_go()
        stands = len(self.numbers(one))
        wait_for("it to go on without dfrsd", lambda: len(self.numbers(one)) > stands, 30)
        self.cluster.start_agent(node)
        wait_for("the restore to be known", lambda: self.of_dfrs(one)["checkpoint"]["stage"] == "none", 30)
        self.assertEqual(self.of_dfrs(one)["lost_runs"], 0)
        self.assertEqual(self.assert_all_counted(first, new)[one]["Restarts"], "1")

    def test_slurmctld_is_killed_between_dump_and_requeue(self):
        first, one, new = self.begin_dump()
        processes.send(self.cluster.process("slurmctld"), signal.SIGSTOP)
        self.criu.let_go()
        wait_for("its image", lambda: [path for path in self.image_files(one) if path.name == "manifest.json"], 30)
        self.cluster.stop("slurmctld", signal.SIGKILL)
        told = self.cluster.log("slurmctld").read_text(encoding="utf-8", errors="replace")
        self.cluster.start_slurmctld()
        wait_for("slurmctld to tell what it found", lambda: re.search(
            f"job {one}: (slurmctld was restarted during its checkpoint|it was stopped for a checkpoint)",
            self.cluster.log("slurmctld").read_text(encoding="utf-8", errors="replace")[len(told):]), 30)
        ended = self.assert_all_counted(first, new)
        self.assertLessEqual(int(ended[one]["Restarts"]), 1)

    def test_node_is_lost_during_a_dump(self):
        first, one, new = self.begin_dump()
        node = self.node_of(one)
        self.lose(node, one)
        self.criu.let_go()
        self.assertFalse(self.image_files(one))
        self.why(one, f"the agent of node {node} does not answer")
        wait_for("Slurm to miss the node", lambda: jobs.state(self.cluster, one) == "PENDING", 60)
        self.cluster.up()
        self.assertGreaterEqual(int(self.assert_all_counted(first, new, again=[one])[one]["Restarts"]), 1)

    def lose(self, node, job):
        """The node, on which only this job runs: all that runs there for the cluster is gone at once."""
        run = f"{self.cluster.folder}/run/{node}"
        for name in (f"slurmd.{node}", f"dfrsd.{node}"):
            self.cluster.stop(name, signal.SIGKILL)
        for process in processes.marked(self.cluster.folder):
            words = processes.command_line(process.pid)
            of_job = processes.environment_of(process.pid).get("SLURM_JOB_ID") == str(job)
            if of_job or f"[{job}." in " ".join(words) or any(f"{word}/".startswith(f"{run}/") for word in words):
                processes.send(process, signal.SIGKILL)


@unittest.skipIf(missing(), missing())
class ImageFaults(FaultTest):
    """A full disk, and what others did to an image."""

    def test_disk_gets_full_during_a_dump(self):
        first, one, new = self.begin_dump()
        left = os.statvfs(self.disk)
        with open(f"{self.disk}/other", "wb") as other:
            os.posix_fallocate(other.fileno(), 0, (left.f_bavail - 100) * left.f_frsize)
        self.criu.let_go()
        self.why(one, "the last attempt failed: the disk of the image folder is full")
        self.assertFalse(self.image_files(one))
        os.unlink(f"{self.disk}/other")
        self.assertEqual(self.assert_all_counted(first, new)[one]["Restarts"], "0")

    def test_disk_is_full_before_a_dump(self):
        first = self.two_counters()
        left = os.statvfs(self.disk)
        with open(f"{self.disk}/other", "wb") as other:
            os.posix_fallocate(other.fileno(), 0, (left.f_bavail - 100) * left.f_frsize)
        self.addCleanup(Path(f"{self.disk}/other").unlink)
        new = self.sbatch_burn(0.5, memory=900)
        wait_for("an attempt to fail", lambda: any(self.of_dfrs(job)["checkpoint"]["failed"] for job in first), 40)
        for job in first:
            if self.of_dfrs(job)["checkpoint"]["failed"]:
                self.why(job, "the last attempt failed: the disk of .* has only")
        self.assert_all_counted(first, new)

    def damage(self, change, reason):
        """What happens if somebody changes the image of a job that is paused."""
        over = self.dfrsctl("status")["checkpoints"]["started_over"]
        first, one, new = self.pause()
        (pages,) = [path for path in self.image_files(one) if path.name == "pages-1.img"]
        change(pages)
        (self.criu.folder / "restore").unlink(missing_ok=True)
        self.criu.let_go()
        self.assert_all_counted(first, new, again=[one])
        out = (self.folder / f"{one}.out").read_text(encoding="utf-8")
        self.assertRegex(out, f"dfrs-run: the image of run 0 cannot be restored: .*{reason}")
        self.assertIn("the program starts from its beginning", out)
        self.assertFalse((self.criu.folder / "restore").exists(), "criu must not see such an image")
        self.assertEqual(self.dfrsctl("status")["checkpoints"]["started_over"], over + 1)

    def test_image_is_truncated(self):
        self.damage(lambda pages: os.truncate(pages, pages.stat().st_size // 2), "truncated")

    def test_image_is_forged(self):
        def change(pages):
            with open(pages, "r+b") as file:
                file.seek(8192)
                file.write(b"forged")
        self.damage(change, "was changed after the dump")
