# SPDX-License-Identifier: GPL-2.0-or-later
"""A swap file for a test on a host without swap. It is removed even if the test is killed."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from .errors import Unavailable

MIB = 256
# Waits until the test closes its end of the pipe, also by dying, and then removes the file.
_GUARD = 'read -r _; swapoff "$1"; rm -f "$1"; rmdir "$2"'


def devices():
    """Lines of /proc/swaps: the swap that there is."""
    return Path("/proc/swaps").read_text(encoding="ascii").splitlines()[1:]


def free_mib(lines=None):
    """Free swap of this host. `lines`: as of devices()."""
    sizes = [line.split()[2:4] for line in (devices() if lines is None else lines)]
    return sum(int(size) - int(used) for size, used in sizes) // 1024


def _run(*argv):
    return subprocess.run([str(word) for word in argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          universal_newlines=True, env={**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"})


class SwapFile:
    """Swapped on from the start until close(). Raises Unavailable where this host does not allow it."""

    def __init__(self, folders, size=MIB):
        self.size, self._guard, why = size, None, []
        for folder in folders:
            try:
                self._make(Path(folder))
                return
            except (OSError, Unavailable) as error:
                why.append(f"{folder}: {error}")
        raise Unavailable(f"no swap can be made here: {'; '.join(why)}")

    def _make(self, folder):
        if shutil.disk_usage(folder).free < 4 * self.size << 20:
            raise Unavailable("the disk is nearly full")
        self.folder = Path(tempfile.mkdtemp(prefix="dfrs-swap-", dir=folder))
        self.path = self.folder / "swap"
        self._guard = subprocess.Popen(["/bin/sh", "-c", _GUARD, "sh", str(self.path), str(self.folder)],
                                       stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       start_new_session=True, cwd="/",
                                       env={**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"})
        try:
            with open(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                block = bytes(1 << 20)  # written, since swap files must have no holes
                for _ in range(self.size):
                    file.write(block)
            for command in ("mkswap", "swapon"):
                result = _run(command, self.path)
                if result.returncode != 0:
                    raise Unavailable(f"{command}: {result.stdout.strip()}")
        except Exception:
            self.close()
            raise

    def close(self):
        if self._guard is not None:
            self._guard.stdin.close()
            self._guard.wait(60)
            self._guard = None


def of_process(pid, name="VmSwap"):
    """MiB of a process in swap (VmSwap), or in memory (VmRSS)."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    return 0.0
