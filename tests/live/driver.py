# SPDX-License-Identifier: GPL-2.0-or-later
"""A cluster whose scheduler takes each step from the test (tests/plugin/sched_driver.c), and what its nodes should hold.
"""
import os
import re

from .case import LiveTest
from .jobs import show_all
from .options import Options
from .waiting import wait_for

BUSY = 2016  # ESLURM_NODES_BUSY


def _node_list(text):
    """n[1-2,4] -> n1 n2 n4."""
    match = re.fullmatch(r"(\w*?)\[([\d,-]+)\]", text)
    if not match:
        return [text]
    ranges = [part.split("-") for part in match[2].split(",")]
    return [f"{match[1]}{number}" for part in ranges for number in range(int(part[0]), int(part[-1]) + 1)]


def _count(ids):
    return sum(int(part.split("-")[-1]) - int(part.split("-")[0]) + 1 for part in ids.split(",") if part)


class DrivenTest(LiveTest):
    """Jobs of the partition `dfrs` start only when the test says so; those of `other` as in stock Slurm."""
    options = Options(nodes=4, cpus=4, memory=2200, scheduler="driver", spank=False,
                      slurm={"GresTypes": "thing", "DefMemPerCPU": "100", "DebugFlags": "NO_CONF_HASH",
                             "SlurmctldDebug": "debug2", "KillWait": "1",
                             "SchedulerParameters": "batch_sched_delay=0,sched_min_interval=0,sched_interval=1,"
                                                    "permit_job_expansion"},
                      slurm_lines=["PartitionName=other Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=2"],
                      node_settings={"n4": "Gres=thing:2"}, files={"gres.conf": "NodeName=n4 Name=thing Count=2\n"})

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = cls.cluster.folder / "state/driver"
        folder.mkdir(mode=0o777, exist_ok=True)
        folder.chmod(0o777)

    def setUp(self):
        super().setUp()
        self.ask("partitions dfrs")

    def tearDown(self):
        super().tearDown()
        self.assert_nodes_free()
        log = self.cluster.log("slurmctld").read_text(encoding="utf-8", errors="replace")
        self.assertEqual(re.findall(r".*error: .*(?:allocated|mis-count|overflow|underflow|dfrs:).*", log), [])

    def ask(self, *lines):
        """Requests of the driver; (number, text) of each answer."""
        folder = self.cluster.folder / "state/driver"
        answer = folder / "answer"
        if answer.exists():
            answer.unlink()
        (folder / "new").write_text("\n".join(lines) + "\n", encoding="utf-8")
        os.rename(folder / "new", folder / "request")
        wait_for(f"the driver to answer {lines}", answer.exists, 20, interval=0.005)
        answers = [line.partition(" ") for line in answer.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(len(answers), len(lines))
        return [(int(number), text) for number, _, text in answers]

    def ask_one(self, line):
        """Slurm's error number."""
        return self.ask(line)[0][0]

    def assert_ok(self, line):
        number, text = self.ask(line)[0]
        self.assertEqual(number, 0, f"{line}: {text}")
        return int(text)

    def job(self, *options, script="exec sleep 1000"):
        """sbatch with these options alone."""
        result = self.cluster.command("sbatch", "--parsable", "--output=/dev/null", *options, cwd="/",
                                      text_input=f"#!/bin/sh\n{script}\n")
        return int(result.stdout)

    def pending_jobs(self):
        return self.cluster.command("squeue", "-h", "-t", "PD", "-o", "%A").stdout.split()

    def started(self, where, *options, operation="start", **keywords):
        job = self.job(*options, **keywords)
        self.assert_ok(f"{operation} {job} {where}")
        return job

    def nodes(self):
        """node -> (CPUs, MiB) allocated, as Slurm says."""
        text = self.cluster.command("scontrol", "-o", "show", "node").stdout
        return {match[1]: (int(match[2]), int(match[3]))
                for match in re.finditer(r"NodeName=(\S+).*?CPUAlloc=(\d+).*?AllocMem=(\d+)", text)}

    def job_nodes(self, job):
        """node -> (cores, MiB) of a job that runs or is suspended."""
        text = self.cluster.command("scontrol", "-o", "-d", "show", "job", job).stdout.splitlines()[0]
        return {node: (_count(ids), int(memory))
                for names, ids, memory in re.findall(r"Nodes=(\S+) CPU_IDs=(\S*) Mem=(\d+)", text)
                for node in _node_list(names)}

    def sum_of_jobs(self):
        """node -> (CPUs, MiB) that jobs hold, by what Slurm says of each of them."""
        cpus, sums = self.options.cpus, {node: [0, 0] for node in self.cluster.nodes}
        for job, fields in show_all(self.cluster).items():
            if fields["JobState"] not in ("RUNNING", "SUSPENDED"):
                continue
            for node, (cores, memory) in self.job_nodes(job).items():
                sums[node][0] += cores if fields["JobState"] == "RUNNING" else 0
                sums[node][1] += memory
        return {node: (min(cpus, cores), memory) for node, (cores, memory) in sums.items()}

    def assert_accounts(self, note=""):
        """What nodes have allocated is the sum of what their jobs hold."""
        def differ():
            return self.nodes() != self.sum_of_jobs()
        try:
            wait_for("accounts", lambda: not differ(), 20, interval=0.1)
        except Exception:
            self.assertEqual(self.nodes(), self.sum_of_jobs(), note)

    def restart(self, how):
        """TERM, KILL, or `reconfigure`."""
        if how == "reconfigure":
            self.cluster.command("scontrol", "reconfigure")
        else:
            self.cluster.stop("slurmctld", how)
            self.cluster.start_slurmctld()
        self.cluster.wait_nodes()
        self.ask("partitions dfrs")
