# SPDX-License-Identifier: GPL-2.0-or-later
"""The dfrs.conf that `dfrs-sim advise` prints, in a cluster."""
import random

from .case import LiveTest
from .cluster import build_folder
from .options import Options
from .waiting import wait_for

SECONDS = 20
COLUMNS = "JobID|JobIDRaw|User|Group|Account|Partition|QOS|State|Submit|Eligible|Start|End|ElapsedRaw|Suspended|" \
          "TimelimitRaw|NNodes|NTasks|AllocCPUS|ReqCPUS|ReqMem|ReqTRES|AllocTRES|MaxRSS|TotalCPU|CPUTimeRAW|NodeList"


def accounting(partition, jobs=400):
    """A cluster of two nodes that is full of long jobs, with short ones behind them."""
    draw = random.Random(1)
    lines, now = [COLUMNS], 1_760_000_000
    for number in range(1, jobs + 1):
        now += draw.randrange(120)
        run = draw.choice((20, 60, 300, 7200))
        memory = draw.choice((200, 400, 600))
        lines.append(f"{number}|{number}|u{number % 7}|g|a|{partition}|normal|COMPLETED|{now}|{now}|{now}|{now + run}|{run}|"
                     f"00:00:00|240|1|1|4|4|{memory}M|cpu=4,mem={memory}M,node=1|cpu=4,mem={memory}M,node=1|0|00:00:00|"
                     f"{4 * run}|n0")
    return "\n".join(lines) + "\n"


class Advice(LiveTest):
    options = Options(nodes=2, cpus=4, memory=1000, cores=0.4,
                      slurm_lines=["PartitionName=batch Nodes=ALL MaxTime=INFINITE State=UP OverSubscribe=FORCE:1"])

    def test_the_settings_that_it_advises_are_loaded_and_schedule_jobs(self):
        table, conf = self.folder / "accounting.txt", self.folder / "advised.conf"
        table.write_text(accounting("batch"), encoding="utf-8")
        self.cluster.command(build_folder() / "dfrs-sim", "advise", "--sacct", table, "--nodes", "2", "--cores", "4", "--memory",
                             "1000", "--conf", conf, "-o", self.folder / "advice.md")
        advised = conf.read_text(encoding="utf-8")
        self.cluster.command("dfrs-check-config", conf)
        known = dict(line.split("=", 1) for line in advised.splitlines() if "=" in line and not line.startswith("#"))
        self.assertEqual(known["Partitions"], "batch")
        # What a site has besides: where the agents and dfrsctl find each other.
        path = self.cluster.folder / "etc/dfrs.conf"
        before = path.read_text(encoding="utf-8")
        own = [line for line in before.splitlines() if line.startswith(("AgentPort", "ControlPort", "SuspendNeedsSwap"))]
        path.write_text(advised + "\n".join(own) + "\n", encoding="utf-8")
        self.addCleanup(self.restore, path, before)
        self.cluster.command("scontrol", "reconfigure")
        wait_for("the advised policy", lambda: self.dfrsctl("status")["algorithm"] == known["Algorithm"], 15)
        self.assertIsNone(self.dfrsctl("status")["config_error"])
        jobs = [self.sbatch_burn(0.5, "--partition=batch", cpus=4, memory=300) for _ in range(4)]
        other = self.sbatch_burn(0.5, "--partition=dfrs", cpus=1, memory=100)  # Slurm's own scheduler has it now
        for job in jobs:
            self.wait_event(job)
        self.assertEqual(sorted(self.dfrs_jobs()), jobs)
        self.assert_completed(self.wait_ended(jobs + [other]))

    def restore(self, path, before):
        path.write_text(before, encoding="utf-8")
        self.cluster.command("scontrol", "reconfigure")
