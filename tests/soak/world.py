# SPDX-License-Identifier: GPL-2.0-or-later
"""The soak's cluster: two folders of its own file systems, commands as users give them, and what users have seen."""
import os
import re
import subprocess
import threading
import time
from pathlib import Path

from live import backup, capacity
from live.cluster import Cluster
from live.errors import ClusterError
from live.options import Options

from . import diary, sanitizer
from .clocks import Clocks
from .judge import Event, Record, Submission

CPUS, MEMORY = 4, 1000  # of a node
ACTIONS = "actions.log"  # all that happened, in the cluster's folder
STATE_MIB, RECORD_MIB = 64, 64
NODE_TIMEOUT = 10  # s without a node's slurmd until slurmctld gives the node up
ASKED_AT_ONCE = 500  # jobs, of sacct
FAILURE_APART = 5.0  # s between two jobs that slurmctld requeues for the same failure of a node, at most
BACK_AFTER = 60.0  # s for which a command is repeated while slurmctld is away


def options(plan):
    return Options(nodes=plan.nodes, cpus=CPUS, memory=MEMORY, scheduler="backfill" if plan.stock else "dfrs",
                   spank=not plan.stock, algorithm=plan.algorithm,
                   settings={"Period": "3", "MinProgress": "0.5", "CommentInterval": "5"},
                   slurm={"MessageTimeout": "10", "SlurmdTimeout": str(NODE_TIMEOUT), "MinJobAge": "60",
                          "MaxJobCount": "50000", "JobRequeue": "1", "KillWait": "2",
                          # Commands that reach a backup on standby try again after half of it.
                          "SlurmctldTimeout": "10"},
                   slurm_lines=[backup.SLURM_CONF_LINE] if plan.has("takeover") else [], credential_seconds=8)


