# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a workload as real jobs on a cluster and measures what became of each.

A job's flow time is from the call of sbatch to the moment at which its last task has done its work, by that task's own
word: what its user waits. Slurm's records, which know whole seconds, are looked at to see that they agree.
"""
import dataclasses
import json
import os
import shlex
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional

from . import jobs
from .errors import ClusterError
from .pause_cost import PauseCost
from .workload import Job

HOLD = 4              # MiB that each task really holds, unless Program says otherwise; Slurm is told the workload's memory
CHECK_INTERVAL = 2.0  # s between looks at Slurm's queue while jobs run
RECORD_SLACK = 3.0    # s by which Slurm's record of a job's end may differ from the job's own: whole seconds, cleaning up


@dataclass
class Measured:
    number: int
    slurm_id: int = 0
    submitted: float = 0.0  # s after the workload began: sbatch was called
    started: float = 0.0    # first task's first instruction
    ended: float = 0.0      # last task's last
    state: str = ""
    requeues: int = 0
    requeue_seconds: List[float] = field(default_factory=list)  # from the end of a run to the beginning of the next
    cpu: List[float] = field(default_factory=list)              # CPU seconds of each task, of all its runs
    memory_ok: bool = True

    @property
    def flow(self):
        return self.ended - self.submitted

    def to_json(self):
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class Program:
    """What jobs run."""
    hold: int = HOLD     # MiB that each task holds at most; no more than its job asks for
    mark: str = "dfrs:checkpoint"  # the job's comment: what keeps its work when it is requeued; "": nothing
    under: tuple = ()    # words before the program: dfrs-run


@dataclass
class Run:
    """One run of a workload."""
    jobs: Dict[int, Measured]
    busy: float        # cores of this host that were busy, mean, with everything
    host_cores: int
    behind: float      # s, the latest that a submission was
    wrong: List[str]   # what is not as it should be
    begun_again: int = 0  # runs of jobs that began from the beginning after another had begun, by the jobs' own word
    checkpoints: Dict[str, float] = field(default_factory=dict)  # dfrsctl's figures of them; empty: no dfrs
    decided: Dict[str, int] = field(default_factory=dict)        # pauses and moves, of the record; empty: no dfrs
    pause_cost: Optional[PauseCost] = None  # where jobs are suspended; none: not measured

    def to_json(self):
        return {**dataclasses.asdict(self), "jobs": [job.to_json() for job in self.jobs.values()]}


def script(job, folder, cores_per_cpu, program=Program()):
    """Lines of the job: `tasks` times burn, which by default continues from its checkpoint when the job is requeued."""
    cores = job.cpus * cores_per_cpu
    words = [*program.under, str(jobs.burn()), f"--work={job.work(cores_per_cpu):.6f}",
             f"--threads={max(1, -(-cores // 1)):.0f}", f"--memory={min(program.hold, job.memory)}",
             f"--result={folder}/{job.number}.json"]
    command = shlex.join(words)
    if program.mark == Program.mark:
        command += f" --checkpoint={shlex.quote(str(folder))}/{job.number}.$SLURM_PROCID.checkpoint"
    # srun does not take the job's CPUs per task by itself, and without them places tasks as if each had one CPU.
    return f"exec srun -c {job.cpus} sh -c {shlex.quote('exec ' + command)}" if job.tasks > 1 else f"exec {command}"


def submit(cluster, job, folder, *options, program=Program()):
    """Its number in Slurm."""
    minutes = max(1, job.limit // 60)
    return jobs.submit(cluster, f"--job-name=job-{job.number}", f"--ntasks={job.tasks}", f"--cpus-per-task={job.cpus}",
                       f"--mem-per-cpu={job.memory_per_cpu}", f"--time={minutes}", f"--comment={program.mark}",
                       *options, script=script(job, folder, cluster.options.cores_per_cpu, program), cwd=folder)


class _Tail:
    """A result file as it grows: read again only when its size has changed."""

    def __init__(self, path):
        self.path, self._size, self.lines = Path(path), 0, []

    def read(self):
        try:
            size = self.path.stat().st_size
        except FileNotFoundError:
            return self.lines
        if size != self._size:
            self._size, self.lines = size, jobs.lines_of(self.path)
        return self.lines

    def ends(self):
        """The last of each task that has done its work. When a job is requeued, those of its tasks that were done
        already end again at once."""
        return last_ends(self.read())


def last_ends(lines):
    return list({line["task"]: line for line in lines if line["event"] == "end"}.values())


def _busy_seconds():
    with open("/proc/stat", encoding="ascii") as file:
        fields = [int(word) for word in file.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")  # all but idle and iowait


def run(cluster, workload, folder, say=lambda text: None, period=None, program=Program()):
    """Submits each job at its time, waits for all of them; the folder keeps what they wrote. With a `period` the workload
    begins when a period does, by the clock, as it does in a simulation: DFRS's ticks are at multiples of it."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    cores_per_cpu = cluster.options.cores_per_cpu
    tails = {job.number: _Tail(folder / f"{job.number}.json") for job in workload.jobs}
    measured = {job.number: Measured(job.number) for job in workload.jobs}
    behind = 0.0
    seconds = workload.span + 10 * workload.node_seconds / workload.nodes + 20 * max(j.run_time for j in workload.jobs)
    if period:
        time.sleep(-time.time() % period)
    begun, busy = time.time(), _busy_seconds()
    for job in workload.jobs:
        wait = begun + job.submit - time.time()
        if wait > 0:
            time.sleep(wait)
        behind = max(behind, -wait)
        one = measured[job.number]
        one.submitted = time.time() - begun
        one.slurm_id = submit(cluster, job, folder, program=program)
    say(f"all {len(workload.jobs)} jobs are submitted")
    _wait(cluster, workload, tails, measured, seconds)
    busy, length = _busy_seconds() - busy, time.time() - begun

    records = jobs.wait_ended(cluster, [one.slurm_id for one in measured.values()], 30)
    wrong = []
    for job in workload.jobs:
        one = measured[job.number]
        _fill(one, job, tails[job.number].read(), begun)
        _compare(one, records[one.slurm_id], job, begun, cores_per_cpu, wrong)
    again = sum(begun_again(tails[job.number].read(), program) for job in workload.jobs)
    status = json.loads(cluster.command("dfrsctl", "status", "--json").stdout) if cluster.has_agents else {}
    figures = {**status.get("checkpoints", {}), **{name: status[name] for name in ("lost_runs", "lost_work_s") if name in status}}
    return Run(measured, busy / length, os.cpu_count() or 1, behind, wrong, again, figures)


