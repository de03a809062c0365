# SPDX-License-Identifier: GPL-2.0-or-later
"""A backup controller beside a cluster's slurmctld, on the same host."""
import subprocess
from pathlib import Path

from .waiting import wait_for

OWN_HOST = ("unshare", "--uts", "--mount")
NAME, ADDRESS = "dfrs-backup", "127.0.0.2"
SLURM_CONF_LINE = f"SlurmctldHost={NAME}({ADDRESS})"  # for Options.slurm_lines
STANDBY = "slurmctld running in background mode"


def impossible():
    """Why no backup can run here; None: it can."""
    worked = subprocess.run([*OWN_HOST, "mount", "--bind", "/etc/hosts", "/etc/hosts"], check=False,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    return None if worked else f"a process cannot be given a host name of its own here ({' '.join(OWN_HOST)})"


class Backup:
    def __init__(self, cluster):
        self.cluster = cluster

    def start(self):
        """slurmctld knows by the host's name which of the controllers it is: this one has a name of its own."""
        cluster, names = self.cluster, {"slurmctld.log": "backup.log", "run/slurmctld.pid": "run/backup.pid"}
        for name in ("common.conf", "slurmctld.conf"):
            text = (cluster.folder / "etc" / name).read_text(encoding="utf-8").replace("common.conf", "common.backup")
            for old, new in names.items():
                text = text.replace(old, new)
            (cluster.folder / "etc" / name.replace(".conf", ".backup")).write_text(text, encoding="utf-8")
        hosts = cluster.folder / "etc/hosts"
        hosts.write_text(f"{Path('/etc/hosts').read_text(encoding='utf-8')}\n{ADDRESS} {NAME}\n", encoding="utf-8")
        before = self.times_on_standby()
        cluster.start_other("backup", [*OWN_HOST, "sh", "-c",
                                       f'mount --bind {hosts} /etc/hosts && hostname {NAME} && exec "$0" "$@"',
                                       cluster.slurmctld, "-D", "-f",
                                       cluster.folder / "etc/slurmctld.backup"])
        self.wait_standby(before + 1, 20)

    def stop(self):
        self.cluster.stop("backup", seconds=60)

    def log(self):
        path = self.cluster.log("backup")
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def times_on_standby(self):
        return self.log().count(STANDBY)

    def wait_standby(self, times, seconds=60):
        """Until it has begun to stand by for so many times."""
        wait_for("the backup to stand by", lambda: self.times_on_standby() >= times, seconds)