class World:
    def __init__(self, folder, plan):
        self.folder = Path(folder)
        self.cluster = Cluster(self.folder)
        self.wanted = options(plan)
        self.clocks = Clocks(self.folder / "clocks") if plan.has("clock_step") else None
        self.sanitized = None  # (prefix, folder of plugins) of a slurmctld that a sanitizer watches
        self.reports = self.folder / "sanitizer"
        self.diaries = self.folder / "diaries"
        self.disks = {"state": self.folder / "state", "record": self.folder / "record"}
        self.submissions, self.events = {}, []
        self._lock = threading.Lock()

    # ---- up, down ----

    def up(self):
        self.cluster.down()
        self.unmount()
        for name, size in (("state", STATE_MIB), ("record", RECORD_MIB)):
            self.disks[name].mkdir(parents=True, exist_ok=True)
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}m,mode=0777", f"soak-{name}", self.disks[name]],
                           check=True)
        self.disks["record"].chmod(0o777)
        self.diaries.mkdir(exist_ok=True)
        self.diaries.chmod(0o1777)
        self.cluster.options = self.wanted
        self.cluster.options.settings["RecordFile"] = str(self.disks["record"] / "run.jsonl.gz")
        self._preload()
        self.cluster.up()
        if self.sanitized:
            self.cluster.upgrade_slurmctld(*self.sanitized)

    def _preload(self):
        """Clocks that can be stepped, or a slurmctld that a sanitizer watches: it keeps its clock."""
        if self.sanitized:
            told = f"log_path={self.reports}/report:{sanitizer.OPTIONS}"
            # Plugins share globals with slurmctld by design, and what it leaves at its end is no leak.
            os.environ["ASAN_OPTIONS"] = f"{told}:halt_on_error=0:detect_odr_violation=0:detect_leaks=0"
            os.environ["TSAN_OPTIONS"] = told
            self.reports.mkdir(parents=True, exist_ok=True)
            self.reports.chmod(0o1777)  # slurmctld is a user of its own
        elif self.clocks:
            self.cluster.preload = self.clocks.library
            os.environ.update(self.clocks.environment("slurmctld"))
        if self.clocks:
            self.cluster.agent_wrapper = lambda node: self.clocks.wrapper(f"dfrsd.{node}")

    def down(self):
        self.cluster.down()

    def unmount(self):
        for place in self.disks.values():
            while subprocess.run(["mountpoint", "-q", place], check=False).returncode == 0:
                subprocess.run(["umount", "-l", place], check=True)

    # ---- commands ----

    def say(self, text):
        """Keeps what happened."""
        with self._lock:
            with open(self.folder / ACTIONS, "a", encoding="utf-8") as log:
                log.write(f"{time.strftime('%T')} {text}\n")

    def ask(self, *argv, **keywords):
        """A command that may fail: (whether it worked, its output)."""
        try:
            result = self.cluster.command(*argv, check=False, timeout=120, **keywords)
        except subprocess.TimeoutExpired:
            return False, f"{argv[0]} did not answer"
        return result.returncode == 0, result.stdout + result.stderr

    def insist(self, *argv):
        """A command of an administrator, again until it works."""
        end = time.monotonic() + BACK_AFTER
        while True:
            worked, text = self.ask(*argv)
            if worked:
                return text
            if time.monotonic() > end:
                raise ClusterError(f"{' '.join(map(str, argv))} has not worked for {BACK_AFTER:g} s: {text}")
            time.sleep(0.5)

    def submit(self, tag, units, array, ntasks, cpus, memory, checkpoint, exclusive, after):
        words = ["sbatch", "--parsable", f"--job-name={tag}", "--output=/dev/null", f"--ntasks={ntasks}",
                 f"--cpus-per-task={cpus}", f"--mem={memory}", "--time=30"]
        if array > 1:
            words.append(f"--array=1-{array}")
        if checkpoint:
            words.append("--comment=dfrs:checkpoint")
        if exclusive:
            words.append("--exclusive")
        first = self.submissions.get(after)
        if first and first.job:
            words.append(f"--dependency=afterany:{first.job}")
        else:
            after = ""
        text = "#!/bin/bash\n" + diary.script(self.diaries, tag, units, checkpoint)
        worked, answer = self.ask(*words, text_input=text, cwd="/")
        job = int(answer.split()[0].split(";")[0]) if worked and answer.split()[0].split(";")[0].isdigit() else None
        if job is None:
            self.say(f"sbatch of {tag}: {answer.strip()}")
        with self._lock:
            self.submissions[tag] = Submission(tag, time.time(), job, array, units, checkpoint, after)

    def event(self, kind, begin, **more):
        with self._lock:
            self.events.append(Event(kind, begin, time.time(), **more))

    # ---- what became of it ----

    def records(self):
        """Slurm's number -> Record, of the text file of accounting; of several records of a job the last."""
        found, path = {}, self.folder / "log/jobs.txt"
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        for line in text.splitlines():
            fields = dict(word.partition("=")[::2] for word in line.split())
            if fields.get("JobId", "").isdigit():
                found[int(fields["JobId"])] = Record(
                    fields.get("JobState", ""), _seconds(fields.get("StartTime", "")), _seconds(fields.get("EndTime", "")),
                    tuple(capacity.expand(fields.get("NodeList", ""))), fields.get("ExitCode", ""),
                    fields.get("Name", ""), int(fields.get("ArrayJobId", 0)), int(fields.get("ArrayTaskId", 0)))
        return found

    def stray(self):
        """Slurm's numbers, of the jobs whose scripts slurmd removed because it did not know what they were."""
        logs = (path.read_text(encoding="utf-8", errors="replace") for path in self.folder.glob("log/slurmd.*.log"))
        return {int(number) for text in logs for number in re.findall(r"vestigial job script \S*/job0*(\d+)/", text)}

    def given_up(self):
        """An Event for each time that slurmctld requeued the jobs of a node because it took the node for failed."""
        texts = (path.read_text(encoding="utf-8", errors="replace") for path in
                 (self.folder / "log" / name for name in ("slurmctld.log", "backup.log")) if path.exists())
        found = [(node, _seconds(stamp)) for text in texts
                 for stamp, node in re.findall(r"^\[(\S+?)(?:\.\d+)?\] requeue job .* due to failure of node (\S+)$", text, re.M)]
        return merged_failures(found)

    def unsent(self):
        """How many messages slurmctld has yet to send to slurmdbd."""
        found = re.search(r"DBD Agent queue size: *(\d+)", self.insist("sdiag"))
        return int(found[1]) if found else 0

    def records_of_sacct(self, numbers):
        """The same of the accounting database. By numbers: sacct leaves jobs that were held out of a span of time."""
        numbers, found, lines = sorted(numbers), {}, []
        for first in range(0, len(numbers), ASKED_AT_ONCE):
            chosen = ",".join(map(str, numbers[first:first + ASKED_AT_ONCE]))
            lines += self.insist("sacct", "-n", "-P", "-X", "-a", "-j", chosen, "-o",
                                 "JobIDRaw,State,Start,End,NodeList,ExitCode").splitlines()
        for line in lines:
            number, state, begin, end, nodes, exit_code = line.split("|")
            if number.isdigit() and _seconds(end):
                found[int(number)] = Record(state.split()[0], _seconds(begin), _seconds(end), tuple(capacity.expand(nodes)),
                                            exit_code)
        return found

    def active(self):
        """Slurm's number -> state and reason, of jobs that have not ended."""
        text = self.insist("squeue", "-h", "-r", "-t", "PD,R,S,CG,CF,RQ,RH,SO,RS", "-o", "%A|%T|%r")
        return {int(row[0]): f"{row[1]} ({row[2]})" for row in (line.split("|") for line in text.splitlines())}


def merged_failures(found):
    """(node, s) of jobs that were requeued -> an Event for those of one node that follow one another."""
    events = []
    for node, second in sorted(found):
        if events and events[-1].node == node and second - events[-1].end <= FAILURE_APART:
            events[-1].end = second
        else:
            events.append(Event("given_up", second, second, node))
    return events


def _seconds(stamp):
    try:
        return time.mktime(time.strptime(stamp, "%Y-%m-%dT%H:%M:%S"))
    except ValueError:
        return 0.0
