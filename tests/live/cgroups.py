# SPDX-License-Identifier: GPL-2.0-or-later
"""The groups that hold jobs' CPU quotas, as far as they are left over when a cluster ends."""
import os
import time
from pathlib import Path

MOUNTS = Path("/sys/fs/cgroup")


def folders_of(nodes):
    """All groups of these nodes, ours and slurmd's, in any hierarchy."""
    found = []
    for pattern in ("*/dfrs/{}", "dfrs/{}", "*/slurm_{}"):
        for node in nodes:
            found += [path for path in MOUNTS.glob(pattern.format(node)) if (path / "cgroup.procs").exists()]
    return found


def remove_below(nodes, seconds=2.0):
    """Removes the groups of these nodes. A group can be busy for a moment after its last process has gone."""
    end = time.monotonic() + seconds
    for top in folders_of(nodes):
        for folder, _, _ in os.walk(top, topdown=False):
            while True:
                try:
                    os.rmdir(folder)
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    if time.monotonic() >= end:
                        break
                    time.sleep(0.02)
