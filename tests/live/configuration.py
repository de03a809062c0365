# SPDX-License-Identifier: GPL-2.0-or-later
"""The configuration files of a cluster, as texts. See docs/reference/cluster.md for what they mean.

slurm.conf is what commands and slurmd read: stock Slurm in every way. slurmctld.conf is slurmctld's own and differs in
the scheduler and the folder of plugins. Both include common.conf.
"""
import socket

from . import cgroups, slurm


def host_name():
    return socket.gethostname().partition(".")[0]


def _auth(options, place):
    expiry = f"cred_expire={options.credential_seconds}" if options.credential_seconds else ""
    if options.auth == "slurm":
        return {"AuthType": "auth/slurm", "AuthInfo": expiry or None, "CredType": "cred/slurm"}
    return {"AuthType": "auth/munge", "AuthInfo": ",".join(filter(None, (f"socket={place.munge_socket}", expiry))),
            "CredType": "cred/munge"}


def common_conf(options, place):
    values = {
        "ClusterName": place.cluster_name,
        "SlurmctldHost": f"{host_name()}(127.0.0.1)",
        "SlurmctldPort": place.ports["slurmctld"],
        "SlurmUser": place.slurm_user,
        "SlurmdUser": "root",
        **_auth(options, place),
        # Several slurmd share this host, and configuration files of the two sides differ on purpose.
        "SlurmdParameters": "config_overrides",
        "DebugFlags": "NO_CONF_HASH",
        "CommunicationParameters": "NoCtldInAddrAny,NoInAddrAny",
        "StateSaveLocation": place.folder / "state",
        "SlurmdSpoolDir": place.folder / "spool/%n",
        "SlurmctldPidFile": place.folder / "run/slurmctld.pid",
        "SlurmdPidFile": place.folder / "run/slurmd.%n.pid",
        "SlurmctldLogFile": place.folder / "log/slurmctld.log",
        "SlurmdLogFile": place.folder / "log/slurmd.%n.log",
        "SlurmctldDebug": "verbose",
        "SlurmdDebug": "verbose",
        "LogTimeFormat": "iso8601_ms",
        "SwitchType": "switch/none",
        "MpiDefault": "none",
        "TaskPlugin": "task/none",  # no pinning to cores: jobs share them
        # v1: the SPANK plugin has groups of its own. v2: it uses Slurm's.
        "ProctrackType": "proctrack/cgroup" if cgroups.version() == 2 else "proctrack/linuxproc",
        "JobAcctGatherType": "jobacct_gather/none",
        "AccountingStorageType": "accounting_storage/none",
        "JobCompType": "jobcomp/filetxt",
        "JobCompLoc": place.folder / "log/jobs.txt",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_Core_Memory",
        "PreemptMode": "OFF",
        "PriorityType": "priority/basic",  # the default before 24.11
        "MailProg": "/bin/true",
        "DefMemPerCPU": max(1, options.memory // (16 * options.cpus)),
        "MaxJobCount": 20000,
        "MinJobAge": 86400,  # ended jobs stay visible
        "KillWait": 5,
        "SlurmctldTimeout": 120,
        "SlurmdTimeout": 300,
        "InactiveLimit": 0,
        "ReturnToService": 2,
        "PlugStackConfig": place.folder / "etc/plugstack.conf",
    }
    if options.accounting:
        values.update(place.accounting.slurm_settings(place.ports["slurmdbd"]))
    # {etc}: the folder of the options' files
    values.update({name: value and str(value).replace("{etc}", f"{place.folder}/etc")
                   for name, value in options.slurm.items()})
    lines = [f"{name}={value}" for name, value in values.items() if value is not None]
    for number, name in enumerate(options.node_names):
        node = {"NodeName": name, "NodeHostname": host_name(), "NodeAddr": "127.0.0.1",
                "Port": place.ports["slurmd"] + number, "CPUs": options.cpus, "Boards": 1, "SocketsPerBoard": 1,
                "CoresPerSocket": options.cpus, "ThreadsPerCore": 1, "RealMemory": options.memory, "State": "UNKNOWN"}
        node.update(setting.split("=", 1) for setting in options.node_settings.get(name, "").split())
        lines.append(" ".join(f"{setting}={value}" for setting, value in node.items()))
    # With FORCE:1 no two jobs share a core under stock placement.
    lines.append("PartitionName=dfrs Nodes=ALL Default=YES MaxTime=INFINITE State=UP "
                 f"OverSubscribe={options.oversubscribe}")
    lines += options.slurm_lines
    return "\n".join(lines) + "\n"


def slurm_conf(options, place):
    return (f"# What commands and slurmd read: stock Slurm.\ninclude {place.folder}/etc/common.conf\n"
            f"SchedulerType=sched/backfill\n{scheduler_parameters(options)}")


def slurmctld_conf(options, place):
    head = f"# What slurmctld reads.\ninclude {place.folder}/etc/common.conf\n"
    if options.scheduler == "backfill":
        return f"{head}SchedulerType=sched/backfill\n{scheduler_parameters(options)}"
    return (f"{head}SchedulerType={options.scheduler_type or 'sched/' + options.scheduler}\n{scheduler_parameters(options)}"
            f"PluginDir={place.plugin_dir}:{place.stock_plugin_dir}\n")


def scheduler_parameters(options):
    if "SchedulerParameters" in options.slurm:
        return ""
    # Stock Slurm tuned for jobs of seconds: it looks at the queue at once, and backfills every second.
    return ("SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,"
            "bf_interval=1,bf_resolution=1,bf_window=1440,bf_max_job_test=1000,bf_continue\n")


def dfrs_conf(options, place):
    values = {
        "Algorithm": options.algorithm,
        "Partitions": "dfrs",
        "PauseBy": "suspend,requeue",
        "LostWork": "refuse",
        "SuspendNeedsSwap": "no",  # this host's memory is enough for all jobs of all nodes
        "AgentPort": f"slurmd+{place.agent_port_offset}",
        "ControlPort": place.ports["control"],
        "SaveBeforeLaunch": "yes",  # auto depends on how busy this host is
    }
    for name, value in options.settings.items():
        values = {known: old for known, old in values.items() if known.lower() != name.lower()}
        if value is not None:
            values[name] = value
    lines = [f"{name}={value}" for name, value in values.items()]
    return "\n".join(lines + list(options.partition_settings)) + "\n"


def cgroup_conf(version):
    lines = "ConstrainCores=no\nConstrainRAMSpace=no\nConstrainDevices=no\n"
    if version == 2:
        # 22.05 has no name for it, and ends at one that it does not know.
        controllers = "EnableControllers=yes\n" if slurm.since(23, 2) else "CgroupAutomount=yes\n"
        return f"CgroupPlugin=cgroup/v2\nIgnoreSystemd=yes\n{controllers}{lines}"
    return f"CgroupPlugin=cgroup/v1\n{lines}"
