# SPDX-License-Identifier: GPL-2.0-or-later
"""Daemons of a cluster: started detached, known by process number and start time, found again by a mark.

Everything that a cluster starts has MARK=<its folder> in its environment, so that it is found and ended also after a
crash of the process that started it. A process number alone is never trusted: the kernel uses numbers again.
"""
import os
import signal
import subprocess
import time
from dataclasses import dataclass

from .errors import ClusterError

MARK = "DFRS_CLUSTER_DAEMON"


@dataclass(frozen=True)
class Process:
    pid: int
    started: int  # clock ticks after boot

    def alive(self):
        return _status(self.pid) == (self.started, True)


def _status(pid):
    """(start time, whether it still runs), or None when there is no such process. Zombies do not run."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[19]), fields[0] not in "ZX"


def identify(pid):
    status = _status(pid)
    return Process(pid, status[0]) if status else None


def start(argv, *, environment, folder, log, mark):
    """Starts a daemon that stays in the foreground of its own session; its output is appended to the file `log`."""
    environment = {**environment, MARK: str(mark)}
    with open(log, "ab") as output, open(os.devnull, "rb") as nothing:
        try:
            child = subprocess.Popen([str(word) for word in argv], env=environment, cwd=folder, stdin=nothing,
                                     stdout=output, stderr=output, start_new_session=True)
        except OSError as error:
            raise ClusterError(f"cannot start {argv[0]}: {error.strerror}") from None
    process = identify(child.pid)
    if process is None:
        raise ClusterError(f"{argv[0]} vanished as soon as it was started; see {log}")
    _children[process.pid] = child
    return process


def run(argv, **options):
    """Runs a command to its end, as subprocess.run does.

    munged hangs up on a client that needs 2 s for its first words, as on a busy host. libmunge tries again, unless SIGPIPE
    ends the command first, so the command ignores it.
    """
    return subprocess.run([str(word) for word in argv], restore_signals=False, **options)


_children = {}  # of this Python process, to be reaped; others are init's


def reap():
    for pid, child in list(_children.items()):
        if child.poll() is not None:
            _children.pop(pid, None)  # another thread may reap, too


def send(process, number):
    """Signals a process if it is still the one meant. False if it is gone."""
    if not process.alive():
        return False
    try:
        os.kill(process.pid, number)
    except ProcessLookupError:
        return False
    return True


def wait_gone(processes, seconds):
    """Waits until all have ended; those that have not by then are returned."""
    left = [process for process in processes if process.alive()]
    end = time.monotonic() + seconds
    while left and time.monotonic() < end:
        time.sleep(0.01)
        reap()
        left = [process for process in left if process.alive()]
    reap()
    return left


def stop(processes, grace=10.0):
    """SIGTERM, and SIGKILL for those that are still there after `grace` seconds."""
    processes = list(processes)
    for process in processes:
        send(process, signal.SIGTERM)
        send(process, signal.SIGCONT)
    left = wait_gone(processes, grace)
    for process in left:
        send(process, signal.SIGKILL)
    return wait_gone(left, 5.0)


def _pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def environment_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return {}
    pairs = (word.decode(errors="replace").partition("=") for word in words)
    return {name: value for name, mark, value in pairs if mark}


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return [word.decode(errors="replace") for word in file.read().split(b"\0")[:-1]]
    except OSError:
        return []


def is_stepd_of(pid, mark):
    """Whether it is a slurmstepd of the cluster in the folder `mark`. It may have written its title over its whole
    environment (26.05): then its working folder tells, which is slurmd's."""
    if not "".join(command_line(pid)[:1]).startswith("slurmstepd"):
        return False
    if environment_of(pid).get(MARK) == str(mark):
        return True
    try:
        return os.readlink(f"/proc/{pid}/cwd").startswith(f"{mark}/")
    except OSError:
        return False


def marked(mark):
    """All that still runs of the cluster in the folder `mark`: its daemons, slurmstepds, and what they have started."""
    parents, found = {}, set()
    for pid in _pids():
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
                parents[pid] = int(stat.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if environment_of(pid).get(MARK) == str(mark) or is_stepd_of(pid, mark):
            found.add(pid)
    # Tasks have the environment of their submission, not ours: they are children of slurmstepd.
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in found and pid not in found}
        grown = bool(more)
        found |= more
    found.discard(os.getpid())
    return [process for process in map(identify, sorted(found)) if process is not None and process.alive()]
