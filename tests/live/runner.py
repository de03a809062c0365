# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the test classes of this folder, each in a process and on a cluster of its own, some at the same time.

What a module may say of itself: SECONDS, about how long it takes; ALONE, that it has the machine for itself, since it
measures times; IDLE, that it uses next to no CPU time, so that it runs beside the others and does not count as one.

Results go to a file of lines PASS|FAIL|SKIP<tab>case[<tab>log], as tests/tally.pl reads them; what a module printed, in
the style of GoogleTest, and the logs of its daemons to a folder of the module.
"""
import contextlib
import fcntl
import importlib
import inspect
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

CLASS_SECONDS = 300  # none takes that long
LINES_OF_A_FAILURE = 12  # printed at once; all of it is in the log
WORK, WORK_PREFIX = "/tmp", "dfrs-live-"


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

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:  # such a test is not reported in another way
            print(f"in {subtest.id()}:", flush=True)
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


def classes_of(module):
    """Names of its test classes, in their order."""
    return [name for name, value in vars(module).items()
            if inspect.isclass(value) and issubclass(value, unittest.TestCase) and value.__module__ == module.__name__
            and unittest.TestLoader().getTestCaseNames(value)]


def run_class(name, class_name, results, log, patterns=()):
    """In this process. 0 if all passed."""
    module = importlib.import_module(f"live.{name}")
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in patterns] or None
    suite = loader.loadTestsFromTestCase(getattr(module, class_name))
    try:
        check_host()
    except Unavailable as reason:
        for case in _cases(suite):
            _append(results, "SKIP", f"{_case_name(case)} ({reason})")
        return 0
    result = Result(results, log)
    suite.run(result)
    if result.testsRun == 0 and result.wasSuccessful() and not patterns:
        _append(results, "FAIL", f"live: {name}.{class_name}: ran no test", log)
        return 1
    return 0 if result.wasSuccessful() else 1


def _run_apart(unit, results, folder, work, patterns):
    """In a process of its own, whose daemons are ended however it ends. Clusters live below `work`; what they
    leave is copied to `folder`."""
    name, class_name, number = unit
    place, kept = work / str(number) / name.replace("test_", ""), folder / name.replace("test_", "")
    for path in (place, kept):
        path.mkdir(parents=True, exist_ok=True)
    log = kept / f"{class_name.lower()}.log"
    begun = time.monotonic()
    words = [sys.executable, "-m", "live", "test", "--results", results, "--logs", folder, "--jobs", "0",
             f"{name}.{class_name}", *patterns]
    with open(log, "wb") as output:
        try:
            status = subprocess.run([str(word) for word in words], stdout=output, stderr=subprocess.STDOUT, check=False,
                                    timeout=CLASS_SECONDS, stdin=subprocess.DEVNULL,
                                    env={**os.environ, "DFRS_LIVE_LOGS": str(place.parent),
                                         "DFRS_LIVE_BURN": str(work / "burn")}).returncode
        except subprocess.TimeoutExpired:
            status = -1
            _append(results, "FAIL", f"live: {name}.{class_name}: did not end within {CLASS_SECONDS} s", log)
    if status not in (0, 1) and status != -1:
        _append(results, "FAIL", f"live: {name}.{class_name}: ended by itself (exit {status})", log)
    for error in _end_clusters(place):
        _append(results, "FAIL", f"live: {name}.{class_name}: {error}", log)
    with contextlib.suppress(shutil.Error):  # sockets cannot be copied, nor need be
        shutil.copytree(place, kept, dirs_exist_ok=True)
    text = f"{'passed' if status == 0 else 'FAILED'}: {name}.{class_name} ({time.monotonic() - begun:.0f} s)"
    if status != 0:
        text += "".join(f"\n  | {line}" for line in _about_failures(log))
    print(text, flush=True)
    return status


def _about_failures(log):
    """Lines of a class's log that say which case failed, where and why: of each the last ones before its end."""
    lines, shown = log.read_text(encoding="utf-8", errors="replace").splitlines(), []
    for number, line in enumerate(lines):
        if line.startswith("[  FAILED  ]"):
            begun = max((k for k in range(number) if lines[k].startswith("[ RUN      ]")), default=0)
            shown += lines[begun:begun + 1] + lines[max(begun + 1, number - LINES_OF_A_FAILURE):number + 1]
    return [line[:400] for line in shown or lines[-LINES_OF_A_FAILURE:]]


