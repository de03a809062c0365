# SPDX-License-Identifier: GPL-2.0-or-later
"""The groups that hold jobs' CPU quotas, as far as they are left over when a cluster ends."""
import math
import os
import time
from pathlib import Path

from .processes import environment_of

MOUNTS = Path("/sys/fs/cgroup")
MOST_SHARES = 262144  # of the kernel


def version():
    """1 or 2: where the kernel's cpu controller is; 0: nowhere that we can see."""
    if (MOUNTS / "cpu/cgroup.procs").exists():
        return 1
    try:
        return 2 if "cpu" in (MOUNTS / "cgroup.controllers").read_text(encoding="ascii").split() else 0
    except OSError:
        return 0


# For a job's script: prints its quota and its period, in microseconds; no quota is -1 or max.
READ_QUOTA = ("awk -F: '$2 ~ /(^|,)cpu(,|$)/ { d = \"/sys/fs/cgroup/cpu\" $3; print d \"/cpu.cfs_quota_us\", d \"/cpu.cfs_period_us\" }"
              " $1 == 0 && !d { sub(/\\/step_.*/, \"\", $3); v2 = \"/sys/fs/cgroup\" $3 \"/cpu.max\" }"
              " END { if (!d) print v2 }' /proc/self/cgroup | xargs cat | paste -sd' '")


def folders_of(tree, node="*"):
    """The groups of a cluster's nodes in every hierarchy that has them; `tree` is the cluster's cgroup_tree."""
    return [path for path in MOUNTS.glob(f"*/{tree}/{node}") if (path / "cgroup.procs").exists()]


def groups_of_jobs(tree):
    """The group of each job of a cluster, in every hierarchy. os.walk() does not mind groups that vanish meanwhile."""
    return [Path(folder, name) for top in folders_of(tree) for folder, names, _ in os.walk(top)
            for name in names if name.startswith("job_")]


def put_first(tree):
    """From now on a cluster's jobs get their CPU time before other processes of the host do. (Version 1: there all of
    its groups are in one.)"""
    if version() == 1:
        folder = MOUNTS / "cpu" / tree
        folder.mkdir(exist_ok=True)
        (folder / "cpu.shares").write_text(str(MOST_SHARES), encoding="ascii")


def limit_nodes(tree, nodes, cores):
    """All jobs of a node together get no more than this many cores. Agents of DFRS see to that by themselves; without
    them each job has a quota of its own, whatever the others have. (Version 1: there a node's jobs are in one group.)"""
    if version() == 1:
        for node in nodes:
            folder = MOUNTS / "cpu" / tree / node
            folder.mkdir(parents=True, exist_ok=True)
            period = int((folder / "cpu.cfs_period_us").read_text(encoding="ascii"))
            (folder / "cpu.cfs_quota_us").write_text(str(round(cores * period)), encoding="ascii")


def remove(tree, nodes, seconds=2.0):
    """Removes a cluster's groups. A group can be busy for a moment after its last process has gone."""
    end = time.monotonic() + seconds
    tops = [*MOUNTS.glob(f"*/{tree}"), *(MOUNTS / f"system.slice/{node}_slurmstepd.scope" for node in nodes)]
    for top in tops:
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


def _working(folder):
    """Whether a process of the group could use CPU time: there is one, and it is not stopped."""
    for pid in (folder / "cgroup.procs").read_text(encoding="ascii").split():
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
                if file.read().rpartition(")")[2].split()[0] not in "TZX":
                    return True
        except OSError:
            continue
    return False


def _read_quotas(tree, node):
    found = {}
    for top in folders_of(tree, node):
        for path in top.glob("job_*"):
            try:
                if not (path / "cpu.cfs_quota_us").exists() or not _working(path):
                    continue
                quota, period = ((path / f"cpu.cfs_{name}_us").read_text(encoding="ascii") for name in ("quota", "period"))
            except OSError:
                continue  # it has just gone
            found[path.name] = int(quota) / int(period) if int(quota) > 0 else math.inf
    return found


def commands(tree, node, job):
    """The names of the processes that are under the quota of a job on this node. (Version 1.)"""
    found = set()
    for top in folders_of(tree, node):
        try:
            processes = (top / f"job_{job}/cgroup.procs").read_text(encoding="ascii").split()
        except OSError:
            continue  # the group is not there yet, or has just gone
        for pid in processes if (top / f"job_{job}/cpu.cfs_quota_us").exists() else ():
            try:
                found.add(Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip())
            except OSError:
                continue
    return found


def strays(tree, conf):
    """(job, node, process) of each process of a job that runs outside of its job's group, so under no quota of ours.
    `conf`: the cluster's slurm.conf, by which its jobs are known."""
    found = set()
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        environment = environment_of(int(name))
        job, node = environment.get("SLURM_JOB_ID"), environment.get("SLURMD_NODENAME")
        if environment.get("SLURM_CONF") != conf or not job or not node:
            continue
        try:
            stat = Path(f"/proc/{name}/stat").read_text(encoding="ascii", errors="replace")
            groups = Path(f"/proc/{name}/cgroup").read_text(encoding="ascii", errors="replace").splitlines()
        except OSError:
            continue  # it has just ended
        command, state = stat.partition("(")[2].rpartition(")")[0], stat.rpartition(")")[2].split()[0]
        if command.startswith("slurm") or state in "TZX":  # Slurm's own, or nothing that could use CPU time
            continue
        wanted = (f"/{tree}/{node}/job_{job}", f"/{node}_slurmstepd.scope/job_{job}/")
        if not any(f"{line}/".endswith(f"{wanted[0]}/") or wanted[1] in line
                   for line in groups if set(line.split(":")[1].split(",")) & {"cpu", ""}):
            found.add((int(job), node, int(name)))
    return found


def quotas(tree, node, seconds=1.0, unlimited=False):
    """job_N -> cores that the group of job N on this node may use, of groups that can use any. Files are read one after
    the other; what is returned was the same twice in a row, so that a change in between does not show as two quotas
    at once. `unlimited`: with those that may use all cores, as inf."""
    end, last = time.monotonic() + seconds, _read_quotas(tree, node)
    while time.monotonic() < end:
        now = _read_quotas(tree, node)
        if now == last:
            return {name: cores for name, cores in now.items() if unlimited or cores < math.inf}
        last = now
    return {}