def begun_again(lines, program):
    """How many tasks began once more, from nothing."""
    if program.mark == Program.mark:
        return 0
    starts = [line["task"] for line in lines if line["event"] == "start"]
    return len(starts) - len(set(starts))


def _wait(cluster, workload, tails, measured, seconds):
    end, look = time.monotonic() + seconds, time.monotonic() + CHECK_INTERVAL
    left = {job.number: job for job in workload.jobs}
    while left:
        for number in [n for n, job in left.items() if len(tails[n].ends()) >= job.tasks]:
            del left[number]
        if not left:
            return
        if time.monotonic() >= end:
            raise ClusterError(f"{len(left)} jobs have not ended within {seconds:.0f} s: "
                               f"{', '.join(f'job-{number}' for number in left)}; {cluster.tail('slurmctld')}")
        if time.monotonic() >= look:
            _check_failed(cluster, left, tails, measured)
            look = time.monotonic() + CHECK_INTERVAL
        time.sleep(0.1)


def _check_failed(cluster, left, tails, measured):
    """A job that Slurm has ended without its work being done ends the run."""
    listed = cluster.command("squeue", "-h", "-t", "all", "-o", "%A %T", check=False).stdout.split()
    states = dict(zip(map(int, listed[::2]), listed[1::2]))
    for number, job in left.items():
        state = states.get(measured[number].slurm_id, "")
        if state in jobs.ENDED and len(tails[number].ends()) < job.tasks:
            raise ClusterError(f"job-{number} ended as {state} before its work was done; "
                               f"{cluster.tail('slurmctld')}")


def _fill(one, job, lines, begun):
    ends = last_ends(lines)
    one.started = min(line["now"] for line in lines if line["event"] == "start") - begun
    one.ended = max(line["now"] for line in ends) - begun
    one.cpu = [line["cpu"] for line in sorted(ends, key=lambda line: line["task"])]
    one.memory_ok = all(line["memory_ok"] for line in ends)
    for task in range(job.tasks):
        mine = [line for line in lines if line["task"] == task]
        for before, after in zip(mine, mine[1:]):
            if before["event"] == "terminated" and after["event"] == "start":
                one.requeue_seconds.append(after["begun"] - before["now"])


