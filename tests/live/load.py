# SPDX-License-Identifier: GPL-2.0-or-later
"""Many short jobs of all kinds, the same ones at every run."""
import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    work: float       # CPU seconds of each task
    tasks: int
    cpus: int         # of a task
    memory: int       # MiB of a task
    checkpoint: bool
    pause: float      # seconds between its submission and the next one


def kinds(count, seed, *, nodes, memory, scale=1.0):
    """Work from 0.02 to about 0.5 CPU seconds, heavy-tailed; a quarter of the jobs have several tasks."""
    random_number = random.Random(seed)
    made = []
    for _ in range(count):
        tasks = random_number.choice((1, 1, 1, 1, 1, 1, 2, 3, min(4, nodes)))
        cpus = random_number.choice((1, 2, 4, 4))
        if tasks > 1:
            cpus = 4  # its srun must start within the seconds that it is given, on a small share of a core
        share = random_number.choice((0.1, 0.1, 0.2, 0.3, 0.5, 0.8))
        work = min(0.5, 0.02 * random_number.paretovariate(1.0)) * scale
        made.append(Kind(round(work, 3), tasks, cpus, int(share * memory) // cpus * cpus,
                         random_number.random() < 0.5, random_number.expovariate(1.0)))
    return made


def submit(test, kind, *options, step=False):
    """The job's number, of a LiveTest's sbatch_burn."""
    return test.sbatch_burn(kind.work, *options, tasks=kind.tasks, cpus=kind.cpus, memory=kind.memory,
                            checkpoint=kind.checkpoint and kind.tasks == 1, hold=min(8, kind.memory // 2), step=step)
