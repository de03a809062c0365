# SPDX-License-Identifier: GPL-2.0-or-later
"""`python3 -m live.scale`: a real slurmctld with thousands of nodes and jobs, under sched/dfrs and under sched/backfill.

Nodes are played by tests/bench/fake_slurmd (one process); jobs are launched to it and never run. Each scheduler gets the
same load in the same order:

  array     an array of one-second tasks, as many as there are nodes
  burst     as many separate jobs, submitted as fast as slurmctld takes them: each fills the memory of a node. squeue is
            asked once a second.
  busy      as many again, which wait; then single small jobs, for which there is room on every node
  restart   slurmctld ends and starts again
  after     20 s later single small jobs again, for sched/dfrs

The last thing printed is a table in Markdown, with the goals; with --runs, of medians. slurmctld's log has the times of
rounds (CPU time of the scheduling thread) and of holds of the write locks. Agents are off (QuotaMode=off): `make
tests/bench/delivery_scale` measures them. Everything else shares the cores with slurmctld, which goes first (nice -10).
A benchmark: prints figures, asserts none.
"""
import argparse
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from . import ports, processes, slurm
from .cluster import build_folder
from .configuration import host_name
from .errors import ClusterError
from .waiting import wait_for

ROUND = re.compile(r"^\[(\S+)\].* round: (\d+) jobs, (\d+) operations, snapshot ([\d.]+) ms, step ([\d.]+) ms, "
                   r"apply ([\d.]+) ms, CPU ([\d.]+) ms, longest write lock ([\d.]+) ms \(([\d.]+) ms of CPU\), "
                   r"saving ([\d.]+) ms, in that lock ([\d.]+) ms of CPU for one (.*)$")
FIELDS = ("jobs", "operations", "snapshot", "step", "apply", "cpu", "hold", "hold_cpu", "saving", "part_cpu")
BACKFILL_BEGINS = re.compile(r"^\[(\S+)\].*backfill.*: beginning")
CPUS, MEMORY = 8, 64000
SMALL_MEMORY = 1000
# Slurm's own scheduler for jobs of seconds, and for a queue as long as this.
BACKFILL = ("batch_sched_delay=0,sched_min_interval=0,sched_interval=1,default_queue_depth=1000,bf_interval=1,"
            "bf_resolution=60,bf_window=1440,bf_max_job_test=30000,bf_continue")
BLOCK = 250  # nodes: see tests/bench/fake_slurmd.c


def node_lines(nodes, port):
    for first in range(1, nodes + 1, BLOCK):
        last = min(nodes, first + BLOCK - 1)
        yield (f"NodeName=f[{first}-{last}] NodeAddr=127.1.{first // BLOCK}.[1-{last - first + 1}] NodeHostname=localhost "
               f"Port={port} CPUs={CPUS} RealMemory={MEMORY} State=UNKNOWN")


def write_configuration(folder, options, scheduler, slurmctld, slurmd, control):
    plugins = f"PluginDir={folder}/plugins:{slurm.plugin_folder()}\n" if scheduler == "dfrs" else ""
    parameters = "defer,sched_interval=60" if scheduler == "dfrs" else BACKFILL
    nodes = "\n".join(node_lines(options.nodes, slurmd))
    (folder / "slurm.conf").write_text(f"""ClusterName=scale
SlurmctldHost={host_name()}(127.0.0.1)
SlurmctldPort={slurmctld}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/slurmctld.log
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdSpoolDir={folder}/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/{scheduler}
SchedulerParameters={parameters}
{plugins}PreemptMode=OFF
PriorityType=priority/basic
SlurmdTimeout=0
MessageTimeout=60
TreeWidth=65533
ReturnToService=2
MaxJobCount={4 * options.jobs + 10000}
MaxArraySize={options.array + 1}
MinJobAge=2
LogTimeFormat=iso8601_ms
SlurmctldDebug=debug
{nodes}
PartitionName=dfrs Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=FORCE:1 DefMemPerCPU=100
""", encoding="ascii")
    (folder / "dfrs.conf").write_text(f"""Algorithm={options.algorithm}
Partitions=dfrs
PauseBy={options.pause_by}
SuspendNeedsSwap=no
QuotaMode=off
StockBackfill=no
ControlPort={control}
SaveBeforeLaunch={options.save_before_launch}
""", encoding="ascii")
    for name in ("state", "munge", "plugins"):
        (folder / name).mkdir(mode=0o700)
    (folder / "munge/key").write_bytes(os.urandom(128))
    (folder / "munge/key").chmod(0o400)
    folder.chmod(0o755)
    (folder / "munge").chmod(0o755)
    for name in ("priority_multifactor.so", "sched_dfrs.so", "sched_backfill.so", "select_cons_tres.so",
                 "libdfrs_controller.so"):
        shutil.copyfile(build_folder() / "plugin" / name, folder / "plugins" / name)


