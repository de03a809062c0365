# SPDX-License-Identifier: GPL-2.0-or-later
"""Free TCP ports on this host, below the range that the kernel hands out by itself."""
import socket
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


def block(size, seed):
    """The first port of `size` free ones in a row. Where the search begins depends on `seed` (a text), so that clusters
    started at the same time do not meet."""
    step = 64 * ((size + 63) // 64)
    places = (LAST - FIRST) // step
    begin = zlib.crc32(seed.encode())
    for attempt in range(places):
        first = FIRST + step * ((begin + attempt) % places)
        if all(_free(port) for port in range(first, first + size)):
            return first
    raise ClusterError(f"no {size} free TCP ports in a row between {FIRST} and {LAST}")


def listening(port):
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex(("127.0.0.1", port)) == 0
