# SPDX-License-Identifier: GPL-2.0-or-later
"""What kind of cluster is wanted."""
import dataclasses
import json
from dataclasses import dataclass, field
from typing import Dict, List

SCHEDULERS = ("dfrs", "backfill")


@dataclass
class Options:
    nodes: int = 4
    cpus: int = 4             # of a node, as Slurm counts them
    memory: int = 4096        # MiB of a node for jobs; nothing is reserved on the host
    cores: float = 0.0        # real cores for a node's CPUs; 0: as many as CPUs
    scheduler: str = "dfrs"   # or backfill: stock Slurm; or driver: told by a test (driver.py)
    algorithm: str = "Triage"
    settings: Dict[str, str] = field(default_factory=dict)  # of dfrs.conf, in place of the defaults here
    # For tests and the comparison, not on the command line:
    scheduler_type: str = ""  # SchedulerType for slurmctld; "": sched/ and the scheduler
    partition_settings: List[str] = field(default_factory=list)  # lines of dfrs.conf that begin with PartitionName=
    slurm: Dict[str, str] = field(default_factory=dict)     # of slurm.conf, in place of the defaults here
    oversubscribe: str = "FORCE:1"  # OverSubscribe of the partition
    slurm_lines: List[str] = field(default_factory=list)    # more of slurm.conf: partitions, GRES, licences
    node_settings: Dict[str, str] = field(default_factory=dict)  # node name -> more of its line in slurm.conf
    credential_seconds: int = 0  # life of job credentials; Slurm holds a requeued job back for so long; 0: its default, 120
    files: Dict[str, str] = field(default_factory=dict)     # of etc/: name -> text, such as gres.conf
    accounting: bool = False  # through a slurmdbd and a mariadbd of the cluster's own (accounting.py)
    first: bool = False       # jobs have precedence over the host's other processes: for measurements of CPU time
    checkpoints: str = ""     # folder for images of dfrsd; "": no checkpoints
    compressed: bool = False  # images of the last node are
    criu: str = ""            # for dfrsd, a path; "": $DFRS_CRIU, or the one in PATH
    auth: str = "munge"       # or slurm: Slurm's own credentials, and no munged (from 23.11 on)
    spank: bool = True        # backfill: hold jobs to the node's real cores, too

    @property
    def cores_per_cpu(self):
        return (self.cores or float(self.cpus)) / self.cpus

    @property
    def node_names(self):
        return [f"n{number}" for number in range(1, self.nodes + 1)]

    def to_json(self):
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, values):
        known = {item.name for item in dataclasses.fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})

    def same(self, other):
        return json.dumps(self.to_json(), sort_keys=True) == json.dumps(other.to_json(), sort_keys=True)
