# SPDX-License-Identifier: GPL-2.0-or-later
"""The cluster as an object: its folder, its daemons, and how each is started, killed and started again.

Everything lives below one folder: etc/ (configuration), log/, run/, spool/, state/, munge/. The daemons are ordinary
Slurm ones on 127.0.0.1 with ports of their own; nothing of the host's Slurm (its files, daemons, ports) is touched.
"""
import contextlib
import fcntl
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import accounting, cgroups, configuration, ports, processes, slurm
from .errors import ClusterError, Unavailable
from .options import Options
from .waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]  # of the checkout
SPANK_PLUGIN = "spank_dfrs.so"
SLURMCTLD_PLUGINS = ["libdfrs_controller.so", "priority_multifactor.so", "sched_dfrs.so", "sched_backfill.so",
                     "select_cons_tres.so"]
AGENT_PORT_OFFSET = 100  # an agent listens at its slurmd's port plus this
MAX_NODES = AGENT_PORT_OFFSET
SOCKET_PATH_MAX = 107


def build_folder():
    return Path(os.environ.get("DFRS_BUILD_DIR") or ROOT / "build")


def plugins_folder():
    """Of a build for another Slurm than the one that the programs were built beside."""
    return Path(os.environ.get("DFRS_PLUGINS_DIR") or build_folder())


def check_host():
    """Raises Unavailable, naming what is missing, if no cluster can run here."""
    slurm.check_host()
    if cgroups.version() == 0:
        raise Unavailable("the kernel's control groups with the cpu controller are not at /sys/fs/cgroup; in a "
                          "container, they must be mounted writable")
    if os.geteuid() != 0:
        raise Unavailable("slurmd must be root: run it as root or through sudo")


