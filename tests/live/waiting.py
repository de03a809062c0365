# SPDX-License-Identifier: GPL-2.0-or-later
import time

from .errors import ClusterError


def wait_for(what, condition, seconds, interval=0.02):
    """Waits until condition() is true and returns its value. `what` says, in an error, what did not come."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= end:
            raise ClusterError(f"waited {seconds:g} s in vain for {what}")
        time.sleep(interval)