def log_time(text):
    return time.mktime(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")) + float(text[19:] or 0)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Squeue(threading.Thread):
    """Asks once a second for all jobs, and notes how long the answer takes."""

    def __init__(self, environment):
        super().__init__(daemon=True)
        self._environment = environment
        self._over = threading.Event()
        self.took = []

    def run(self):
        while not self._over.is_set():
            since = time.monotonic()
            processes.run(["squeue", "-h", "-o", "%i %t"], env=self._environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False)
            self.took.append(time.monotonic() - since)
            self._over.wait(max(0.0, 1 - self.took[-1]))

    def finish(self):
        self._over.set()
        self.join()
        return self.took


class Scale:
    """One life of a played cluster under one scheduler."""

    def __init__(self, options, scheduler):
        self.options, self.scheduler, self.figures = options, scheduler, {}
        self.folder = Path(tempfile.mkdtemp(prefix=f"dfrs-scale-{scheduler}-"))
        first = ports.block(3, str(self.folder))
        self.slurmd_port = first + 1
        write_configuration(self.folder, options, scheduler, first, first + 1, first + 2)
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"),
                            "MUNGE_SOCKET": str(self.folder / "munge/socket")}
        self.environment["PATH"] += ":/usr/sbin:/sbin"
        self.started = []
        self.slurmctld = None
        self._read = 0
        self.launched, self.ended = {}, {}

    def say(self, text):
        print(f"{time.strftime('%H:%M:%S')} {self.scheduler}: {text}", flush=True)

    def start(self, *argv, log):
        self.started.append(processes.start(argv, environment=self.environment, folder=self.folder,
                                            log=self.folder / log, mark=self.folder))
        return self.started[-1]

    def run(self, *argv, check=True):
        return processes.run(argv, env=self.environment, capture_output=True, text=True, check=check).stdout

    def start_slurmctld(self):
        self.slurmctld = self.start("nice", "-n", "-10", "slurmctld", "-D", "-f", self.folder / "slurm.conf",
                                    log="slurmctld.out")

    def submit(self, count, threads, pause, cpus, memory, minutes):
        """{job: (time of its submission, how long that took)}"""
        text = self.run(build_folder() / "tests/bench/submit_jobs", count, threads, pause, cpus, memory, minutes,
                        "#!/bin/sh\nsleep 100000\n")
        words = [line.split() for line in text.splitlines()]
        return {int(job): (float(at), float(took)) for _, job, at, took in words}

    def events(self):
        """Reads what fake_slurmd has told since the last call."""
        with open(self.folder / "fake.out", encoding="utf-8") as file:
            file.seek(self._read)
            text = file.read()
        whole = text.rpartition("\n")[0]
        self._read += len(whole) + (1 if whole else 0)
        for line in whole.splitlines():
            words = line.split()
            if words[0] == "launch":
                self.launched.setdefault(int(words[1]), float(words[2]))
            elif words[0] == "end":
                self.ended[int(words[1])] = float(words[2])

    def has(self, which, count):
        self.events()
        return len(which) >= count

    def rounds(self, since=0.0):
        found = []
        with open(self.folder / "slurmctld.log", encoding="utf-8", errors="replace") as file:
            for line in file:
                match = ROUND.search(line)
                if match and log_time(match[1]) >= since:
                    *figures, part = match.groups()[1:]
                    found.append(dict(zip(FIELDS, map(float, figures)), at=log_time(match[1]), part=part))
        return found

    def stat(self):
        """(s of CPU time, MiB of memory) of slurmctld."""
        fields = Path(f"/proc/{self.slurmctld.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        ticks = os.sysconf("SC_CLK_TCK")
        return ((int(fields[11]) + int(fields[12])) / ticks, int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 2**20)

    def sdiag(self, title, what):
        found = re.search(rf"{title}.*?{what}:\s*(\d+)", self.run("sdiag"), re.S)
        return float(found[1]) / 1000 if found else float("nan")  # ms

    # ---- the parts ----

    def begin(self):
        self.start("munged", "--foreground", "--force", f"--key-file={self.folder}/munge/key",
                   f"--socket={self.folder}/munge/socket", f"--pid-file={self.folder}/munge/pid",
                   f"--log-file={self.folder}/munge/log", f"--seed-file={self.folder}/munge/seed", "--num-threads=4",
                   log="munged.out")
        wait_for("munged's socket", (self.folder / "munge/socket").exists, 10)
        self.start_slurmctld()
        wait_for("slurmctld", lambda: "UP" in self.run("scontrol", "ping", check=False), 60)
        since = time.monotonic()
        self.start(build_folder() / "tests/bench/fake_slurmd", self.slurmd_port, f"f[1-{self.options.nodes}]", CPUS, MEMORY,
                   log="fake.out")
        wait_for("all nodes to register", lambda: "ready" in (self.folder / "fake.out").read_text(), 600, interval=0.5)
        self.say(f"{self.options.nodes} nodes registered in {time.monotonic() - since:.1f} s")
        self.run("sdiag", "--reset")

    def array(self):
        tasks = self.options.array
        since = time.time()
        self.run("sbatch", f"--array=1-{tasks}", "-n1", f"--mem={SMALL_MEMORY}", "-o/dev/null", "--wrap=sleep 1")
        try:
            wait_for("all tasks to end", lambda: self.has(self.ended, tasks), self.options.patience, interval=0.5)
        except ClusterError as error:
            self.say(str(error))
        count = len(self.launched)
        if count > 1:
            self.figures["array"] = (count - 1) / (max(self.launched.values()) - min(self.launched.values()))
            self.say(f"array: {count} tasks launched {self.figures['array']:.0f} a second, the last one "
                     f"{max(self.launched.values()) - since:.1f} s after the submission")
        self.holds("array", since)
        self.run("scancel", "-u", "root", check=False)
        wait_for("the queue to be empty", lambda: not self.run("squeue", "-h", "-o", "%i").strip(), 600, interval=1)

    def burst(self):
        jobs, before, since = self.options.jobs, set(self.launched), time.time()
        squeue = Squeue(self.environment)
        squeue.start()
        submitted = self.submit(jobs, 8, 0, CPUS - 1, MEMORY - 2 * SMALL_MEMORY, 600)
        took = max(at + last for at, last in submitted.values()) - since
        try:
            wait_for("all jobs to start", lambda: self.has(self.launched, len(before) + jobs), self.options.patience,
                     interval=0.25)
        except ClusterError as error:
            self.say(str(error))
        starts = [at for job, at in self.launched.items() if job not in before]
        asked = squeue.finish()
        self.figures["burst"] = max(starts) - since if len(starts) >= jobs else float("inf")
        self.figures["squeue"], self.figures["squeue median"] = max(asked), statistics.median(asked)
        self.say(f"burst: {jobs} jobs submitted in {took:.1f} s, {len(starts)} started {max(starts) - since:.1f} s after the "
                 f"first; squeue: median {statistics.median(asked):.2f} s, longest {max(asked):.2f} s of {len(asked)}")
        self.holds("burst", since)

    def busy(self):
        self.run("sdiag", "--reset")
        self.submit(self.options.jobs, 8, 0, CPUS - 1, MEMORY - 2 * SMALL_MEMORY, 600)
        time.sleep(5)
        begun, (cpu, _) = time.time(), self.stat()
        time.sleep(self.options.watch)
        self.figures["rest"] = (self.stat()[0] - cpu) / (time.time() - begun) * 100
        self.say(f"busy: slurmctld takes {self.figures['rest']:.0f} % of a core without any submission")
        self.single_starts("busy", "single")
        self.figures["memory"] = self.stat()[1]
        self.say(f"busy: slurmctld has {self.figures['memory']:.0f} MiB")
        if self.scheduler == "dfrs":
            seen = [r for r in self.rounds(begun) if r["jobs"] >= 1.9 * self.options.jobs]
            if seen:
                cpu = [r["cpu"] for r in seen]
                self.figures["round"], self.figures["round 99"] = statistics.median(cpu), percentile(cpu, 0.99)
                self.say(f"busy: {len(seen)} rounds, CPU median {self.figures['round']:.1f} ms, 99th percentile "
                         f"{self.figures['round 99']:.1f} ms, longest {max(cpu):.1f} ms; medians of wall time: " + ", ".join(
                             f"{name} {statistics.median([r[name] for r in seen]):.1f} ms"
                             for name in ("snapshot", "step", "apply")))
            else:
                self.say("busy: no round with both the running and the waiting jobs; those that run are the burst's: "
                         "--parts burst,busy")
        else:
            self.figures["round"] = self.sdiag("Backfilling stats", "Mean cycle")
            self.figures["round 99"] = self.sdiag("Backfilling stats", "Max cycle")
            self.figures["hold"] = self.sdiag("Main schedule statistics", "Max cycle")
            self.say(f"busy: a cycle of backfill takes {self.figures['round']:.0f} ms on average, {self.figures['round 99']:.0f} "
                     f"at most; the main scheduler's {self.figures['hold']:.0f} ms at most (wall time)")
        self.holds("busy", begun)

    def single_starts(self, part, figure):
        submitted = self.submit(self.options.singles, 1, 1.0, 1, SMALL_MEMORY, 1)
        try:
            wait_for("the small jobs to start", lambda: self.events() or submitted.keys() <= self.launched.keys(),
                     self.options.patience, interval=0.25)
        except ClusterError as error:
            self.say(str(error))
        now = time.time()
        took = [self.launched.get(job, now) - at for job, (at, _) in submitted.items()]
        self.figures[figure] = statistics.median(took)
        self.say(f"{part}: a small job starts after {self.figures[figure] * 1000:.0f} ms (median of {len(took)}, longest "
                 f"{max(took) * 1000:.0f})")

    def after(self):
        if self.scheduler != "dfrs":
            return
        self.single_starts("after", "single after")

    def stop_slurmctld(self):
        processes.send(self.slurmctld, 15)
        if processes.wait_gone([self.slurmctld], 60):
            raise ClusterError("slurmctld does not end")

    def restart(self):
        self.stop_slurmctld()
        before, since = set(self.launched), time.time()
        self.start_slurmctld()
        pattern = ROUND if self.scheduler == "dfrs" else BACKFILL_BEGINS

        def decided():
            with open(self.folder / "slurmctld.log", encoding="utf-8", errors="replace") as file:
                times = [log_time(match[1]) for match in map(pattern.search, file) if match]
            return [at for at in times if at >= since]

        try:
            first = wait_for("a first decision", decided, 120, interval=0.2)[0]
            self.figures["restart"] = first - since
            self.say(f"restart: first decision after {first - since:.2f} s")
        except ClusterError as error:
            self.say(str(error))
        time.sleep(20)  # for the reports of the nodes
        self.events()
        running = len(self.run("squeue", "-h", "-t", "R", "-o", "%i").split())
        again = sum(1 for job in self.launched if job not in before)
        self.say(f"restart: {running} jobs run 20 s later, {again} were launched since")
        self.holds("restart", since)

    def holds(self, part, since):
        if self.scheduler != "dfrs":
            return
        seen = self.rounds(since)
        if not seen:
            return
        round_of_longest = max(seen, key=lambda r: r["hold_cpu"])
        longest = round_of_longest["hold_cpu"]
        self.figures[f"hold {part}"] = longest
        self.figures["hold"] = max(self.figures.get("hold", 0), longest)
        busiest = [r for r in seen if r["operations"] > 0] or seen
        self.say(f"{part}: {len(seen)} rounds, write lock held for {longest:.2f} ms of CPU at most "
                 f"({round_of_longest['part_cpu']:.2f} for one {round_of_longest['part']}; "
                 f"{max(r['hold'] for r in seen):.1f} ms of wall time); CPU of a round with operations: median "
                 f"{statistics.median([r['cpu'] for r in busiest]):.1f} ms, longest {max(r['cpu'] for r in busiest):.1f} ms; "
                 f"save: longest {max(r['saving'] for r in seen):.0f} ms")

    def measure(self):
        try:
            self.begin()
            for part in self.options.parts.split(","):
                getattr(self, part)()
        finally:
            processes.stop(self.started[::-1], grace=10.0)
            if self.options.keep:
                self.say(f"kept: {self.folder}")
            else:
                shutil.rmtree(self.folder, ignore_errors=True)
        return self.figures


def number(figures, name, unit="", digits=0, scale=1.0):
    value = figures.get(name)
    if value is None or value != value:
        return "-"
    return "not all" if value == float("inf") else f"{value * scale:.{digits}f}{unit}"


def table(options, dfrs, backfill):
    nodes, jobs = f"{options.nodes:,}", f"{options.jobs:,}"
    both = (dfrs, backfill)
    beyond = {"memory": dfrs.get("memory", float("nan")) - backfill.get("memory", float("nan"))}
    rows = [
        (f"round (snapshot, decide, apply) with {nodes} nodes, {jobs} running and {jobs} waiting jobs, CPU time, median / 99th "
         "percentile", "20 / 60 ms", f"{number(dfrs, 'round', digits=1)} / {number(dfrs, 'round 99', ' ms', 1)}",
         f"a cycle: mean {number(backfill, 'round')}, longest {number(backfill, 'round 99', ' ms')} (wall)"),
        ("write lock, longest hold by CPU time, that load", "3 ms", number(dfrs, "hold busy", " ms", 2),
         f"main scheduler: {number(backfill, 'hold', ' ms')} (wall)"),
        ("the same while the array and the burst start and after the restart", "3 ms", " / ".join(
            number(dfrs, f"hold {part}", digits=2) for part in ("array", "burst", "restart")) + " ms", "-"),
        ("submission to launch of one small job, that load, median", "100 ms, a tenth of backfill's",
         *(number(each, "single", " ms", 0, 1000) for each in both)),
        ("the same 20 s after a restart", "", number(dfrs, "single after", " ms", 0, 1000), "-"),
        (f"array of {options.array:,} one-second tasks, starts a second", "200, no fewer than backfill",
         *(number(each, "array") for each in both)),
        (f"{jobs} jobs in a burst: all started after", "60 s", *(number(each, "burst", " s", 1) for each in both)),
        ("squeue meanwhile, median / longest", "1 s", *(
            f"{number(each, 'squeue median', digits=2)} / {number(each, 'squeue', ' s', 2)}" for each in both)),
        ("first decision after a restart with those jobs", "2 s", *(number(each, "restart", " s", 2) for each in both)),
        ("memory of slurmctld beyond stock's", "200 MiB", number(beyond, "memory", " MiB"),
         f"{number(backfill, 'memory', ' MiB')} in all"),
        ("slurmctld at rest with that load, CPU", "", *(number(each, "rest", " % of a core") for each in both)),
    ]
    lines = ["| what | goal | sched/dfrs | sched/backfill |", "|---|---|---|---|"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def medians(runs):
    names = {name for run in runs for name in run}
    return {name: statistics.median([run[name] for run in runs if name in run]) for name in names}


def main():
    parser = argparse.ArgumentParser(prog="python3 -m live.scale", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=10000)
    parser.add_argument("--jobs", type=int, help="that run, and as many that wait (default: as many as nodes)")
    parser.add_argument("--array", type=int, help="tasks of the array (default: as many as nodes)")
    parser.add_argument("--singles", type=int, default=21, help="small jobs on the busy cluster")
    parser.add_argument("--watch", type=float, default=20, help="s for which the busy cluster is watched")
    parser.add_argument("--patience", type=float, default=120, help="s for which starts are waited for")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--algorithm", default="Triage")
    parser.add_argument("--pause-by", default="none", help="PauseBy of dfrs.conf: with another value, jobs that all came at "
                        "once are paused for those that wait, all of them at once")
    parser.add_argument("--save-before-launch", default="auto", choices=("auto", "yes", "no"), help="in dfrs.conf")
    parser.add_argument("--schedulers", default="dfrs,backfill")
    parser.add_argument("--parts", default="array,burst,busy,restart,after")
    parser.add_argument("--json", help="file for the figures of each run")
    parser.add_argument("--keep", action="store_true", help="keep the folders, with slurmctld's logs")
    options = parser.parse_args()
    options.jobs = options.jobs or options.nodes
    options.array = options.array or options.nodes
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing stays behind
    found = {"dfrs": [], "backfill": []}
    for run in range(options.runs):
        for scheduler in options.schedulers.split(","):
            print(f"run {run + 1} of {options.runs}", flush=True)
            found[scheduler].append(Scale(options, scheduler).measure())
        print(table(options, *(medians(found[scheduler]) for scheduler in ("dfrs", "backfill"))), flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump(found, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
