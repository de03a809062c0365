# SPDX-License-Identifier: GPL-2.0-or-later
"""Free TCP ports on this host, below the range that the kernel hands out by itself."""
import fcntl
import os
import socket
import tempfile
import zlib

from .errors import ClusterError

FIRST, LAST = 20000, 32000


def _free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


_reserved = []  # lock files, held open for as long as this process lives


def _reserve(first, size):
    """Whether the ports are free, and nobody else is about to use them: between this look and the daemons that bind them
    others may look, too."""
    folder = os.path.join(tempfile.gettempdir(), f"dfrs-ports-{os.getuid()}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    lock = os.open(os.path.join(folder, str(first)), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = all(_free(port) for port in range(first, first + size))
    except OSError:
        free = False
    if free:
        _reserved.append(lock)
    else:
        os.close(lock)
    return free


def block(size, seed):
    """The first port of `size` free ones in a row, which this process keeps for itself while it lives. Where the search
    begins depends on `seed` (a text), so that clusters started at the same time seldom meet."""
    step = 64 * ((size + 63) // 64)
    places = (LAST - FIRST) // step
    begin = zlib.crc32(seed.encode())
    for attempt in range(places):
        first = FIRST + step * ((begin + attempt) % places)
        if _reserve(first, size):
            return first
    raise ClusterError(f"no {size} free TCP ports in a row between {FIRST} and {LAST}")


def listening(port):
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex(("127.0.0.1", port)) == 0
