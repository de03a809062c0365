# SPDX-License-Identifier: GPL-2.0-or-later
"""Plays a plan on a cluster, and collects what the judge needs. One thread causes the faults; a few are the users."""
import heapq
import itertools
import json
import subprocess
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from live import capacity, quotas
from live.capacity import Sampler
from live.errors import ClusterError

from . import diary, plan as plans, sanitizer
from .faults import Faults
from .judge import Evidence, Finding, differing
from .outcome import Outcome
from .usage import Usage

USERS = 16
QUOTAS_WITHIN = 10.0  # s from the end of a fault until all quotas must be those of the yields
BOOKS_WITHIN = 10.0   # s from then until Slurm's own books must be those of the jobs
CALM = 5.0            # s without a job in which nothing may happen
MOST_WAIT = 150.0     # s in which, after the end of the plan, at least one job must end as long as there are any
PATIENCE = 30.0       # s for which a user repeats what slurmctld has no room or no time for
MOST_DELAY = 1.4      # times the plan's length, when it is given up
SELF_REPAIR = "trying once more from what Slurm shows"  # slurmctld's log: the policy found its own state wrong


class Player:
    def __init__(self, world, plan):
        self.world, self.cluster, self.plan = world, world.cluster, plan
        self.faults, self.usage = Faults(world), Usage(world.cluster)
        self.foreign = Counter()  # reports of a sanitizer that are not of dfrs
        self.findings, self.counters, self.left = [], {}, {}
        self._mending, self._count = [], itertools.count()
        self._begun = 0.0

    def play(self):
        """The outcome. The cluster is up before, and stays up."""
        with Sampler(self.cluster, interval=1.0) as sampler, self.usage, ThreadPoolExecutor(USERS) as users:
            self._begun = really = time.monotonic()
            told = []
            for action in self.plan.actions:
                if time.monotonic() - really > MOST_DELAY * self.plan.seconds:
                    self.world.say("the rest is left out: it is late")
                    break
                self._wait_until(action.at)
                self._act(action, users, told)
            while self._mending:
                self._wait_until(self._mending[0][0])
            for each in told:
                if each.exception():
                    self.findings.append(Finding("harness", f"a user: {each.exception()!r}"))
            self._try(self._end)
        self.findings += [Finding("capacity", text) for at, node, what, text in sampler.cases
                          if what == "memory" or not self._agent_away(node, at)]
        if sampler.samples == 0:
            self.findings.append(Finding("harness", f"no sample of capacity was taken: {sampler.errors[-1:]}"))
        self.findings += [Finding("forged", text) for text in self.faults.broken]
        evidence = self._collect()
        database = self._try(self._sacct, evidence)
        self.findings += (self._try(self._replay) or []) + self._log()
        return Outcome(self.plan, evidence, database, self.findings, self.counters, self.usage.samples(), self.foreign,
                       time.monotonic() - really)

    def _try(self, step, *arguments):
        """What it returns. None: the cluster did not answer, which is a finding; what was seen until then is judged."""
        try:
            return step(*arguments)
        except (ClusterError, subprocess.TimeoutExpired) as error:
            self.findings.append(Finding("harness", f"{step.__name__}: {error}"))
            return None

    def _agent_away(self, node, at):
        """Whether a node's agent could not be told of quotas then: jobs start all the same, as dfrsctl says."""
        return any(event.kind in ("agent_away", "node_lost", "slurmctld_killed") and event.node in ("", node)
                   and event.begin - 1 <= at <= event.end + QUOTAS_WITHIN for event in self.world.events)

    def _act(self, action, users, told):
        self.world.say(str(action))
        if action.kind in plans.FAULTS:
            try:
                mend = self.faults.begin(action)
            except ClusterError as error:
                self.findings.append(Finding("fault", f"{action}: {error}"))
                return
            due = action.at + action.arguments["seconds"]
            heapq.heappush(self._mending, (due, next(self._count), lambda: self._mended(action, mend)))
        else:
            told.append(users.submit(self._user, action))

    def _mended(self, action, mend):
        self.world.say(f"{'':8} end of {action.kind}")
        if action.kind in plans.AGENT_AWAY:
            node = action.arguments.get("node") or action.arguments.get("daemon", "").partition(".")[2]
            self.world.event("agent_away", time.time() - action.arguments["seconds"] - 5, node=node)
        try:
            if mend:
                mend()
        except ClusterError as error:
            self.findings.append(Finding("fault", f"{action} cannot be ended: {error}"))
            return
        self._check_quotas(action.kind)
        self._check_books(action.kind)

    def _wait_until(self, at):
        """Until so many seconds after the start; ends faults that are due meanwhile."""
        while True:
            due = self._mending[0][0] if self._mending else at
            left = self._begun + min(due, at) - time.monotonic()
            if left > 0:
                time.sleep(left)
            elif left < -0.5:  # a fault took longer: what comes is moved with it, so that it does not come all at once
                self._begun -= left
            if not self._mending or due > at:
                return
            heapq.heappop(self._mending)[2]()

    # ---- users ----

    def _user(self, action):
        arguments = dict(action.arguments)
        if action.kind == "submit":
            self.world.submit(**arguments)
            return
        submission = self.world.submissions.get(arguments["tag"])
        if submission and submission.job:
            getattr(self, f"_{action.kind}")(submission, arguments)

    def _cancel(self, submission, _):
        worked, _ = self.world.ask("scancel", submission.job)
        submission.cancelled, submission.cancel_worked = time.time(), worked

    def _hold(self, submission, arguments):
        self.world.ask("scontrol", "hold", submission.job)
        self._later(arguments["seconds"], "release", submission.job)

    def _suspend(self, submission, arguments):
        worked, _ = self.world.ask("scontrol", "suspend", submission.job)
        if worked:
            self._later(arguments["seconds"], "resume", submission.job)

    def _later(self, seconds, verb, job):
        """What a user has held or suspended goes on after so many seconds; a resume when its nodes have room again."""
        time.sleep(seconds)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            worked, text = self.world.ask("scontrol", verb, job)
            if worked or not ("Unable to contact" in text or "busy" in text):
                return
            time.sleep(0.5)

    def _limit(self, submission, arguments):
        self.world.ask("scontrol", "update", f"JobId={submission.job}", f"TimeLimit={arguments['minutes']}")

    def _nice(self, submission, arguments):
        self.world.ask("scontrol", "update", f"JobId={submission.job}", f"Nice={arguments['nice']}")

    def _priority(self, submission, arguments):
        self.world.ask("scontrol", "update", f"JobId={submission.job}", f"Priority={arguments['priority']}")

    def _resize(self, submission, _):
        """Slurm keeps the node where the script runs. scontrol writes a script to where it runs itself."""
        submission.resized = True
        self.world.ask("scontrol", "update", f"JobId={submission.job}", "NumNodes=1", cwd=self.world.folder)

    def _nodes(self, submission, _):
        submission.resized = True
        self.world.ask("scontrol", "update", f"JobId={submission.job}", f"ReqNodeList={self.cluster.nodes[0]}")

    def _requeue(self, submission, _):
        submission.requeued = True
        self.world.ask("scontrol", "requeue", submission.job)

    # ---- checks ----

    def _check_quotas(self, after):
        """A quota that is wrong must not stay wrong. Jobs come and go meanwhile: what is the same in all looks counts."""
        end, same = time.monotonic() + QUOTAS_WITHIN, None
        while True:
            try:
                wrong = quotas.wrong(self.cluster)
            except (ClusterError, ValueError, KeyError):
                wrong = None  # slurmctld is just starting
            if wrong is not None:
                same = dict(wrong) if same is None else {key: value for key, value in wrong.items() if key in same}
                if not same:
                    return
            if time.monotonic() > end:
                break
            time.sleep(0.2)
        if same:
            self.findings.append(Finding("quotas", f"{QUOTAS_WITHIN:g} s after {after}, of (job, node), (cores it has, "
                                         f"cores it should have): {same}"))

    def _check_books(self, after):
        """What Slurm has given away of each node is what its jobs have; jobs come and go meanwhile."""
        if any(time.time() <= event.end + event.back for event in self.world.events if event.back > 0):
            return  # slurmctld does not add up what nodes have again until its clock shows a later time than when it last did
        end, same = time.monotonic() + BOOKS_WITHIN, None
        while time.monotonic() < end:
            try:
                wrong = capacity.wrong_books(self.cluster)
            except (ClusterError, ValueError, KeyError):
                continue  # slurmctld is just starting
            finally:
                time.sleep(0.3)
            if wrong is None:
                continue  # too much goes on
            same = wrong if same is None else {node: text for node, text in wrong.items() if node in same}
            if not same:
                return
        for node, text in (same or {}).items():
            self.findings.append(Finding("books", f"{BOOKS_WITHIN:g} s after {after}, {node}: {text}"))

    def _end(self):
        self.faults.mend_all()
        end, fewest = time.monotonic() + MOST_WAIT, None
        while time.monotonic() < end:
            active = self.world.active()
            if not active:
                break
            if fewest is None or len(active) < fewest:
                end, fewest = time.monotonic() + MOST_WAIT, len(active)
            for job, state in active.items():
                if "JobHeld" in state:  # also a job that was suspended and requeued, which Slurm holds
                    self.world.ask("scontrol", "release", job)
                elif state.startswith("SUSPENDED") and self._status().get(job, {}).get("state") == "user-suspended":
                    self.world.ask("scontrol", "resume", job)
            time.sleep(1.0)
        self.left = self.world.active()
        self._check_quotas("all jobs had ended")
        self._check_books("all jobs had ended")
        if not self.left:
            self._check_nothing_is_left()
            self._check_calm()

    def _status(self):
        worked, text = self.world.ask("dfrsctl", "status", "--json")
        return {job["job"]: job for job in json.loads(text)["jobs"]} if worked else {}

    def _check_nothing_is_left(self):
        if self._status():
            self.findings.append(Finding("left", f"dfrsctl status still shows jobs: {sorted(self._status())}"))
        text = self.world.insist("scontrol", "-o", "show", "node")
        used = [line.split()[0] for line in text.splitlines()
                if line.startswith("NodeName=") and (" CPUAlloc=0 " not in line or " AllocMem=0 " not in line)]
        if used:
            self.findings.append(Finding("left", f"nodes with something allocated and no job: {used}"))

    def _check_calm(self):
        """With no job and no fault nothing makes the controller start over from Slurm's state."""
        looks = []
        for _ in range(2):
            worked, text = self.world.ask("dfrsctl", "status", "--json")
            looks.append(json.loads(text) if worked else {})
            time.sleep(CALM)
        self.counters = {name: looks[-1].get(name) for name in ("steps", "resyncs", "errors")}
        if looks[0].get("resyncs") != looks[1].get("resyncs"):
            self.findings.append(Finding("resync", f"{looks[1].get('resyncs')} after {looks[0].get('resyncs')} while there was "
                                         "no job"))
        if looks[-1].get("errors"):
            self.findings.append(Finding("resync", f"{looks[-1]['errors']} steps failed: {looks[-1].get('last_error')}"))

    def _collect(self):
        return Evidence(list(self.world.submissions.values()), diary.read_all(self.world.diaries), self.world.records(),
                        self.left, self.world.events + self.world.given_up(), self.world.stray())

    def _sacct(self, evidence):
        """What the database has of each job, once that is what the text file has: slurmctld sends it a little later."""
        if not self.world.wanted.accounting:
            return None
        end, fewest = time.monotonic() + MOST_WAIT, None
        while (unsent := self.world.unsent()) and time.monotonic() < end:
            if fewest is None or unsent < fewest:
                end, fewest = time.monotonic() + MOST_WAIT, unsent
            time.sleep(1.0)
        if unsent:
            self.findings.append(Finding("sacct", f"slurmctld cannot send {unsent} messages to slurmdbd"))
        end = time.monotonic() + BOOKS_WITHIN
        while True:
            database = self.world.records_of_sacct(evidence.records)
            if unsent or not differing(evidence, database) or time.monotonic() > end:
                return database
            time.sleep(1.0)

    def _replay(self):
        """Every file of the record, from first to last, makes the same decisions again."""
        self.world.ask("dfrsctl", "record", "off")
        files = sorted(self.world.disks["record"].glob("run*"))
        found = [] if files else [Finding("replay", "there is no record")]
        for path in files:
            result = self.cluster.command("dfrs-sim", "replay", path, "--json", check=False, timeout=300)
            try:
                exact = json.loads(result.stdout)["exact"]
            except (ValueError, KeyError):
                exact = False
            if result.returncode != 0 or not exact:
                found.append(Finding("replay", f"{path}: {(result.stderr or result.stdout).strip()[:400]}"))
        return found

    def _log(self):
        found, ignored = [], sanitizer.known(sanitizer.KNOWN.read_text(encoding="utf-8"))
        for path in sorted(self.world.reports.glob("report*")):
            ours, others = sanitizer.judge(path.read_text(encoding="utf-8", errors="replace"), ignored)
            found += [Finding("sanitizer", f"{path}: {name}") for name in sorted(set(ours))]
            self.foreign.update(others)
        for name in ("slurmctld", "backup"):
            path = self.cluster.log(name)
            text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
            found += [Finding("resync", line) for line in text.splitlines() if SELF_REPAIR in line or "fatal:" in line]
        return found
