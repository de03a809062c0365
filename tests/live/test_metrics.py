# SPDX-License-Identifier: GPL-2.0-or-later
"""Slurm's own metrics (25.11 and later) and those of dfrs join by node and partition, the controller's and the agents' by
job, as docs/reference/metrics.md says."""
import re
import unittest
import urllib.request
from pathlib import Path

from . import slurm
from .case import LiveTest
from .options import Options
from .waiting import wait_for

SECONDS = 25
LINE = re.compile(r'(\w+)(?:\{(.*)\})? (\S+)(?: \d+)?')


def missing():
    """Why this Slurm has no metrics; nothing if it has."""
    if not slurm.find_program("slurmctld") or not slurm.since(25, 11):
        return "Slurm's own metrics came with 25.11"
    if not (slurm.plugin_folder() / "metrics_openmetrics.so").exists():
        return "this Slurm was built without metrics/openmetrics"
    return ""


def read(port, path="/metrics"):
    """name -> {labels as (name, value), in order of the names: value}"""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        text = answer.read().decode()
    found = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, labels, value = LINE.fullmatch(line).groups()
        key = tuple(sorted(re.findall(r'(\w+)="([^"]*)"', labels or "")))
        found.setdefault(name, {})[key] = float(value)
    return found


def by(series, *labels):
    """What PromQL's on(...) joins: {values of these labels: value}. Two series with the same ones do not join."""
    joined = {}
    for key, value in series.items():
        at = tuple(dict(key)[label] for label in labels)
        if at in joined:
            raise AssertionError(f"two series have {labels} = {at}")
        joined[at] = value
    return joined


@unittest.skipIf(missing(), missing())
class Joined(LiveTest):
    options = Options(nodes=2, cpus=4, memory=1000, cores=0.4, algorithm="Greedy*/OPT=MIN",
                      slurm={"MetricsType": "metrics/openmetrics"},
                      slurm_lines=["PartitionName=other Nodes=n1 MaxTime=INFINITE State=UP"])

    def slurms(self, page):
        return read(self.cluster.ports["slurmctld"], f"/metrics/{page}")

    def ours(self):
        return read(self.cluster.ports["control"])

    def agents(self):
        """The same names for all nodes, as Prometheus has them."""
        found = {}
        for node in self.cluster.nodes:
            for name, series in read(self.cluster.node_port(node, agent=True)).items():
                found.setdefault(name, {}).update(series)
        return found

    def test_nodes_have_the_same_names_and_sizes(self):
        slurms, ours, agents = self.slurms("nodes"), self.ours(), self.agents()
        names = {(node,) for node in self.cluster.nodes}
        cpus = by(slurms["slurm_node_cpus"], "node")
        self.assertEqual(set(cpus), names)
        self.assertEqual(by(ours["dfrs_node_cpus"], "node"), cpus)
        mebibytes = by(slurms["slurm_node_memory_bytes"], "node")  # whatever the name says
        self.assertEqual(by(ours["dfrs_node_memory_bytes"], "node"),
                         {node: size * 2**20 for node, size in mebibytes.items()})
        self.assertEqual(set(by(agents["dfrs_agent_info"], "node")), names)

    def test_jobs_are_the_same_ones_and_nodes_are_shared_as_the_page_reckons(self):
        burning = [self.sbatch_burn(1000, f"--nodelist={node}", memory=60) for node in ("n1", "n1", "n2")]
        for job in burning:
            self.wait_event(job)
        numbers = {(str(job),) for job in burning}

        def settled():
            agents = self.agents()
            return (by(self.ours().get("dfrs_job_yield", {}), "job_id") == dict(zip(sorted(numbers), (0.5, 0.5, 1.0)))
                    and all(set(by(agents.get(name, {}), "job_id")) == numbers
                            for name in ("dfrs_job_quota_cores", "dfrs_job_cpu_seconds_total")))
        wait_for("each job to have its share", settled, 20, interval=0.2)
        ours, agents = self.ours(), self.agents()
        # dfrs_node_allocated_cpus / on(node) slurm_node_cpus
        cpus = by(self.slurms("nodes")["slurm_node_cpus"], "node")
        allocated = by(ours["dfrs_node_allocated_cpus"], "node")
        self.assertEqual({node: allocated[node] / cpus[node] for node in cpus}, {("n1",): 1.0, ("n2",): 1.0})
        # By job: cores of the quotas, and CPUs times yield.
        quotas = by(agents["dfrs_job_quota_cores"], "job_id")
        for job, share in by(ours["dfrs_job_yield"], "job_id").items():
            self.assertAlmostEqual(quotas[job], share * 4 * self.cluster.options.cores_per_cpu, places=3)
        self.assertEqual(set(by(agents["dfrs_job_cpu_seconds_total"], "node", "job_id")),
                         set(by(agents["dfrs_job_quota_cores"], "node", "job_id")))
        # Slurm has jobs by partition only.
        running = by(self.slurms("partitions")["slurm_partition_jobs_running"], "partition")
        of_ours = {}
        for _, partition in by(ours["dfrs_job_yield"], "job_id", "partition"):
            of_ours[partition,] = of_ours.get((partition,), 0) + 1
        self.assertEqual(of_ours, {("dfrs",): 3})
        self.assertEqual(running, {**of_ours, ("other",): 0})

    def test_the_page_names_what_slurm_has(self):
        page = Path(__file__).parents[2] / "docs/reference/metrics.md"
        named = set(re.findall(r"\bslurm_\w+", page.read_text(encoding="utf-8")))
        self.assertTrue(named)
        self.assertEqual(named - set(self.slurms("nodes")) - set(self.slurms("partitions")), set())
        self.assertIn("/metrics/nodes", page.read_text(encoding="utf-8"))