def _compare(one, record, job, begun, cores_per_cpu, wrong):
    """Slurm's record against what the job says itself."""
    name = f"job-{one.number}"
    one.state, one.requeues = record["JobState"], int(record["Restarts"])
    if one.state != "COMPLETED":
        wrong.append(f"{name} is {one.state} (exit {record['ExitCode']})")
    ended = time.mktime(time.strptime(record["EndTime"], "%Y-%m-%dT%H:%M:%S")) - begun
    if not -RECORD_SLACK <= ended - one.ended <= RECORD_SLACK:
        wrong.append(f"{name} ended at {one.ended:.1f} s by its own word, at {ended:.1f} s by Slurm's")
    if len(one.cpu) != job.tasks:
        wrong.append(f"{name}: {len(one.cpu)} tasks ended, not {job.tasks}")
    work = job.work(cores_per_cpu)
    for cpu in one.cpu:
        if not jobs.did_once(work, cpu, one.requeues):
            wrong.append(f"{name}: a task used {cpu:.6f} s of CPU, not {work:.6f}")
    if not one.memory_ok:
        wrong.append(f"{name}: memory was not what had been written")


@dataclass(frozen=True)
class Overhead:
    """What Slurm takes of a job beyond its run time, s."""
    delay: float  # from the call of sbatch until it would be given nodes, if there are any
    cost: float   # for which it holds its nodes besides its run time: launch, launcher, clean-up


class StartUp:
    """Overheads of jobs by their CPUs and tasks: those measured, and what lies between interpolated."""

    def __init__(self, points):
        self.points = points  # (cpus, tasks) -> Overhead

    def __call__(self, job):
        cpus = min({cpus for cpus, _ in self.points}, key=lambda known: abs(known - job.cpus))
        known = sorted((tasks, overhead) for (c, tasks), overhead in self.points.items() if c == cpus)
        for (low, at_low), (high, at_high) in zip(known, known[1:]):
            # Serial jobs start without srun: nothing lies between them and the parallel ones.
            if low > 1 and low <= job.tasks <= high:
                part = (job.tasks - low) / (high - low)
                return Overhead(at_low.delay + (at_high.delay - at_low.delay) * part,
                                at_low.cost + (at_high.cost - at_low.cost) * part)
        return min(known, key=lambda item: abs(item[0] - job.tasks))[1]


CALIBRATION_RUN_TIME = 1.0  # s
CALIBRATION_REPEATS = 3


def calibrate(cluster, workload, folder, repeats=CALIBRATION_REPEATS, program=Program()):
    """The overheads on the idle cluster, before the workload: means over jobs of 1 s with one task, and with the fewest
    and the most of the parallel jobs, submitted at different parts of a second, since slurmctld has a clock that ticks
    every second."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    points, number = {}, 0
    # slurmctld waits some seconds for its nodes, and the first job reads the program from the disk.
    _overhead(cluster, Job(number, 0.0, 1, min(job.cpus for job in workload.jobs), min(64, workload.memory),
                           CALIBRATION_RUN_TIME, 60), folder, program)
    for cpus in sorted({job.cpus for job in workload.jobs}):
        sizes = {job.tasks for job in workload.jobs if job.cpus == cpus}
        parallel = sizes - {1}
        for tasks in sorted((sizes & {1}) | ({min(parallel), max(parallel)} if parallel else set())):
            measured = []
            for turn in range(repeats):
                time.sleep((turn / repeats - time.time()) % 1.0)
                number += 2
                job = Job(number, 0.0, tasks, cpus, min(64, workload.memory), CALIBRATION_RUN_TIME, 60)
                measured.append(_overhead(cluster, job, folder, program))
            points[cpus, tasks] = Overhead(*(statistics.fmean(part) for part in zip(*measured)))
    return StartUp(points)


def _overhead(cluster, job, folder, program):
    """(delay, cost) of one job. Under sched/backfill a second one waits for its nodes: how long after the end of the
    first it starts is what a job holds its nodes too long, and the rest of the way from sbatch to the start of the
    first is delay. Under sched/dfrs jobs do not wait for each other, and all counts as cost."""
    pair = [job]
    if not cluster.has_agents:
        pair.append(Job(**{**vars(job), "number": job.number + 1}))
    nodes = cluster.nodes[:max(1, -(-job.tasks * job.cpus // cluster.options.cpus))]
    begun = time.time()
    ids = [submit(cluster, one, folder, f"--nodelist={','.join(nodes)}", program=program) for one in pair]
    jobs.wait_ended(cluster, ids, 60)
    runs = [_Tail(folder / f"{one.number}.json").read() for one in pair]
    if any(len(last_ends(lines)) != job.tasks for lines in runs):
        raise ClusterError(f"a job of 1 s on the idle cluster failed; {cluster.tail('slurmctld')}")
    starts = [min(line["begun"] for line in lines) for lines in runs]
    end = max(line["now"] for line in runs[0])
    late, longer = starts[0] - begun, end - starts[0] - job.run_time
    turnover = min(late, starts[1] - end) if len(pair) == 2 else late
    return late - turnover, longer + max(0.0, turnover)
