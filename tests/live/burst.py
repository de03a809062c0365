# SPDX-License-Identifier: GPL-2.0-or-later
"""A burst of short jobs during which a test causes a fault, and the checks of what became of them."""
import dataclasses

from . import jobs, load
from .waiting import wait_for

ARRAY = 5  # tasks of the array in it
ARRAY_WORK = 0.03


class Burst:
    """Submits `count` jobs of all kinds and an array, on a LiveTest's cluster.

    `steps`: "any", or what stock Slurm gets over when its daemons go: "old", one step on one node, which has begun
    before. (An srun that finds slurmctld away as it begins a step tries again after a minute; without its slurmd it
    fails its job; slurmstepds that end a step of several nodes without slurmctld find each other after a minute.)"""

    def __init__(self, test, count, seed, steps="any", scale=1.5, step_work=0.6, waves=2):
        self.test, self.cluster = test, test.cluster
        options = self.cluster.options
        self.kinds = {}
        if steps == "old":
            kind = load.Kind(step_work, 1, 4, 40, False, 0)
            step = load.submit(test, kind, "--partition=steady", step=True)
            test.wait_event(step)
            self.kinds[step] = kind
        submitted = []
        for kind in load.kinds(count, seed, nodes=options.nodes, memory=options.memory, scale=scale):
            # Some are paused and moved for want of memory, not most: pausing has tests of its own.
            kind = dataclasses.replace(kind, memory=max(kind.cpus, kind.memory // 2 // kind.cpus * kind.cpus))
            if steps == "old":
                kind = dataclasses.replace(kind, tasks=1)
            submitted.append(load.submit(test, kind, "--hold"))
            self.kinds[submitted[-1]] = kind
        self.array = test.sbatch_burn(ARRAY_WORK, f"--array=1-{ARRAY}", "--hold", memory=options.memory // 4)
        # In waves, each at once, so that it does not matter how fast this host submits and runs them.
        every = [*submitted, self.array]
        first = max(len(every) // waves, (2 * count // 3) // (waves - 1))
        later = every[first:]
        size = -(-len(later) // (waves - 1))
        self._later = [later[k:k + size] for k in range(0, len(later), size)]
        self._release(every[:first])

    def states(self):
        """job number -> its fields; of the array, also of the tasks that have been split off."""
        return {number: fields for number, fields in jobs.show_all(self.cluster).items()
                if number in self.kinds or fields.get("ArrayJobId") == str(self.array)}

    def add(self, kind):
        self.kinds[load.submit(self.test, kind)] = kind

    def count(self, *states):
        return sum(fields["JobState"] in states for fields in self.states().values())

    def _release(self, numbers):
        if numbers:
            self.cluster.command("scontrol", "release", ",".join(str(job) for job in numbers))

    def release_next(self):
        """Lets the next wave begin."""
        if self._later:
            self._release(self._later[0])
            del self._later[0]

    def release_rest(self):
        """Lets all of them begin."""
        self._release([job for wave in self._later for job in wave])
        self._later = []

    def wait_middle(self):
        """Returns when some jobs have ended, some run, and many are still to come. Call it once less than there are waves."""
        ended = self.count(*jobs.ENDED)

        def middle():
            states = self.states().values()
            done = sum(fields["JobState"] in jobs.ENDED for fields in states)
            held = sum(fields.get("Reason") == "JobHeldUser" for fields in states)
            return done >= ended + 5 or done + held >= len(states)  # all may have ended during the last fault
        wait_for("some of the jobs to have ended", middle, 150, interval=0.1)
        before = self.count(*jobs.ENDED)
        self.release_next()
        # On a busy host all of them may have ended before they are seen to run.
        wait_for("jobs to run", lambda: self.count("RUNNING") > 0 or self.count(*jobs.ENDED) > before, 20, interval=0.05)

    def wait_ended(self, seconds=90):
        self.release_rest()
        last = {}

        def ended():
            result = self.states()
            last.clear()
            last.update(result)
            return (len(result) == len(self.kinds) + ARRAY
                    and all(fields["JobState"] in jobs.ENDED for fields in result.values()))
        try:
            wait_for("all jobs of the burst to end", ended, seconds, interval=0.2)
        except Exception as error:
            left = {number: f"{fields['JobState']} ({fields.get('Reason')}) {fields.get('NodeList')}"
                    for number, fields in last.items() if fields["JobState"] not in jobs.ENDED}
            lost = sorted(set(self.kinds) - set(last))
            raise AssertionError(f"{error}; left: {left}; not known to Slurm any more: {lost}") from None
        return last

    def check(self, twice=False, seconds=90):
        """No job was lost or failed, each did its work, and nothing of them is left on the nodes.

        `twice`: a run may have been repeated under the same restart count, since slurmctld has forgotten it."""
        test = self.test
        ended = self.wait_ended(seconds)
        test.assert_completed(ended)
        for job, fields in ended.items():
            kind = self.kinds.get(job)
            self._check_work(job, kind.work if kind else ARRAY_WORK, kind.tasks if kind else 1, fields, twice)
        test.assert_nodes_free()
        test.assert_no_groups()
        wait_for("dfrsctl status to show no job", lambda: not test.dfrsctl("status")["jobs"], 10)
        return ended

    def _check_work(self, job, work, tasks, fields, twice):
        test, lines = self.test, self.test.results(job)
        runs = [(line["restarts"], line["task"]) for line in lines if line["event"] == "start"]
        if not twice:
            test.assertEqual(len(runs), len(set(runs)), f"a run of job {job} was started twice: {lines}")
        ends = [line for line in lines if line["event"] == "end" and line["restarts"] == int(fields["Restarts"])]
        done = {line["task"] for line in ends}
        test.assertEqual(done, set(range(tasks)), f"job {job}: tasks whose work is done in its last run: {lines}")
        for line in ends:
            test.assertGreaterEqual(line["cpu"], work, f"job {job}: {line}")
            test.assertLess(line["cpu"], jobs.cpu_limit(work, int(fields["Restarts"])), f"job {job}: {line}")
            test.assertTrue(line["memory_ok"], f"job {job}: {line}")