class Cluster:
    """One cluster in `folder`. Its options and ports are in the file cluster.json there while it is up."""

    def __init__(self, folder, options=None):
        self.folder = Path(folder).resolve()
        self.options = options or Options()
        self.ports = {}
        self.slurm_user = "root"
        self.preload = None  # a library for slurmctld, of tests
        self.agent_wrapper = lambda node: ()  # words before the command of each agent, of tests
        self.other_slurmctld = None  # (prefix, folder of plugins) of another version of Slurm, for slurmctld alone
        self._programs = {}
        self._load()

    # ---- where things are ----

    @property
    def cluster_name(self):
        return f"dfrs{zlib.crc32(str(self.folder).encode()) % 100000}"

    @property
    def cgroup_tree(self):
        """Of cgroup v1: clusters on one host have trees of their own, whatever their nodes are called."""
        return self.cluster_name

    @property
    def munge_socket(self):
        return self.folder / "munge/socket"

    @property
    def plugin_dir(self):
        """Our plugins, as they were built when the cluster was started; their library is one folder up."""
        return self.folder / ("plugins/other/slurm" if self.other_slurmctld else "plugins/slurm")

    @property
    def stock_plugin_dir(self):
        return Path(self.other_slurmctld[0]) / "lib/slurm" if self.other_slurmctld else slurm.plugin_folder()

    @property
    def agent_port_offset(self):
        return AGENT_PORT_OFFSET

    @property
    def nodes(self):
        return self.options.node_names

    @property
    def accounting(self):
        return accounting.Accounting(self)

    @property
    def has_agents(self):
        return self.options.scheduler == "dfrs"

    def node_port(self, node, agent=False):
        return self.ports["slurmd"] + self.nodes.index(node) + (AGENT_PORT_OFFSET if agent else 0)

    def log(self, name):
        return self.folder / "log" / f"{name}.log"

    def environment(self):
        """Of a user of this cluster."""
        environment = {name: value for name, value in os.environ.items()
                       if not re.match(r"(SLURM|SBATCH|SALLOC|SQUEUE|SINFO|MUNGE)_|DFRS_CLUSTER", name)}
        environment["PATH"] = f"{build_folder()}:{slurm.path()}"
        environment["SLURM_CONF"] = str(self.folder / "etc/slurm.conf")
        environment["MUNGE_SOCKET"] = str(self.munge_socket)
        return environment

    # ---- up, down ----

    def up(self):
        """Starts what does not run yet, from nothing or after a part has gone; returns when every node is idle or
        busy. A cluster that is up with other options is an error."""
        check_host()
        if self.options.accounting:
            accounting.check_host(slurm.find_program)
        self._check_paths()
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._locked():
            wanted = self.options
            if self._load():
                if not self.options.same(wanted):
                    raise ClusterError(f"a cluster with other options is up in {self.folder}; end it first: "
                                       "./quickstart cluster down")
            else:
                self._clean()
                self.options = wanted
                try:
                    self._prepare()
                    self._start_all()
                except BaseException:
                    self._clean()  # nothing half-started stays behind; the logs tell why
                    raise
                return self
            self._start_all()
        return self

    def down(self):
        """Ends everything that belongs to this cluster, whatever state it is in. Logs stay."""
        if not self.folder.exists():
            return
        with self._locked():
            self._clean()

    def is_up(self):
        return (self.folder / "cluster.json").exists() and bool(processes.marked(self.folder))

    @contextlib.contextmanager
    def _locked(self):
        with open(self.folder / "lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _check_paths(self):
        if len(str(self.munge_socket)) + len(".2") > SOCKET_PATH_MAX:
            raise ClusterError(f"the path of the socket {self.munge_socket} is longer than {SOCKET_PATH_MAX} bytes; "
                               "choose a shorter folder with --dir")
        if re.search(r"[\s\"'#,=%\[\]]", str(self.folder)):
            raise ClusterError(f"Slurm cannot take this folder's name in its configuration: {self.folder}; choose "
                               "one of plain letters and digits with --dir")
        if not 1 <= self.options.nodes <= MAX_NODES:
            raise ClusterError(f"--nodes must be from 1 to {MAX_NODES}, not {self.options.nodes}")

    def _load(self):
        try:
            with open(self.folder / "cluster.json", encoding="utf-8") as file:
                state = json.load(file)
            self.options = Options.from_json(state["options"])
            self.ports, self.slurm_user = state["ports"], state["slurm_user"]
        except (OSError, ValueError, KeyError):
            return False
        return True

    def _save(self):
        state = {"options": self.options.to_json(), "ports": self.ports, "slurm_user": self.slurm_user}
        self._write("cluster.json", json.dumps(state, indent=2) + "\n")

    def _write(self, name, text, mode=0o644):
        path = self.folder / name
        temporary = path.with_name(path.name + ".new")
        temporary.write_text(text, encoding="utf-8")
        temporary.chmod(mode)
        temporary.rename(path)

    def _clean(self):
        left = processes.stop(self._ours(), grace=0.0 if not self.ports else 3.0)
        if left:
            raise ClusterError(f"these processes cannot be ended: {', '.join(str(p.pid) for p in left)}")
        cgroups.remove(self.cgroup_tree, self.nodes if self.ports and cgroups.version() == 2 else ())
        for name in ("cluster.json", "env"):
            (self.folder / name).unlink(missing_ok=True)
        for name in ("state", "spool", "run", "munge", "plugins", "etc", "database"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def _ours(self):
        found = processes.marked(self.folder)
        # Processes of jobs that have left their slurmstepd (it was killed, or they are daemons).
        conf = str(self.folder / "etc/slurm.conf")
        known = {process.pid for process in found}
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) not in known and int(name) != os.getpid():
                environment = processes.environment_of(int(name))
                if environment.get("SLURM_CONF") == conf and "SLURMD_NODENAME" in environment:
                    process = processes.identify(int(name))
                    if process is not None:
                        found.append(process)
        return found

    def _prepare(self):
        shutil.rmtree(self.folder / "log", ignore_errors=True)
        for name in ("etc", "log", "run", "spool", "state", "munge", "plugins"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o755)
        self.slurm_user = self._choose_slurm_user()
        owner = pwd.getpwnam(self.slurm_user)
        for name in ("log", "run", "state"):
            os.chown(self.folder / name, owner.pw_uid, owner.pw_gid)
        (self.folder / "state").chmod(0o700)
        size = AGENT_PORT_OFFSET + MAX_NODES + 3
        first = ports.block(size, str(self.folder))
        self.ports = {"slurmctld": first, "control": first + 1, "slurmd": first + 2, "slurmdbd": first + size - 1}
        self.write_configuration()
        self._write("env", self._environment_file())
        self._save()

    def _choose_slurm_user(self):
        """As in production, slurmctld is no root where that is possible: the user slurm must reach the folders."""
        try:
            owner = pwd.getpwnam("slurm")
        except KeyError:
            return "root"
        child = os.fork()
        if child == 0:
            try:
                os.setgroups([])
                os.setgid(owner.pw_gid)
                os.setuid(owner.pw_uid)
                reachable = os.access(self.folder, os.R_OK | os.X_OK)
                os._exit(0 if reachable else 1)
            except BaseException:  # pylint: disable=broad-except
                os._exit(1)
        return "slurm" if os.waitpid(child, 0)[1] == 0 else "root"

    def _environment_file(self):
        return ("# Source this file to use the cluster: sbatch, squeue, sinfo, scontrol, dfrsctl.\n"
                f"export SLURM_CONF='{self.folder}/etc/slurm.conf'\n"
                f"export MUNGE_SOCKET='{self.munge_socket}'\n"
                f"case :$PATH: in *:'{build_folder()}':*) ;; *) PATH='{build_folder()}:{slurm.own_path()}'$PATH ;; esac\n")

    def write_configuration(self):
        """Writes all configuration files again from the options; daemons read them when they start or after
        `scontrol reconfigure`."""
        self._write("etc/common.conf", configuration.common_conf(self.options, self))
        self._write("etc/slurm.conf", configuration.slurm_conf(self.options, self))
        self._write("etc/slurmctld.conf", configuration.slurmctld_conf(self.options, self))
        self._write("etc/cgroup.conf", configuration.cgroup_conf(cgroups.version()))
        self._write("etc/plugstack.conf", self._plugstack())
        if self.options.scheduler == "dfrs":
            self._write("etc/dfrs.conf", configuration.dfrs_conf(self.options, self))
            result = subprocess.run([self._program("dfrs-check-config"), self.folder / "etc/dfrs.conf"], check=False,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
            if result.returncode != 0:
                raise ClusterError(f"wrong settings (--algorithm, --set):\n{result.stdout.rstrip()}")
        if self.options.accounting:
            self.accounting.write_configuration(self.ports["slurmdbd"], self.slurm_user)
        for name, text in self.options.files.items():
            self._write(f"etc/{name}", text, 0o755 if text.startswith("#!") else 0o644)
        self._copy_plugins()

    def _plugstack(self):
        if self.options.scheduler != "dfrs" and not self.options.spank:
            return "# no plugins\n"
        return (f"optional {self.plugin_dir}/{SPANK_PLUGIN} run_dir={self.folder}/run/%n cgroup_tree={self.cgroup_tree} "
                f"default_cores_per_cpu={self.options.cores_per_cpu:g}\n")

    def _copy_plugins(self):
        """Copies, so that a build does not change the plugins of a cluster that is up. Each takes its place as a
        whole: writing over a file that a daemon has mapped would crash it."""
        folder = Path(self.other_slurmctld[1]) if self.other_slurmctld else plugins_folder()
        files = [folder / "plugin" / SPANK_PLUGIN] if self.options.spank or self.options.scheduler == "dfrs" else []
        if self.options.scheduler != "backfill":
            files += [folder / "plugin" / name for name in SLURMCTLD_PLUGINS]
        if self.options.scheduler == "driver":
            files.append(folder / "tests/plugin/sched_driver.so")
        for built in files:
            name = built.name
            if not built.exists():
                raise ClusterError(f"{built} is not built; `./quickstart cluster up` builds it")
            place = self.plugin_dir.parent if name.startswith("lib") else self.plugin_dir
            place.mkdir(parents=True, exist_ok=True)
            temporary = place / f".{name}"
            shutil.copyfile(built, temporary)
            temporary.chmod(0o755)
            temporary.rename(place / name)

    # ---- daemons ----

    def _start_all(self):
        if self.options.first:
            cgroups.put_first(self.cgroup_tree)
        if self.options.scheduler == "backfill" and self.options.spank and 0 < self.options.cores < self.options.cpus:
            cgroups.limit_nodes(self.cgroup_tree, self.nodes, self.options.cores)
        if self.options.auth == "munge":
            self.start_munged()
        else:
            self._prepare_sack()
        if self.options.accounting:
            self.accounting.start(self.ports["slurmdbd"], self.slurm_user)
        with ThreadPoolExecutor(max_workers=8) as pool:
            waiting = [pool.submit(self.start_slurmctld)]
            if self.has_agents:
                waiting += [pool.submit(self.start_agent, node) for node in self.nodes]
            for each in waiting:
                each.result()
            if self.options.auth == "munge":
                for each in [pool.submit(self.start_slurmd, node, False) for node in self.nodes]:
                    each.result()
            else:  # all bind the same socket: not at the same time
                for node in self.nodes:
                    self.start_slurmd(node)
        self.wait_nodes()

    def program(self, name):
        """The path of one of our programs, or of Slurm's."""
        return self._program(name)

    def _program(self, name):
        if name not in self._programs:
            own = build_folder() / name
            path = str(own) if own.exists() else slurm.find_program(name)
            if not path:
                raise ClusterError(f"{name} is neither built nor installed")
            self._programs[name] = path
        return self._programs[name]

    def _pid_file(self, name):
        return self.folder / "run" / f"{name}.json"

    def process(self, name):
        """The running daemon of that name (munged, slurmctld, slurmd.n1, dfrsd.n1), or None."""
        try:
            record = json.loads(self._pid_file(name).read_text(encoding="ascii"))
            process = processes.Process(record["pid"], record["started"])
        except (OSError, ValueError, KeyError):
            return None
        return process if process.alive() else self._successor(name, record.get("argv"))

    def _successor(self, name, argv):
        """Since 23.11 a reconfiguration is a new process of slurmctld or slurmd, with the same command line."""
        if not argv or not slurm.since(23, 11):
            return None
        for process in processes.marked(self.folder):
            if processes.command_line(process.pid) == argv:
                self._write_pid(name, process, argv)
                return process
        return None

    def _write_pid(self, name, process, argv):
        self._write(f"run/{name}.json", json.dumps({"pid": process.pid, "started": process.started, "argv": argv}))

    def _start(self, name, argv, environment=None):
        if self.process(name):
            return None
        process = processes.start(argv, environment=environment or self.environment(), folder=self.folder / "run",
                                  log=self.folder / "log" / f"{name}.out", mark=self.folder)
        self._write_pid(name, process, [str(word) for word in argv])
        return process

    def start_other(self, name, argv):
        """One more daemon of this cluster, which ends with it."""
        return self._start(name, argv)

    def _wait_started(self, name, process, condition, seconds=60.0):
        def ready():
            processes.reap()
            if not process.alive():
                raise ClusterError(f"{name} ended as soon as it was started:\n{self.tail(name)}")
            return condition()
        try:
            wait_for(f"{name} to answer", ready, seconds)
        except ClusterError as error:
            if "in vain" not in str(error):
                raise
            raise ClusterError(f"{error}:\n{self.tail(name)}") from None

    def tail(self, name, lines=15):
        """The end of a daemon's log, for messages."""
        paths = [path for path in (self.log(name), self.folder / "log" / f"{name}.out") if path.exists()]
        # What comes before the log is open goes to standard error alone.
        for path in sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True):
            try:
                text = path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]
            except OSError:
                continue
            if text:
                return f"--- the end of {path}\n" + "\n".join(text)
        return f"(no log of {name} in {self.folder}/log)"

    def _prepare_sack(self):
        """The folders of the sockets of auth/slurm, as systemd's RuntimeDirectory makes them, and the cluster's key. Their
        places are fixed: of clusters on one host, one has them."""
        owner = pwd.getpwnam(self.slurm_user)
        # slurmd's is root's, as slurmd; newer versions refuse another owner.
        for folder, uid, gid in ((Path("/run/slurm"), 0, 0), (Path("/run/slurmctld"), owner.pw_uid, owner.pw_gid)):
            folder.mkdir(exist_ok=True)
            os.chown(folder, uid, gid)
        key = self.folder / "etc/slurm.key"
        if not key.exists():
            with open(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(os.urandom(1024))
            os.chown(key, owner.pw_uid, owner.pw_gid)

    def start_munged(self, name="munged", folder="munge", wrapper=()):
        """The cluster's munged; or, with other names, one more with a key of its own (unless there is one in its
        folder). Its socket. `wrapper`: words before the command (faketime)."""
        place = self.folder / folder
        place.mkdir(exist_ok=True)
        if not (place / "key").exists():
            with open(os.open(place / "key", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(os.urandom(128))
        socket = place / "socket"
        argv = [*wrapper, self._program("munged"), "--foreground", "--force", "--num-threads=2", f"--key-file={place}/key",
                f"--socket={socket}", f"--pid-file={self.folder}/run/{name}.pid", f"--log-file={self.log(name)}",
                f"--seed-file={place}/seed"]
        process = self._start(name, argv)
        if process:
            self._wait_started(name, process, lambda: socket.exists() and subprocess.run(
                [self._program("munge"), "-n", "-S", socket], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, check=False).returncode == 0)
        return socket

    @property
    def slurmctld(self):
        """The program."""
        return f"{self.other_slurmctld[0]}/sbin/slurmctld" if self.other_slurmctld else self._program("slurmctld")

    def start_slurmctld(self, wait=True):
        argv = [self.slurmctld, "-D", "-f", self.folder / "etc/slurmctld.conf"]
        environment = {**self.environment(), **({"LD_PRELOAD": self.preload} if self.preload else {})}
        process = self._start("slurmctld", argv, environment)
        if process and wait:
            # Since 23.11 slurmctld listens before it has loaded its scheduler.
            asked = ["slurmctld"] + (["control"] if self.has_agents and slurm.since(23, 11) else [])
            self._wait_started("slurmctld", process, lambda: all(ports.listening(self.ports[name]) for name in asked))

    def upgrade_slurmctld(self, prefix, plugins):
        """Replaces slurmctld by that of another version of Slurm, and our plugins by those for it."""
        self.stop("slurmctld")
        self.other_slurmctld = (prefix, plugins)
        self._write("etc/slurmctld.conf", configuration.slurmctld_conf(self.options, self))
        self._copy_plugins()
        self.start_slurmctld()

    def start_slurmd(self, node, wait=True, more=()):
        argv = [self._program("slurmd"), "-D", "-N", node, "-f", self.folder / "etc/slurm.conf", *more]
        process = self._start(f"slurmd.{node}", argv)
        if process and wait:
            self._wait_started(f"slurmd.{node}", process, lambda: ports.listening(self.node_port(node)))

    def start_agent(self, node, wrapper=(), key_socket=None, port=None, wait=True):
        """`wrapper`: words before the command (faketime); `key_socket`: of another munged; `port`: other than the one
        where slurmctld looks for it."""
        port = port or self.node_port(node, agent=True)
        argv = [*(wrapper or self.agent_wrapper(node)), self._program("dfrsd"), "--node", node, "--port", port,
                "--address", "127.0.0.1", "--run-dir", self.folder / "run" / node,
                "--slurm-user", self.slurm_user, "--cgroup-tree", self.cgroup_tree, f"--cores-per-cpu={self.options.cores_per_cpu:g}"]
        if self.options.auth == "munge":  # else it finds in slurm.conf what it needs
            argv += ["--munge-socket", key_socket or self.munge_socket]
        if self.options.checkpoints:
            argv += ["--checkpoint-folder", self.options.checkpoints, "--checkpoint-key", self.folder / "munge/key",
                     "--criu", self.options.criu or os.environ.get("DFRS_CRIU", "criu")]
            if self.options.compressed and node == self.nodes[-1]:
                argv += ["--checkpoint-scratch", self.folder / "scratch"]
        process = self._start(f"dfrsd.{node}", argv)
        if process and wait:
            self._wait_started(f"dfrsd.{node}", process, lambda: ports.listening(port))

    def stop(self, name, number=signal.SIGTERM, seconds=15.0):
        """Ends a daemon with a signal and waits until it is gone."""
        process = self.process(name)
        if not process:
            return
        # munged misses a signal that comes just before it waits for a client.
        again = min(1.0, seconds) if name.startswith("munged") else seconds
        gives_up = time.monotonic() + seconds
        while True:
            processes.send(process, number)
            if not processes.wait_gone([process], again):
                return
            if time.monotonic() >= gives_up:
                raise ClusterError(f"{name} is still there {seconds:g} s after signal {number}")

    def daemons(self):
        """Names of all daemons that this cluster should have."""
        names = ["munged"] if self.options.auth == "munge" else []
        names += ["slurmctld"] + [f"slurmd.{node}" for node in self.nodes]
        return names + [f"dfrsd.{node}" for node in self.nodes if self.has_agents]

    def node_states(self):
        """node -> state as sinfo says it (idle, mixed, down*, ...); empty when slurmctld does not answer."""
        result = self.command("sinfo", "-h", "-N", "-o", "%N %T", check=False)
        return dict(line.split() for line in result.stdout.splitlines()) if result.returncode == 0 else {}

    def wait_nodes(self, seconds=30.0):
        good = ("idle", "mixed", "allocated", "completing", "reserved")
        states = {}

        def ready():
            states.clear()
            states.update(self.node_states())
            return [name for name in self.nodes if states.get(name) in good] == self.nodes
        try:
            wait_for("the nodes", ready, seconds, interval=0.05)
        except ClusterError:
            bad = [name for name in self.nodes if states.get(name) not in good]
            what = ", ".join(f"{name} is {states.get(name, 'unknown')}" for name in bad)
            raise ClusterError(f"not all nodes came up within {seconds:g} s: {what}\n"
                               f"{self.tail('slurmctld')}\n{self.tail('slurmd.' + bad[0])}") from None

    # ---- use ----

    def command(self, *argv, check=True, user=None, timeout=60.0, text_input=None, environment=None, cwd=None):
        """Runs a command of Slurm's or ours as a user of the cluster would."""
        words = [str(word) for word in argv]
        words[0] = self._program(words[0]) if "/" not in words[0] else words[0]
        result = processes.run(words, env={**self.environment(), **(environment or {})}, user=user, input=text_input,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                               timeout=timeout, check=False, cwd=cwd)
        if check and result.returncode != 0:
            raise ClusterError(f"{' '.join(words)} failed (exit {result.returncode}):\n{result.stdout}{result.stderr}")
        return result
