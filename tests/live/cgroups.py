# SPDX-License-Identifier: GPL-2.0-or-later
"""The groups that hold jobs' CPU quotas, as far as they are left over when a cluster ends."""
import os
import time
from pathlib import Path

MOUNTS = Path("/sys/fs/cgroup")


def folders_of(tree, node="*"):
    """The groups of a cluster's nodes in every hierarchy that has them; `tree` is the cluster's cgroup_tree."""
    return [path for path in MOUNTS.glob(f"*/{tree}/{node}") if (path / "cgroup.procs").exists()]


def groups_of_jobs(tree):
    """The group of each job of a cluster, in every hierarchy."""
    return [path for top in folders_of(tree) for path in top.glob("**/job_*") if path.is_dir()]


def remove(tree, seconds=2.0):
    """Removes a cluster's groups. A group can be busy for a moment after its last process has gone."""
    end = time.monotonic() + seconds
    for top in MOUNTS.glob(f"*/{tree}"):
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


def _read_quotas(tree, node):
    quotas = {}
    for top in folders_of(tree, node):
        for path in top.glob("**/job_*"):
            try:
                if (path / "cpu.cfs_quota_us").exists():
                    quota, period = ((path / f"cpu.cfs_{name}_us").read_text(encoding="ascii") for name in ("quota", "period"))
                elif (path / "cpu.max").exists():
                    quota, period = (path / "cpu.max").read_text(encoding="ascii").split()
                else:
                    continue
            except OSError:
                continue  # it has just gone
            if quota.strip() not in ("-1", "max"):
                quotas[path.name] = int(quota) / int(period)
    return quotas


def quotas(tree, node, seconds=1.0):
    """job_N -> cores that the group of job N on this node may use. Files are read one after the other; what is
    returned was the same twice in a row, so that a change in between does not show as two quotas at once."""
    end, last = time.monotonic() + seconds, _read_quotas(tree, node)
    while time.monotonic() < end:
        now = _read_quotas(tree, node)
        if now == last:
            return now
        last = now
    return {}