def _end_clusters(place):
    """Errors of those that could not be ended."""
    errors = []
    for cluster in place.glob("cluster*"):
        if cluster.is_dir():
            try:
                Cluster(cluster).down()
            except ClusterError as error:
                errors.append(error)
    return errors


def _clean_up_after_others():
    """Ends clusters of runs that were killed, and removes what they left."""
    for left in Path(WORK).glob(f"{WORK_PREFIX}*"):
        try:
            with open(left / "lock", "rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a run holds it as long as it lives
                for place in left.glob("*/*"):
                    for error in _end_clusters(place) if place.is_dir() else ():
                        print(f"of an earlier run: {error}", flush=True)
                shutil.rmtree(left, ignore_errors=True)
        except OSError:
            continue  # it runs, or is not ours


@contextlib.contextmanager
def _work_folder():
    """A short path that everybody can reach: Unix sockets are there, and jobs of ordinary users."""
    work = Path(tempfile.mkdtemp(prefix=WORK_PREFIX, dir=WORK))
    with open(work / "lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            work.chmod(0o755)
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _units(names, patterns):
    """(module, class, number) of each class that has a test of such a name, and the modules. A name is that of a module
    or MODULE.CLASS."""
    modules, units = {}, []
    for name, wanted in sorted({name.partition(".")[::2] for name in names}):
        module = modules.setdefault(name, importlib.import_module(f"live.{name}"))
        if wanted and wanted not in classes_of(module):
            raise ClusterError(f"no such class: {name}.{wanted}; there are {' '.join(classes_of(module))}")
        for class_name in [wanted] if wanted else classes_of(module):
            loader = unittest.TestLoader()
            loader.testNamePatterns = [f"*{pattern}*" for pattern in patterns] or None
            if loader.getTestCaseNames(getattr(module, class_name)):
                units.append((name, class_name, len(units)))
    return units, modules


def main(arguments):
    names = [word for word in arguments.names if word.startswith("test_")]
    patterns = [word for word in arguments.names if not word.startswith("test_")]
    results, folder = arguments.results.resolve(), arguments.logs.resolve()
    if arguments.jobs == 0:
        os.environ.setdefault("DFRS_LIVE_LOGS", str(folder))
        name, _, class_name = names[0].partition(".")
        log = folder / name.replace("test_", "") / f"{class_name.lower()}.log"
        return run_class(name, class_name, results, log, patterns)
    unknown = [name for name in names if name.partition(".")[0] not in module_names()]
    if unknown:
        raise ClusterError(f"no such module: {' '.join(unknown)}; there are {' '.join(module_names())}")
    folder.mkdir(parents=True, exist_ok=True)
    units, modules = _units(names or module_names(), patterns)

    def said(unit, what, default):
        return getattr(getattr(modules[unit[0]], unit[1]), what, getattr(modules[unit[0]], what, default))
    alone = [unit for unit in units if said(unit, "ALONE", False)]
    idle = [unit for unit in units if said(unit, "IDLE", False)]
    others = sorted((unit for unit in units if unit not in alone and unit not in idle),
                    key=lambda unit: -said(unit, "SECONDS", 0))  # the slowest begin
    _clean_up_after_others()
    with _work_folder() as work:
        shutil.copy(build_folder() / "tests/live/burn", work / "burn")
        return _run_all(others, alone, idle, arguments.jobs,
                        lambda unit: _run_apart(unit, results, folder, work, patterns))


def _run_all(others, alone, idle, at_once, run):
    with ThreadPoolExecutor(max_workers=max(1, len(idle))) as beside:
        waiting = [beside.submit(run, unit) for unit in idle]
        with ThreadPoolExecutor(max_workers=at_once) as pool:
            statuses = list(pool.map(run, others))
        statuses += [run(unit) for unit in alone]
        statuses += [each.result() for each in waiting]
    return 0 if all(status == 0 for status in statuses) else 1
