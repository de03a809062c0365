# SPDX-License-Identifier: GPL-2.0-or-later
"""`python3 -m live.scale`: how long a round of sched/dfrs takes in a real slurmctld with many nodes and jobs.

Nodes are played by tests/bench/fake_slurmd (one process); jobs are launched to it and never run. What is measured is
slurmctld's own: snapshot under read locks, the controller's step, operations under write locks (its debug log tells).
Agents are off (QuotaMode=off). slurmctld goes first (nice -10): the others would be on machines of their own. A hold of the
locks that lasts much longer than its CPU time had to wait for a core all the same. A benchmark: prints figures, asserts none.
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import ports, processes, slurm
from .cluster import build_folder
from .configuration import host_name
from .waiting import wait_for

ROUND = re.compile(r"round: (\d+) jobs, (\d+) operations, snapshot ([\d.]+) ms, step ([\d.]+) ms"
                   r"(?:, apply ([\d.]+) ms, longest write lock ([\d.]+) ms \(([\d.]+) ms of CPU\))?")


def write_configuration(folder, nodes, cpus, memory, slurmctld, slurmd, control, algorithm):
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
SchedulerType=sched/dfrs
SchedulerParameters=defer,sched_interval=60
PluginDir={folder}/plugins:{slurm.plugin_folder()}
PreemptMode=OFF
SlurmdTimeout=0
TreeWidth=65533
ReturnToService=2
MaxJobCount=20000
LogTimeFormat=iso8601_ms
SlurmctldDebug=debug
NodeName=f[1-{nodes}] NodeAddr=127.0.0.1 NodeHostname=localhost Port={slurmd} CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=dfrs Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=FORCE:1 DefMemPerCPU=100
""", encoding="ascii")
    (folder / "dfrs.conf").write_text(f"""Algorithm={algorithm}
Partitions=dfrs
Period=60
PauseBy=suspend,requeue
SuspendNeedsSwap=no
QuotaMode=off
StockBackfill=no
CommentInterval=0
ControlPort={control}
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


def rounds(folder):
    found = []
    for line in (folder / "slurmctld.log").read_text(encoding="utf-8", errors="replace").splitlines():
        match = ROUND.search(line)
        if match:
            found.append([float(value) if value else 0.0 for value in match.groups()])
    return found


def show(title, values):
    if values:
        print(f"  {title:<34} median {statistics.median(values):8.3f} ms   max {max(values):8.3f} ms   ({len(values)})")


def main():
    parser = argparse.ArgumentParser(prog="python3 -m live.scale", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--tasks", type=int, default=8, help="of a job, each of one CPU of 8")
    parser.add_argument("--array", type=int, default=0, metavar="TASKS",
                        help="instead: one array of so many jobs of one task, and how many start a second")
    parser.add_argument("--algorithm", default="GreedyPM*/per/OPT=MIN/MINVT=600")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="dfrs-scale-"))
    first = ports.block(3, str(folder))
    slurmctld, slurmd, control = first, first + 1, first + 2
    write_configuration(folder, options.nodes, 8, 64000, slurmctld, slurmd, control, options.algorithm)
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "MUNGE_SOCKET": str(folder / "munge/socket")}
    environment["PATH"] += ":/usr/sbin:/sbin"
    started = []

    def start(*argv, log):
        started.append(processes.start(argv, environment=environment, folder=folder, log=folder / log, mark=folder))

    def run(*argv):
        return subprocess.run(argv, env=environment, capture_output=True, text=True, check=True).stdout

    try:
        start("munged", "--foreground", "--force", f"--key-file={folder}/munge/key",
              f"--socket={folder}/munge/socket", f"--pid-file={folder}/munge/pid", f"--log-file={folder}/munge/log",
              f"--seed-file={folder}/munge/seed", log="munged.out")
        wait_for("munged's socket", (folder / "munge/socket").exists, 10)
        start("nice", "-n", "-10", "slurmctld", "-D", "-f", folder / "slurm.conf", log="slurmctld.out")
        wait_for("slurmctld", lambda: "UP" in subprocess.run(["scontrol", "ping"], env=environment, text=True,
                                                             capture_output=True, check=False).stdout, 20)
        start(build_folder() / "tests/bench/fake_slurmd", slurmd, f"f[1-{options.nodes}]", 8, 64000, log="fake.out")
        wait_for("all nodes to register", lambda: "ready" in (folder / "fake.out").read_text(), 300, interval=0.5)
        jobs = options.array or options.jobs
        print(f"{options.nodes} nodes registered; " + (
            f"an array of {jobs} is submitted" if options.array else
            f"{jobs} jobs of {options.tasks} tasks are submitted as an array and one by one"), flush=True)
        before = time.monotonic()
        half = options.array or jobs // 2
        run("sbatch", f"--array=1-{half}", f"-n{1 if options.array else options.tasks}", "-o/dev/null", "--wrap=sleep 1000")
        for _ in range(jobs - half):
            run("sbatch", f"-n{options.tasks}", "-o/dev/null", "--wrap=sleep 1000")
        wait_for("all jobs to run", lambda: len(run("squeue", "-h", "-r", "-t", "R", "-o", "%i").split()) >= jobs,
                 600, interval=0.5)
        took = time.monotonic() - before
        print(f"all {jobs} run {took:.1f} s after the first submission: {jobs / took:.1f} starts/s")
        time.sleep(6)  # rounds without cause
        run("scancel", "-u", "root")
        wait_for("all jobs to end", lambda: not run("squeue", "-h").strip(), 300, interval=0.5)
    finally:
        processes.stop(started[::-1], grace=3.0)
        seen = rounds(folder)
    print(f"{len(seen)} rounds of sched/dfrs:")
    full = [r for r in seen if r[0] >= 0.9 * jobs]
    show(f"snapshot ({int(0.9 * jobs)} jobs or more)", [r[2] for r in full])
    show("step (decide and bookkeeping)", [r[3] for r in full])
    show("snapshot + step + apply", [r[2] + r[3] + r[4] for r in full])
    busy = [r for r in seen if r[1] > 0]
    show("all rounds: snapshot + step + apply", [r[2] + r[3] + r[4] for r in seen])
    show("longest hold of the write locks", [r[5] for r in busy])
    show("most CPU time of a hold", [r[6] for r in busy])
    operations = sum(r[1] for r in busy)
    if operations:
        print(f"  {operations:.0f} operations, {sum(r[4] for r in busy) / operations:.3f} ms each under the write locks")
    shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
