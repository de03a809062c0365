# SPDX-License-Identifier: GPL-2.0-or-later
"""Workloads of jobs that take seconds: generated, or read from a file in the project's trace format.

The generated one has the traits that set schedulers apart, in the manner of the Lublin-Feitelson model: most
jobs are small and short, sizes prefer powers of two, run times have a heavy tail and grow a little with size, jobs come
in bursts, and users ask for far more time than they need. Only uniform random numbers are drawn, so that a seed means
the same workload under every version of Python.
"""
import math
import random
from dataclasses import dataclass

from .errors import ClusterError

MINUTE = 60  # s; Slurm's time limits have no finer unit


@dataclass(frozen=True)
class Job:
    number: int      # 1, 2, ... by submission
    submit: float    # s from the first submission
    tasks: int
    cpus: int        # of a task, as Slurm counts them
    memory: int      # MiB of a task
    run_time: float  # s at full speed
    limit: int       # s that its user asks for, whole minutes

    def work(self, cores_per_cpu):
        """CPU seconds of a real core that each task uses."""
        return self.run_time * self.cpus * cores_per_cpu

    @property
    def memory_per_cpu(self):
        return max(1, self.memory // self.cpus)


@dataclass(frozen=True)
class Workload:
    name: str
    nodes: int
    cpus: int    # of a node
    memory: int  # MiB of a node
    jobs: tuple

    @property
    def node_seconds(self):
        return sum(job.tasks * job.cpus * job.run_time for job in self.jobs) / self.cpus

    @property
    def span(self):
        return self.jobs[-1].submit - self.jobs[0].submit

    @property
    def load(self):
        """Offered: work over what the nodes can do between the first and the last submission."""
        return self.node_seconds / (self.nodes * self.span) if self.span > 0 else math.inf


def _between(dice, low, high):
    return low + (high - low) * dice.random()


def _log_between(dice, low, high):
    return low * (high / low) ** dice.random()


def _choose(dice, weights):
    """A key of `weights`, with probability in proportion to its value."""
    at = dice.random() * sum(weights.values())
    for key, weight in weights.items():
        at -= weight
        if at < 0:
            return key
    return key


def _tasks(dice, most):
    if dice.random() < 0.5:
        return 1
    size = 2 ** _between(dice, 0.5, math.log2(most) + 0.2)
    if dice.random() < 0.75:
        size = 2 ** round(math.log2(size))
    return max(2, min(most, round(size)))


def _run_time(dice, tasks):
    # Three of four jobs take seconds; a few make most of the work.
    grows = 1 + 0.1 * math.log2(tasks)
    low, high = _choose(dice, {(2, 5): 0.70, (5, 12): 0.22, (15, 40): 0.08})
    return _log_between(dice, low, high) * grows


def generate(*, seed=1, jobs=60, nodes=8, cpus=4, memory=4096, load=0.8, one_task=False):
    """`jobs` jobs for so many nodes. Every task asks for a node's CPUs, so that a batch scheduler gives it a node of its
    own, as the papers' does; with `one_task` no job has another task. The gaps between submissions are scaled so that the offered load is `load`."""
    dice = random.Random(seed)
    drawn, gaps = [], []
    for _ in range(jobs):
        tasks = 1 if one_task else _tasks(dice, nodes)
        share = 0.1 if dice.random() < 0.55 else math.floor(_between(dice, 2, 6)) / 10
        run_time = round(_run_time(dice, tasks), 2)
        limit = MINUTE * math.ceil(run_time * _log_between(dice, 1.2, 12) / MINUTE)
        drawn.append((tasks, cpus, int(share * memory / cpus) * cpus, run_time, limit))
        # Bursts: every other job comes close behind the one before it.
        gaps.append(-math.log(1 - dice.random()) * (0.2 if dice.random() < 0.5 else 1.8))
    gaps[0] = 0.0
    work = sum(tasks * run_time for tasks, _, _, run_time, _ in drawn)
    scale = work / (load * nodes) / sum(gaps)
    made, now = [], 0.0
    for number, (gap, job) in enumerate(zip(gaps, drawn), 1):
        now += gap * scale
        made.append(Job(number, round(now, 3), *job))
    return Workload(f"generated-seed-{seed}", nodes, cpus, memory, tuple(made))


# ---- the dfrs-trace format ----

def trace_text(workload, start_up=None):
    """The workload for dfrs-sim. `start_up(job)`: what Slurm takes of it, with members delay and cost (s). Slurm's queue is
    in the order of submission, so no job comes before one that was submitted earlier, whatever their delays."""
    lines = ["; dfrs-trace: 1", f"; Name: {workload.name}",
             f"; Nodes: {workload.nodes} cpu 1 memory {workload.memory}",
             "; Fields: id submit tasks cpu_need memory_mib run_time estimate"]
    latest = 0.0
    for job in sorted(workload.jobs, key=lambda job: job.submit):
        overhead = start_up(job) if start_up else None
        submit, run_time = job.submit, job.run_time
        if overhead:
            submit, run_time = submit + overhead.delay, run_time + overhead.cost
        submit = latest = max(submit, latest)
        lines.append(f"{job.number} {submit:.6g} {job.tasks} {job.cpus / workload.cpus:.10g} {job.memory} "
                     f"{run_time:.6g} {job.limit:.9g}")
    return "\n".join(lines) + "\n"


def read_trace(path, nodes, cpus, memory=None, time_scale=1.0):
    """A workload of the user's own. Its header says how large the cluster is that it was made for; nodes and memory
    given here win. CPU needs become whole CPUs of a node, rounded up. All times are divided by `time_scale`."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        raise ClusterError(f"cannot read the trace {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ClusterError(f"{path} is not a trace in the dfrs-trace format: it is not text") from None
    return _Reader(str(path), nodes, cpus, memory, time_scale).read(text)


class _Reader:
    def __init__(self, path, nodes, cpus, memory, time_scale):
        self.path, self.nodes, self.cpus, self.memory, self.time_scale = path, nodes, cpus, memory, time_scale
        self.name, self.header_nodes, self.header_memory, self.instances = "", None, None, 0
        self.jobs, self.line = [], 0

    def fail(self, what):
        raise ClusterError(f"{self.path}:{self.line}: {what}; docs/reference/trace-format.md describes the format")

    def read(self, text):
        for self.line, line in enumerate(text.splitlines(), 1):
            words = line.split()
            if not words:
                continue
            if words[0].startswith(";"):
                self._header(line.strip()[1:].strip())
            else:
                self._job(words)
        if not self.instances:
            self.line = 1
            self.fail("the first line must be '; dfrs-trace: 1'")
        if not self.jobs:
            self.fail("the trace has no jobs")
        nodes = self.nodes or self.header_nodes
        memory = self.memory or self.header_memory
        if not nodes or not memory:
            self.fail("there is no line '; Nodes: COUNT cpu 1 memory MIB'")
        for job in self.jobs:
            per_node = min(self.cpus // job.cpus, memory // job.memory if job.memory else self.cpus)
            if per_node * nodes < job.tasks:
                raise ClusterError(f"{self.path}: job {job.number} has {job.tasks} tasks of {job.cpus} CPUs and "
                                   f"{job.memory} MiB, which {nodes} nodes of {self.cpus} CPUs and {memory} MiB cannot "
                                   "run at once; give more nodes with --nodes")
        first = self.jobs[0].submit
        jobs = tuple(Job(number, job.submit - first, job.tasks, job.cpus, job.memory, job.run_time, job.limit)
                     for number, job in enumerate(self.jobs, 1))
        return Workload(self.name or "trace", nodes, self.cpus, memory, jobs)

    def _header(self, text):
        key, mark, value = (part.strip() for part in text.partition(":"))
        if not mark:
            return
        if key == "dfrs-trace":
            self.instances += 1
            if value != "1":
                self.fail(f"version {value} of the format is not known, only 1")
            if self.instances > 1:
                self.fail("the file holds more than one instance; give one with a single '; dfrs-trace: 1'")
        elif key == "Name":
            self.name = value
        elif key == "Nodes":
            words = value.split()
            if self.header_nodes is not None:
                self.fail("nodes that differ from each other cannot be compared here; one 'Nodes' line is expected")
            try:
                self.header_nodes, cpu, self.header_memory = int(words[0]), float(words[2]), int(words[4])
            except (IndexError, ValueError):
                self.fail("expected '; Nodes: COUNT cpu 1 memory MIB'")
            if cpu != 1:
                self.fail(f"nodes of cpu {cpu:g} cannot be compared here; 'cpu 1' is expected")

    def _job(self, words):
        try:
            number, submit, tasks = int(words[0]), float(words[1]), int(words[2])
            need, memory, run_time, estimate = float(words[3]), int(words[4]), float(words[5]), float(words[6])
        except (IndexError, ValueError):
            self.fail("expected 7 fields: id submit tasks cpu_need memory_mib run_time estimate")
        if not (tasks >= 1 and 0 < need <= 1 and memory >= 0 and 0 < run_time < 1e6 and math.isfinite(submit)):
            self.fail(f"job {number}: expected tasks of 1 or more, a CPU need above 0 and up to 1, and a run time above 0")
        submit, run_time, estimate = (time / self.time_scale for time in (submit, run_time, estimate))
        if self.jobs and submit < self.jobs[-1].submit:
            self.fail(f"job {number} is submitted before the job of the line above")
        limit = MINUTE * max(1, math.ceil(max(estimate, run_time) / MINUTE))
        self.jobs.append(Job(number, submit, tasks, max(1, math.ceil(need * self.cpus - 1e-9)), max(1, memory), run_time,
                             limit))
