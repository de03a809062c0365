# SPDX-License-Identifier: GPL-2.0-or-later
"""Something done again and again in the background of a `with` block."""
import threading


class Periodic:
    """Calls look() every `interval` s until the block ends. Those that inherit from it define look()."""

    def __init__(self, interval):
        self.interval = interval
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()

    def _run(self):
        while not self._end.wait(self.interval):
            self.look()

    def look(self):
        raise NotImplementedError
