# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether jobs have the quotas that dfrsctl says they should have."""
import json

from . import cgroups


def _jobs(cluster):
    return {job["job"]: job for job in json.loads(cluster.command("dfrsctl", "status", "--json").stdout)["jobs"]}


def wrong(cluster):
    """(job, node) -> (cores by its quota, cores by its yield) where these differ, or (None, its process) where one runs
    in no group; None while things change. Where a job has no process that could use CPU time (its task there has
    ended, or has yet to begin) there is nothing to be under a quota."""
    before, cores = _jobs(cluster), cluster.options.cores_per_cpu
    have = {node: cgroups.quotas(cluster.cgroup_tree, node, unlimited=True) for node in cluster.nodes}
    strays = cgroups.strays(cluster.cgroup_tree, str(cluster.folder / "etc/slurm.conf"))
    after = _jobs(cluster)
    wanted = {}
    for number, job in before.items():
        if job["state"] != "running":
            continue
        if number not in after or any(after[number][key] != job[key] for key in ("yield", "nodes", "state")):
            return None
        for node, tasks in job["nodes"].items():
            wanted[number, node] = job["yield"] * tasks * job["cpus_per_task"] * cores
    if set(before) != set(after):
        return None
    found = {key: (have[key[1]][f"job_{key[0]}"], value) for key, value in wanted.items()
             if abs(have[key[1]].get(f"job_{key[0]}", value) - value) > 0.02 * value + 0.0005}
    found.update({(job, node): (None, process) for job, node, process in strays if (job, node) in wanted})
    return found
