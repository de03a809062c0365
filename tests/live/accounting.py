# SPDX-License-Identifier: GPL-2.0-or-later
"""Accounting of a cluster: a mariadbd and a slurmdbd of its own, with everything below the cluster's folder.

Nothing of a database server that the host has is used: neither its configuration (--no-defaults), nor its data, socket
or port. Ours listens at a Unix socket alone, in a folder that only its user can enter, so that it needs no passwords.
"""
import os
import pwd
import subprocess

from . import ports
from .errors import ClusterError, Unavailable

DATABASE = "slurm_acct"
PROGRAMS = ("slurmdbd", "mariadbd", "mariadb-install-db", "sacct", "sacctmgr")


def check_host(find_program):
    missing = [name for name in PROGRAMS if not find_program(name)]
    if missing:
        raise Unavailable(f"accounting is not installed ({', '.join(missing)} not found); on Debian: "
                          "apt-get install slurmdbd mariadb-server slurm-client")


class Accounting:
    """Of one cluster (cluster.py), which starts it before slurmctld and ends it with all its daemons."""

    def __init__(self, cluster):
        self._cluster = cluster
        self._folder = cluster.folder / "database"

    @property
    def socket(self):
        return self._folder / "socket"

    def environment(self):
        # The client library looks there for the server on "localhost".
        return {"MYSQL_UNIX_PORT": str(self.socket), "MYSQL_HOME": str(self._folder)}

    def slurm_settings(self, port):
        return {
            "AccountingStorageType": "accounting_storage/slurmdbd",
            "AccountingStorageHost": "127.0.0.1",
            "AccountingStoragePort": port,
            "AccountingStoragePass": self._cluster.munge_socket,  # with MUNGE: its socket
            "JobAcctGatherType": "jobacct_gather/linux",
            "JobAcctGatherFrequency": "task=1",
        }

    def write_configuration(self, port, user):
        cluster = self._cluster
        values = {
            "AuthType": "auth/munge",
            "AuthInfo": f"socket={cluster.munge_socket}",
            "DbdHost": "localhost",
            "DbdAddr": "127.0.0.1",
            "DbdPort": port,
            "SlurmUser": user,
            "DebugLevel": "verbose",
            "LogFile": cluster.log("slurmdbd"),
            "PidFile": cluster.folder / "run/slurmdbd.pid",
            "StorageType": "accounting_storage/mysql",
            "StorageHost": "localhost",
            "StorageUser": "root",
            "StorageLoc": DATABASE,
        }
        path = cluster.folder / "etc/slurmdbd.conf"
        path.write_text("".join(f"{name}={value}\n" for name, value in values.items()), encoding="ascii")
        path.chmod(0o600)  # slurmdbd refuses a file that others can read
        owner = pwd.getpwnam(user)
        os.chown(path, owner.pw_uid, owner.pw_gid)

    def start(self, port, user):
        self._start_database(user)
        cluster = self._cluster
        # pylint: disable=protected-access
        process = cluster._start("slurmdbd", [cluster._program("slurmdbd"), "-D"],
                                 environment={**cluster.environment(), **self.environment()})
        if process:
            cluster._wait_started("slurmdbd", process, lambda: ports.listening(port), seconds=60)
            cluster.command("sacctmgr", "-i", "add", "cluster", cluster.cluster_name)

    def _start_database(self, user):
        cluster = self._cluster
        # pylint: disable=protected-access
        data = self._folder / "data"
        # Not /tmp: a database that starts removes what it takes for leftovers there, another one's tables among them.
        temporary = self._folder / "tmp"
        if not data.exists():
            owner = pwd.getpwnam(user)
            for folder in (self._folder, temporary):
                folder.mkdir(exist_ok=True)
                os.chown(folder, owner.pw_uid, owner.pw_gid)
                folder.chmod(0o700)
            made = subprocess.run([cluster._program("mariadb-install-db"), "--no-defaults", f"--datadir={data}",
                                   f"--tmpdir={temporary}", f"--user={user}",
                                   "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
                                   "--innodb-log-file-size=4M"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False)
            if made.returncode != 0:
                raise ClusterError(f"mariadb-install-db failed:\n{made.stdout[-2000:]}")
        # slurmdbd makes a missing database itself, but then ends with Debian 13's libmariadb3 11.8.9: once a connection
        # was refused, the next one of that handle accepts no result that has columns.
        make_database = self._folder / "make-database.sql"
        make_database.write_text(f"CREATE DATABASE IF NOT EXISTS {DATABASE};\n", encoding="ascii")
        argv = [cluster._program("mariadbd"), "--no-defaults", f"--init-file={make_database}", f"--datadir={data}",
                f"--tmpdir={temporary}", f"--user={user}", f"--socket={self.socket}", "--skip-networking",
                f"--pid-file={self._folder}/pid", f"--log-error={self._folder}/error.log",
                "--innodb-buffer-pool-size=16M", "--innodb-log-file-size=4M",
                "--innodb-flush-log-at-trx-commit=0", "--performance-schema=OFF", "--skip-log-bin"]
        process = cluster._start("mariadbd", argv)
        if process:
            cluster._wait_started("mariadbd", process, self.socket.exists, seconds=60)
