# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the test modules of this folder, each in a process and on a cluster of its own, some at the same time.

Results go to a file of lines PASS|FAIL|SKIP<tab>case[<tab>log], as tests/tally.pl reads them; what a module printed, in
the style of GoogleTest, and the logs of its daemons to a folder of the module.
"""
import contextlib
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .cluster import Cluster, build_folder, check_host
from .errors import ClusterError, Unavailable

MODULE_SECONDS = 420  # none takes that long


def module_names():
    return sorted(path.stem for path in Path(__file__).parent.glob("test_*.py"))


def _append(path, *fields):
    with open(path, "a", encoding="utf-8") as file:
        file.write("\t".join(str(field).replace("\n", " ").replace("\t", " ") for field in fields) + "\n")


def _case_name(test):
    # setUpClass and its like are called "setUpClass (live.test_x.Class)".
    kind, bracket, rest = test.id().partition(" (")
    name = (rest if bracket else kind).rpartition("live.")[2].rstrip(")")
    return f"live: {name}: {kind}" if bracket else f"live: {name}"


class Result(unittest.TestResult):
    """Writes each case's result as soon as it is known, and prints as GoogleTest does."""

    def __init__(self, results, log):
        super().__init__()
        self.results_path, self.log_path = results, log
        self._begun = time.monotonic()

    def startTest(self, test):
        super().startTest(test)
        self._begun = time.monotonic()
        print(f"[ RUN      ] {_case_name(test)}", flush=True)

    def _end(self, test, outcome, mark, note=""):
        name = _case_name(test)
        if outcome == "SKIP":
            _append(self.results_path, "SKIP", f"{name} ({note})")
        else:
            _append(self.results_path, outcome, name, self.log_path)
        print(f"[{mark:^10}] {name} ({time.monotonic() - self._begun:.1f} s)", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._end(test, "PASS", "OK")

    def _bad(self, test, error):
        if not isinstance(test, unittest.TestCase):  # setUpClass, tearDownClass: such a test was never started
            print(f"[ RUN      ] {_case_name(test)}", flush=True)
        print("".join(traceback.format_exception(*error)), flush=True)
        self._end(test, "FAIL", "FAILED")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._bad(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self._bad(test, err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._end(test, "SKIP", "SKIPPED", reason)


def _cases(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from _cases(item)
        else:
            yield item


def run_module(name, results, log, patterns=()):
    """In this process. 0 if all passed."""
    module = importlib.import_module(f"live.{name}")
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in patterns] or None
    suite = loader.loadTestsFromModule(module)
    try:
        check_host()
    except Unavailable as reason:
        for case in _cases(suite):
            _append(results, "SKIP", f"{_case_name(case)} ({reason})")
        return 0
    result = Result(results, log)
    suite.run(result)
    if result.testsRun == 0 and result.wasSuccessful() and not patterns:
        _append(results, "FAIL", f"live: {name}: ran no test", log)
        return 1
    return 0 if result.wasSuccessful() else 1


def _run_apart(name, results, folder, work, patterns):
    """In a process of its own, whose daemons are ended whatever becomes of it. Clusters live below `work`; what they
    leave is copied to `folder`."""
    place, kept = work / name.replace("test_", ""), folder / name.replace("test_", "")
    for path in (place, kept):
        path.mkdir(parents=True, exist_ok=True)
    log = kept / "test.log"
    begun = time.monotonic()
    words = [sys.executable, "-m", "live", "test", "--results", results, "--logs", folder, "--jobs", "0", name, *patterns]
    with open(log, "wb") as output:
        try:
            status = subprocess.run([str(word) for word in words], stdout=output, stderr=subprocess.STDOUT, check=False,
                                    timeout=MODULE_SECONDS, stdin=subprocess.DEVNULL,
                                    env={**os.environ, "DFRS_LIVE_LOGS": str(work),
                                         "DFRS_LIVE_BURN": str(work / "burn")}).returncode
        except subprocess.TimeoutExpired:
            status = -1
            _append(results, "FAIL", f"live: {name}: did not end within {MODULE_SECONDS} s", log)
    if status not in (0, 1) and status != -1:
        _append(results, "FAIL", f"live: {name}: ended by itself (exit {status})", log)
    for cluster in place.glob("cluster*"):
        if cluster.is_dir():
            try:
                Cluster(cluster).down()
            except ClusterError as error:
                _append(results, "FAIL", f"live: {name}: {error}", log)
    with contextlib.suppress(shutil.Error):  # sockets cannot be copied, nor need be
        shutil.copytree(place, kept, dirs_exist_ok=True)
    print(f"{'passed' if status == 0 else 'FAILED'}: {name} ({time.monotonic() - begun:.0f} s)", flush=True)
    return status


def main(arguments):
    names = [word for word in arguments.names if word.startswith("test_")]
    patterns = [word for word in arguments.names if not word.startswith("test_")]
    unknown = [name for name in names if name not in module_names()]
    if unknown:
        raise ClusterError(f"no such module: {' '.join(unknown)}; there are {' '.join(module_names())}")
    results, folder = arguments.results.resolve(), arguments.logs.resolve()
    if arguments.jobs == 0:
        os.environ.setdefault("DFRS_LIVE_LOGS", str(folder))
        return run_module(names[0], results, folder / names[0].replace("test_", "") / "test.log", patterns)
    folder.mkdir(parents=True, exist_ok=True)
    names = names or module_names()
    # Those that measure times have the machine for themselves; the slowest of the others begin.
    modules = {name: importlib.import_module(f"live.{name}") for name in names}
    alone = [name for name in names if getattr(modules[name], "ALONE", False)]
    others = sorted((name for name in names if name not in alone),
                    key=lambda name: -getattr(modules[name], "SECONDS", 0))
    # A short path that everybody can reach: Unix sockets are there, and jobs of ordinary users.
    work = Path(tempfile.mkdtemp(prefix="dfrs-live-", dir="/tmp"))
    try:
        work.chmod(0o755)
        shutil.copy(build_folder() / "tests/live/burn", work / "burn")
        return _run_all(others, alone, arguments.jobs, lambda name: _run_apart(name, results, folder, work, patterns))
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _run_all(others, alone, at_once, run):
    statuses = []
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        statuses += pool.map(run, others)
    statuses += [run(name) for name in alone]
    return 0 if all(status == 0 for status in statuses) else 1
