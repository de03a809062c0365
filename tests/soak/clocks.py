# SPDX-License-Identifier: GPL-2.0-or-later
"""Clocks of daemons that can be stepped while they run, by libfaketime."""
from pathlib import Path

from live.errors import Unavailable


class Clocks:
    """One for each daemon: a file says how far it is off, and the library looks into it once a second."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.library = next((str(path) for path in sorted(Path("/").glob("usr/lib*/**/faketime/libfaketimeMT.so.1"))), None)
        if self.library is None:
            raise Unavailable("clock_step needs libfaketime; on Debian: apt-get install faketime")

    def _file(self, name):
        return self.folder / name

    def set(self, name, seconds):
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = self._file(f"{name}.new")
        temporary.write_text(f"{seconds:+d}\n", encoding="ascii")
        temporary.chmod(0o644)
        temporary.rename(self._file(name))

    def environment(self, name):
        """For the daemon, beside LD_PRELOAD. Waits by the monotonic clock stay as they are."""
        if not self._file(name).exists():
            self.set(name, 0)
        return {"FAKETIME_TIMESTAMP_FILE": str(self._file(name)), "FAKETIME_CACHE_DURATION": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_DISABLE_SHM": "1"}

    def wrapper(self, name):
        """Words before the daemon's command."""
        words = {"LD_PRELOAD": self.library, **self.environment(name)}
        return ["env", *(f"{key}={value}" for key, value in words.items())]
