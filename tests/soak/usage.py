# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory, descriptors and threads of daemons over time, and whether they grow."""
import os
import statistics
import time
from collections import defaultdict
from pathlib import Path

from live.periodic import Periodic

from .judge import Finding

INTERVAL = 5.0
WARM_UP = 240.0     # s of a daemon's life that do not count: as long as slurmctld keeps ended jobs, and more
LEAST_LIFE = 900.0  # s after that for a slope to be judged
MOST_MEMORY = 1.0   # MiB an hour
MOST_COUNT = 3.0    # descriptors, or threads, an hour
PARTS = 4           # of a life, of which each must have more memory than the one before: a leak goes on, a step does not


class Usage(Periodic):
    """Samples slurmctld and the agents in the background."""

    def __init__(self, cluster):
        super().__init__(INTERVAL)
        self.cluster = cluster
        self.lives = defaultdict(list)  # (daemon, process number) -> (s, MiB, descriptors, threads)

    def look(self):
        for name in (name for name in self.cluster.daemons() if name.startswith(("slurmctld", "dfrsd"))):
            process = self.cluster.process(name)
            if process:
                try:
                    self.lives[name, process.pid].append((time.monotonic(), *_of(process.pid)))
                except (OSError, ValueError, IndexError):
                    pass  # it has just ended

    def samples(self):
        """(daemon, process number, samples) of each life."""
        return [(name, pid, samples) for (name, pid), samples in self.lives.items()]


def rows(lives):
    """(daemon, s of life that count, median MiB of its parts, MiB/h, descriptors/h, threads/h) of each long enough life."""
    found = []
    for name, _, samples in lives:
        counted = [sample for sample in samples if sample[0] >= samples[0][0] + WARM_UP]
        if len(counted) >= 10:
            slopes = [3600 * slope([(sample[0], sample[k]) for sample in counted]) for k in (1, 2, 3)]
            found.append((name, counted[-1][0] - counted[0][0], medians(counted), *slopes))
    return found


def medians(samples):
    """Of the memory in the parts of a life, of equal length."""
    first, length = samples[0][0], (samples[-1][0] - samples[0][0]) / PARTS
    parts = [[] for _ in range(PARTS)]
    for sample in samples:
        parts[min(PARTS - 1, int((sample[0] - first) / length))].append(sample[1])
    return [statistics.median(part) for part in parts if part]


def goes_on(parts, hours):
    """Whether memory, by its medians in parts of a life of so many hours, has grown too fast from each to the next."""
    return all(after - before > MOST_MEMORY * hours / PARTS for before, after in zip(parts, parts[1:]))


def findings(lives):
    found = []
    for name, life, parts, memory, descriptors, threads in rows(lives):
        leaks = memory > MOST_MEMORY and goes_on(parts, life / 3600)
        if life >= LEAST_LIFE and (leaks or descriptors > MOST_COUNT or threads > MOST_COUNT):
            found.append(Finding("growth", f"{name} grew for {life:.0f} s by {memory:.2f} MiB, {descriptors:.1f} "
                                 f"descriptors and {threads:.1f} threads an hour"))
    return found


def _of(pid):
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    values = {line.split(":")[0]: line.split()[1] for line in status.splitlines() if len(line.split()) > 1}
    return int(values["VmRSS"]) / 1024, len(os.listdir(f"/proc/{pid}/fd")), int(values["Threads"])


def slope(points):
    """Of the straight line by least squares, per unit of x."""
    count = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / count, sum(y for _, y in points) / count
    across = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / across if across else 0.0
