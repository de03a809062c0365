# SPDX-License-Identifier: GPL-2.0-or-later
"""Watches a cluster at work: memory and CPU of a node must never be allocated twice."""
import re
import time

from . import cgroups, jobs
from .periodic import Periodic

_PART = re.compile(r"\sNodes=(\S+) CPU_IDs=\S* Mem=(\d+)")


def expand(text):
    """Names of a Slurm host list such as a[1-3,7],b."""
    names = []
    for prefix, ranges in re.findall(r"([^,\[\]]+)(?:\[([^\]]*)\])?,?", text):
        if not ranges:
            names.append(prefix)
        for part in filter(None, ranges.split(",")):
            first, _, last = part.partition("-")
            names += [f"{prefix}{number:0{len(first)}d}" for number in range(int(first), int(last or first) + 1)]
    return names


def memory_by_node(cluster):
    """node -> MiB of running jobs, from Slurm's records of jobs, which it hands out as of one instant."""
    return _memory(cluster.command("scontrol", "-o", "-d", "show", "job").stdout, ("RUNNING",))


def _memory(text, states):
    """node -> MiB of the jobs in these states, of what `scontrol -o -d show job` says."""
    used = {}
    for line in text.splitlines():
        if any(f" JobState={state} " in line for state in states):
            for nodes, memory in _PART.findall(line):
                for node in expand(nodes):
                    used[node] = used.get(node, 0) + int(memory)
    return used


def compare_books(shown_jobs, shown_nodes):
    """node -> what is wrong with what Slurm says to have given away of it. A suspended job has its memory or not: ours
    give it back. A completing one has given back that of some nodes, as has one that is requeued or resized."""
    least = _memory(shown_jobs, ("RUNNING",))
    most = _memory(shown_jobs, ("RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "RESIZING", "REQUEUED", "STOPPED"))
    wrong = {}
    for node in (jobs.parse(line) for line in shown_nodes.splitlines() if line.startswith("NodeName=")):
        name, given = node["NodeName"], int(node["AllocMem"])
        if not least.get(name, 0) <= given <= most.get(name, 0):
            wrong[name] = f"{given} MiB are given away, and jobs have {least.get(name, 0)} to {most.get(name, 0)}"
    return wrong


def wrong_books(cluster):
    """compare_books() of now, where jobs stayed as they were while nodes were asked for. None: they did not."""
    shown = [cluster.command("scontrol", "-o", *words).stdout for words in
             (("-d", "show", "job"), ("show", "node"), ("-d", "show", "job"))]
    if _holders(shown[0]) != _holders(shown[2]):
        return None
    return compare_books(shown[0], shown[1])


def _holders(text):
    return [re.findall(r"JobId=\d+|JobState=\w+|\sNodeList=\S*", line) for line in text.splitlines()]


class Sampler(Periodic):
    """Checks in the background until stop(); `broken` then has a line for each violation, `cases` (s since 1970, node,
    "memory" or "quotas", line)."""

    def __init__(self, cluster, interval=0.2):
        super().__init__(interval)
        self.cluster = cluster
        self.cases, self.errors, self.samples = [], [], 0

    @property
    def broken(self):
        return [line for _, _, _, line in self.cases]

    def _break(self, node, what, text):
        self.cases.append((time.time(), node, what, f"{time.strftime('%T')} {node}: {text}"))

    def look(self):
        try:
            self._compare()
        except Exception as error:  # pylint: disable=broad-except
            self.errors.append(str(error))  # slurmctld may be down for a moment

    def _compare(self):
        options = self.cluster.options
        for node, used in memory_by_node(self.cluster).items():
            if used > options.memory:
                self._break(node, "memory", f"running jobs have {used} of {options.memory} MiB")
        shown = self.cluster.command("scontrol", "-o", "show", "node").stdout
        for node in (jobs.parse(line) for line in shown.splitlines() if line.startswith("NodeName=")):
            if int(node["AllocMem"]) > options.memory:
                self._break(node["NodeName"], "memory", f"Slurm has given {node['AllocMem']} of {options.memory} MiB")
        cores = options.cores_per_cpu * options.cpus
        for node in self.cluster.nodes:
            quotas = cgroups.quotas(self.cluster.cgroup_tree, node)
            if sum(quotas.values()) > cores * 1.01 + 0.001 * len(quotas):
                self._break(node, "quotas", f"quotas of {quotas} cores are more than {cores:g}")
        self.samples += 1
