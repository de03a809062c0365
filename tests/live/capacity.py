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
    used = {}
    for line in cluster.command("scontrol", "-o", "-d", "show", "job").stdout.splitlines():
        if " JobState=RUNNING " not in line:
            continue
        for nodes, memory in _PART.findall(line):
            for node in expand(nodes):
                used[node] = used.get(node, 0) + int(memory)
    return used


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
