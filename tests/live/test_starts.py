# SPDX-License-Identifier: GPL-2.0-or-later
"""What Slurm has to say in the start of a job: prologs, deadlines, reservations."""
import re
import time

from . import jobs
from .case import LiveTest, SlowSaves
from .options import Options
from .waiting import wait_for

SECONDS = 80


def _options(settings=None, **more):
    return Options(nodes=2, cpus=4, memory=1000, cores=0.3, algorithm="GreedyP*/OPT=MIN",
                   settings={"PauseBy": "suspend", "CommentInterval": "1", **(settings or {})}, **more)


class PrologTest(SlowSaves, LiveTest):
    """slurmctld runs a prolog while the job's start is being saved."""

    def assert_each_ran_once(self, count):
        # Nobody would launch a job again that has ended before the save has.
        script = f"echo $SLURM_JOB_ID >> {self.folder}/log\nsleep 8"
        numbers = [self.sbatch(script=script, memory=100) for _ in range(count)]
        ended = self.wait_ended(numbers, 90)
        self.assert_completed(ended)
        self.assertEqual({fields["Restarts"] for fields in ended.values()}, {"0"})
        lines = (self.folder / "log").read_text(encoding="ascii").split()
        self.assertEqual(sorted(map(int, lines)), sorted(numbers))
        for node in self.cluster.nodes:
            log = self.cluster.log(f"slurmd.{node}").read_text(encoding="utf-8", errors="replace")
            self.assertNotRegex(log, re.compile("duplicate", re.IGNORECASE))


class ShortProlog(PrologTest):
    options = _options(slurm={"PrologSlurmctld": "/bin/true"})

    def test_job_whose_prolog_ends_before_the_save_is_launched_once(self):
        self.assert_each_ran_once(8)


class SlowProlog(PrologTest):
    options = _options(slurm={"PrologSlurmctld": "{etc}/prolog.sh"}, files={"prolog.sh": "#!/bin/sh\nexec sleep 2\n"})

    def test_job_whose_prolog_takes_longer_than_the_save_is_launched_once(self):
        self.assert_each_ran_once(4)


class WhenSaved(SlowSaves, LiveTest):
    """A job looks whether its submission is in slurmctld's saved state. While nothing else happens, only the save for
    its start can have brought it there before it runs. A job that is launched first finds itself saved, too, if its
    node is busy for longer than the save takes: one that does not is enough."""

    def seen_by_jobs(self, count=3):
        """Whether each job found itself saved."""
        seen = []
        for number in range(count):
            time.sleep(3)  # nothing is left to save
            name, log = f"looks{number}", self.folder / f"saved{number}"
            job = self.sbatch(f"--job-name={name}", memory=100,
                              script=f"grep -a -c {name} {self.cluster.folder}/state/job_state > {log}; sleep 2")
            self.wait_ended([job], 60)
            seen.append(int(log.read_text(encoding="ascii")) > 0)
        return seen


class SavedFirst(WhenSaved):
    options = _options()

    def test_job_is_saved_before_its_launch(self):
        self.assertEqual(self.seen_by_jobs(), [True] * 3)


class LaunchedFirst(WhenSaved):
    options = _options({"SaveBeforeLaunch": "no"})

    def test_job_is_launched_at_once_and_saved_right_after(self):
        self.assertIn(False, self.seen_by_jobs())
        saved = (self.cluster.folder / "state/job_state").read_bytes()
        self.assertIn(b"looks2", saved)


class LaunchedFirstBecauseSavesAreSlow(WhenSaved):
    options = _options({"SaveBeforeLaunch": "auto"})

    def test_jobs_are_saved_first_until_five_saves_were_slow(self):
        seen = self.seen_by_jobs(6)
        self.assertTrue(seen[0])
        self.assertIn(False, seen)
        log = self.cluster.log("slurmctld").read_text(encoding="utf-8")
        self.assertEqual(len(re.findall("from now on jobs are launched first and saved right after", log)), 1)
        self.assertNotIn("from now on jobs are saved before", log)


class Limits(LiveTest):
    options = _options()

    def test_deadline_shortens_the_limit(self):
        job = self.sbatch("--time=60", "--time-min=1", "--deadline=now+5minutes", memory=100)
        fields = self.wait_state(job, "RUNNING")
        self.assertRegex(fields["TimeLimit"], r"^00:0[1-5]:00$")

    def test_job_that_cannot_meet_its_deadline_any_more_never_starts(self):
        job = self.sbatch("--hold", "--time=1", "--deadline=now+64seconds", memory=100, script=f"touch {self.folder}/ran")
        time.sleep(6)
        self.assertEqual(jobs.state(self.cluster, job), "PENDING")
        self.cluster.command("scontrol", "release", job)
        ended = self.wait_ended([job], 20)[job]
        self.assertEqual((ended["JobState"], ended["Reason"]), ("DEADLINE", "DeadLine"))
        self.assertFalse((self.folder / "ran").exists())

    def test_running_job_that_its_user_holds_is_paused_and_goes_on(self):
        """Its priority is 0 then, as that of a job which its user has suspended."""
        held = [self.sbatch_burn(3.0, f"--nodelist={node}", memory=900) for node in self.cluster.nodes]
        for job in held:
            self.wait_event(job)
            self.cluster.command("scontrol", "update", f"jobid={job}", "priority=0")
        time.sleep(2.3)  # a run is not suspended in its first two seconds
        new = self.sbatch_burn(1.5, memory=900)  # still at work when the others are looked at
        self.wait_event(new)
        paused = wait_for("a held job to be paused",
                          lambda: [job for job in held if jobs.state(self.cluster, job) == "SUSPENDED"], 10)
        self.assertEqual({self.dfrs_jobs()[job]["state"] for job in paused}, {"suspended"})
        self.assert_completed(self.wait_ended([*held, new], 90))
        for job in held:
            self.assert_done(job, 3.0)


class Reservations(LiveTest):
    options = _options()

    def test_job_avoids_nodes_that_are_reserved_before_it_would_end(self):
        one, two = self.cluster.nodes
        self.cluster.command("scontrol", "create", "reservation", "reservationname=later", "starttime=now+10minutes",
                             "duration=60", f"nodes={one}", "users=root")
        try:
            # The policy would take the emptier node.
            short = self.sbatch("--time=5", f"--nodelist={two}", memory=100)
            self.wait_state(short, "RUNNING")
            long = self.sbatch("--time=60", memory=100)
            self.assertEqual(self.wait_state(long, "RUNNING", 10)["NodeList"], two)
            other = self.sbatch("--time=5", memory=100)
            self.assertEqual(self.wait_state(other, "RUNNING", 10)["NodeList"], one)
        finally:
            self.end_all_jobs()
            self.cluster.command("scontrol", "delete", "reservationname=later")

    def test_job_that_names_several_reservations_starts_in_the_one_that_has_begun(self):
        one, two = self.cluster.nodes
        names = {"later": ("now+10minutes", one), "begun": ("now", two), "last": ("now+20minutes", one)}
        for name, (begin, node) in names.items():
            self.cluster.command("scontrol", "create", "reservation", f"reservationname={name}", f"starttime={begin}",
                                 "duration=5", f"nodes={node}", "users=root")
        try:
            job = self.sbatch("--time=2", f"--reservation={','.join(names)}", memory=100)
            self.assertEqual(self.wait_state(job, "RUNNING", 10)["NodeList"], two)
        finally:
            self.end_all_jobs()
            for name in names:
                self.cluster.command("scontrol", "delete", f"reservationname={name}")
