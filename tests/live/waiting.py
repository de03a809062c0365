# SPDX-License-Identifier: GPL-2.0-or-later
import time

from .errors import ClusterError

LONGEST_PAUSE = 0.2  # s


def wait_for(what, condition, seconds, interval=0.02, longest=LONGEST_PAUSE):
    """Waits until condition() is true and returns its value. `what` says, in an error, what did not come. Looks every
    `interval` seconds at first, and less often later, since most looks start a command of Slurm: a class that waits would
    else take most of a core from the others. `longest` is 0 where a look costs nothing."""
    begun = time.monotonic()
    while True:
        value = condition()
        if value:
            return value
        waited = time.monotonic() - begun
        if waited >= seconds:
            raise ClusterError(f"waited {seconds:g} s in vain for {what}")
        time.sleep(max(interval, min(longest, waited / 10)))
