# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes that Slurm switches off when they are idle, and on when a job needs them. SuspendProgram and ResumeProgram run as
Slurm's user, who may not start a slurmd: as at sites, they ask a helper that is root."""
import re
import signal
import threading
import time

from . import cgroups, configuration, jobs
from .case import LiveTest, SlowSaves
from .options import Options
from .waiting import wait_for

SECONDS = 110
IDLE = True

# Leaves a file named after what is asked for, and after the node.
ASK = """#!/bin/sh
: > "$(dirname "$0")/../power/{what}.$1"
"""


class Helper(threading.Thread):
    """Switches nodes off and on as they are asked for: ends and starts their daemons."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self.cluster = cluster
        self.folder = cluster.folder / "power"
        self.folder.mkdir(exist_ok=True)
        self.folder.chmod(0o1777)
        self.done = []  # (what, node)
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(0.1):
            for path in sorted(self.folder.iterdir()):
                what, _, node = path.name.partition(".")
                path.unlink()
                getattr(self, what)(node)
                self.done.append((what, node))

    def suspend(self, node):
        for daemon in ("slurmd", "dfrsd"):
            self.cluster.stop(f"{daemon}.{node}", signal.SIGTERM)

    def resume(self, node):
        # Slurm forgets the address of a cloud node when it goes: each time it is a new machine.
        self.cluster.command("scontrol", "update", f"nodename={node}", "nodeaddr=127.0.0.1",
                             f"nodehostname={configuration.host_name()}")
        time.sleep(2)  # Slurm counts seconds, and does not believe in a boot before the one in which it asked for it
        self.cluster.start_agent(node)
        self.cluster.start_slurmd(node, more=["-b"])  # says that the host has just booted

    def end(self):
        self.over.set()
        self.join()


class PowerTest(LiveTest):
    options = Options(nodes=2, cpus=4, memory=1000, cores=0.3, algorithm="GreedyP*/OPT=MIN",
                      settings={"PauseBy": "suspend", "CommentInterval": "1"},
                      slurm={"SuspendProgram": "{etc}/suspend.sh", "ResumeProgram": "{etc}/resume.sh", "SuspendTime": "4",
                             "SuspendTimeout": "4", "ResumeTimeout": "60", "SuspendRate": "0", "ResumeRate": "0",
                             "SuspendExcNodes": "n1", "TreeWidth": "65533"},
                      files={f"{what}.sh": ASK.format(what=what) for what in ("suspend", "resume")})

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.helper = Helper(cls.cluster)
        cls.helper.start()

    @classmethod
    def tearDownClass(cls):
        cls.helper.end()
        super().tearDownClass()

    def power(self, node):
        fields = jobs.parse(self.cluster.command("scontrol", "-o", "show", "node", node).stdout)
        return fields["State"]

    def wait_off(self, node):
        wait_for(f"{node} to be switched off", lambda: "POWERED_DOWN" in self.power(node), 60, interval=0.2)

    def run_on(self, node):
        """A job that has to wait until the node is on: it runs once, and under its quota."""
        before = self.helper.done.count(("resume", node))
        job = self.sbatch_burn(3.0, f"--nodelist={node}", memory=900)
        wait_for("the quota on the node that came up",
                 lambda: f"job_{job}" in cgroups.quotas(self.cluster.cgroup_tree, node), 90, interval=0.1)
        self.assert_completed(ended := self.wait_ended([job], 90))
        self.assertEqual(self.helper.done.count(("resume", node)), before + 1)
        self.assert_done(job, 3.0)
        self.assertEqual((len(self.results(job, "start")), ended[job]["Restarts"]), (1, "0"))
        self.assertNotRegex(self.log(f"slurmd.{node}"), re.compile("duplicate", re.IGNORECASE))

    def log(self, name):
        return self.cluster.log(name).read_text(encoding="utf-8", errors="replace")

    def resyncs(self):
        return self.dfrsctl("status")["resyncs"]


class Power(PowerTest):
    def test_node_that_is_switched_off_is_resumed_for_a_job(self):
        _, two = self.cluster.nodes
        self.wait_off(two)
        wait_for("its daemons to be gone", lambda: ("suspend", two) in self.helper.done, 20)
        resyncs = self.resyncs()
        other = self.sbatch_burn(0.1, memory=900)
        self.run_on(two)
        self.assert_completed(self.wait_ended([other], 90))
        # That the agent was away, and that it is back: no line for each attempt. The policy may begin afresh where the
        # node goes and comes, but not in every round.
        log = self.log("slurmctld")
        self.assertLessEqual(log.count(f"agent of node {two}:"), 2, log)
        self.assertLessEqual(self.resyncs() - resyncs, 2)


class SlowSave(SlowSaves, PowerTest):
    """The job is CONFIGURING while its start is being saved, and longer: slurmctld's look at time limits, too, launches
    jobs whose nodes have come up."""

    def test_job_is_launched_once_when_its_node_comes_up_during_saves(self):
        _, two = self.cluster.nodes
        self.wait_off(two)
        self.run_on(two)


class Cloud(PowerTest):
    """A node that does not exist until a job needs it, and that has an address only then."""

    @classmethod
    def make_options(cls):
        options = super().make_options()
        options.slurm["PrivateData"] = "cloud"  # shows such nodes while they are off
        return options

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cluster = cls.cluster
        one, two = cluster.nodes
        for name in ("slurmctld", f"slurmd.{two}", f"dfrsd.{two}"):
            cluster.stop(name)
        common = cluster.folder / "etc/common.conf"
        lines = common.read_text(encoding="utf-8").splitlines()
        lines = [line.replace("State=UNKNOWN", "State=CLOUD") if line.startswith(f"NodeName={two} ") else line for line in lines]
        common.write_text("\n".join(lines) + "\n", encoding="utf-8")
        for path in (cluster.folder / "state").glob("node_state*"):
            path.unlink()
        cluster.start_slurmctld()
        wait_for("the first node", lambda: cluster.node_states().get(one) == "idle", 30)

    def test_job_makes_a_cloud_node_come_and_the_next_one_makes_it_come_again(self):
        _, two = self.cluster.nodes
        self.assertIn("CLOUD", self.power(two))
        self.wait_off(two)
        self.run_on(two)
        wait_for("it to be given back", lambda: ("suspend", two) in self.helper.done, 60)
        self.wait_off(two)
        self.run_on(two)
