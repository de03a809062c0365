# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever can be said to sbatch, srun and salloc means the same under DFRS, or is refused with a reason."""
import contextlib
import json
import time

from . import jobs
from .case import LiveTest
from .errors import ClusterError
from .options import Options
from .waiting import wait_for

SECONDS = 90


def _options(**more):
    return Options(nodes=4, cpus=4, memory=1000, cores=0.3, algorithm="GreedyPM*/OPT=MIN",
                   settings={"CommentInterval": "1"}, **more)


class Kinds(LiveTest):
    """Batch, srun, salloc, arrays."""
    options = _options()

    def test_batch_output_and_environment(self):
        job = self.sbatch(f"--output={self.folder}/out", tasks=2, cpus=2, memory=100,
                          script="echo $SLURM_JOB_ID $SLURM_NTASKS $SLURM_CPUS_PER_TASK $SLURM_JOB_PARTITION")
        self.assert_completed(self.wait_ended([job]))
        self.assertEqual((self.folder / "out").read_text(encoding="utf-8").split(), [str(job), "2", "2", "dfrs"])

    def test_exit_code_is_the_scripts(self):
        job = self.sbatch(script="exit 7")
        fields = self.wait_ended([job])[job]
        self.assertEqual((fields["JobState"], fields["ExitCode"]), ("FAILED", "7:0"))

    def test_srun_without_an_allocation(self):
        result = self.cluster.command("srun", "--ntasks=3", "--cpus-per-task=2", "--mem-per-cpu=20", "sh", "-c",
                                      "echo $SLURM_PROCID", cwd="/")
        self.assertEqual(sorted(result.stdout.split()), ["0", "1", "2"])

    def test_srun_gives_the_tasks_exit_code(self):
        self.assertEqual(self.cluster.command("srun", "sh", "-c", "exit 5", check=False, cwd="/").returncode, 5)

    def test_salloc_with_steps(self):
        result = self.cluster.command("salloc", "--ntasks=2", "--cpus-per-task=1", "--mem-per-cpu=50", "srun", "sh",
                                      "-c", "echo $SLURM_JOB_ID.$SLURM_PROCID", cwd="/")
        self.assertEqual(sorted(line.partition(".")[2] for line in result.stdout.split()), ["0", "1"])
        job = int(result.stdout.partition(".")[0])
        self.assert_completed(self.wait_ended([job], 10))

    def test_array(self):
        array = self.sbatch("--array=1-5", script=f"echo $SLURM_ARRAY_TASK_ID > {self.folder}/$SLURM_ARRAY_TASK_ID",
                            memory=100)
        wait_for("five tasks to write", lambda: len(list(self.folder.iterdir())) == 5, 20)
        wait_for("the array to be over", lambda: not self.active_jobs(), 20)
        states = {fields.get("ArrayTaskId"): fields["JobState"] for fields in jobs.show_all(self.cluster).values()
                  if fields.get("ArrayJobId") == str(array)}
        self.assertEqual(states, {str(task): "COMPLETED" for task in range(1, 6)})

    def test_an_array_starts_many_tasks_at_a_time(self):
        record = self.folder / "record.jsonl"
        self.cluster.command("dfrsctl", "record", "on", record)
        self.addCleanup(self.cluster.command, "dfrsctl", "record", "off", check=False)
        array = self.sbatch("--array=1-40", script=f"sleep 3; echo $SLURM_ARRAY_TASK_ID >> {self.folder}/done", cpus=1,
                            memory=60)
        wait_for("the array to be over", lambda: not self.active_jobs(), 60)
        self.cluster.command("dfrsctl", "record", "off")
        done = sorted(int(line) for line in (self.folder / "done").read_text(encoding="ascii").split())
        self.assertEqual(done, list(range(1, 41)))
        ended = [fields for fields in jobs.show_all(self.cluster).values() if fields.get("ArrayJobId") == str(array)]
        self.assertEqual([(fields["JobState"], fields["Restarts"]) for fields in ended], [("COMPLETED", "0")] * 40)
        starts = []  # of each decision
        for line in record.read_text(encoding="utf-8").splitlines():
            placed = json.loads(line).get("decisions", {}).get("placements", [])
            starts.append(sum(action == "start" for action, *_ in placed))
        self.assertEqual(sum(starts), 40)
        self.assertGreaterEqual(max(starts), 8, starts)

    def test_array_with_a_limit_runs_no_more_at_once(self):
        self.sbatch("--array=1-9%2", script=f"echo b >> {self.folder}/log; sleep 0.5; echo e >> {self.folder}/log",
                    memory=60)
        wait_for("the array to be over", lambda: not self.active_jobs(), 60)
        running, most = 0, 0
        lines = (self.folder / "log").read_text(encoding="ascii").split()
        for line in lines:
            running += 1 if line == "b" else -1
            most = max(most, running)
        self.assertEqual((lines.count("e"), most), (9, 2))

    def test_cancelled_while_pending_and_while_running(self):
        running = self.sbatch(memory=100)
        self.wait_state(running, "RUNNING")
        waiting = self.sbatch("--hold", memory=100)
        self.cluster.command("scancel", running, waiting)
        for job in (running, waiting):
            self.wait_state(job, "CANCELLED")
        self.assert_nodes_free_when_idle()

    def assert_nodes_free_when_idle(self):
        self.end_all_jobs()
        self.assert_nodes_free()

    def test_jobs_of_an_ordinary_user(self):
        job = self.sbatch_burn(0.02, user="nobody", memory=100)
        ended = self.wait_ended([job])
        self.assert_completed(ended)
        self.assertTrue(ended[job]["UserId"].startswith("nobody("), ended[job]["UserId"])
        self.assert_done(job, 0.02)


class Conditions(LiveTest):
    """What Slurm itself holds jobs back for."""
    options = _options(slurm={"Licenses": "tape:1"}, node_settings={})

    @classmethod
    def make_options(cls):
        options = super().make_options()
        options.node_settings = {options.node_names[2]: "Feature=fast", options.node_names[3]: "Feature=fast,big"}
        return options

    def test_dependency(self):
        first = self.sbatch(script=f"sleep 0.5; echo first >> {self.folder}/log", memory=100)
        second = self.sbatch(f"--dependency=afterok:{first}", script=f"echo second >> {self.folder}/log", memory=100)
        self.assert_completed(self.wait_ended([first, second]))
        self.assertEqual((self.folder / "log").read_text(encoding="ascii").split(), ["first", "second"])

    def test_dependency_that_can_never_hold(self):
        first = self.sbatch(script="exit 1", memory=100)
        second = self.sbatch(f"--dependency=afterok:{first}", "--kill-on-invalid-dep=yes", memory=100)
        self.wait_state(first, "FAILED")
        self.wait_state(second, "CANCELLED", 30)

    def test_licences(self):
        numbers = [self.sbatch("--licenses=tape:1", memory=100,
                               script=f"echo b >> {self.folder}/log; sleep 0.3; echo e >> {self.folder}/log")
                   for _ in range(3)]
        self.assert_completed(self.wait_ended(numbers, 90))
        self.assertEqual((self.folder / "log").read_text(encoding="ascii").split(), ["b", "e"] * 3)

    def test_begin_time(self):
        submitted = time.time()
        job = self.sbatch("--begin=now+3", script=f"date +%s.%N > {self.folder}/when", memory=100)
        self.assert_completed(self.wait_ended([job], 30))
        self.assertGreater(float((self.folder / "when").read_text(encoding="ascii")), submitted + 2)

    def test_held_and_released(self):
        job = self.sbatch("--hold", script="exit 0", memory=100)
        time.sleep(0.5)
        self.assertEqual(jobs.state(self.cluster, job), "PENDING")
        self.cluster.command("scontrol", "release", job)
        self.assert_completed(self.wait_ended([job]))

    def test_constraint(self):
        wanted = set(self.cluster.nodes[2:])
        for _ in range(3):
            job = self.sbatch("--constraint=fast", memory=100)
            self.assertIn(self.wait_state(job, "RUNNING")["NodeList"], wanted)
        job = self.sbatch("--constraint=fast&big", memory=100)
        self.assertEqual(self.wait_state(job, "RUNNING")["NodeList"], self.cluster.nodes[3])

    def test_constraint_that_no_node_has_is_refused(self):
        result = self.sbatch("--constraint=green", check=False)
        self.assertIn("feature", result.stderr.lower())

    def test_node_list_and_excluded_nodes(self):
        job = self.sbatch(f"--nodelist={self.cluster.nodes[1]}", memory=100)
        self.assertEqual(self.wait_state(job, "RUNNING")["NodeList"], self.cluster.nodes[1])
        job = self.sbatch(f"--exclude={','.join(self.cluster.nodes[:3])}", memory=100)
        self.assertEqual(self.wait_state(job, "RUNNING")["NodeList"], self.cluster.nodes[3])

    def test_reservation(self):
        node = self.cluster.nodes[0]
        self.cluster.command("scontrol", "create", "reservation", "ReservationName=held", "StartTime=now",
                             "Duration=60", "Users=games", f"Nodes={node}", "Flags=ignore_jobs")
        self.addCleanup(self.cluster.command, "scontrol", "delete", "ReservationName=held", check=False)
        outside = [self.sbatch(memory=100, script="sleep 1") for _ in range(6)]
        for job in outside:
            self.assertNotIn(node, self.wait_state(job, ("RUNNING", "COMPLETED"))["NodeList"])
        inside = self.sbatch("--reservation=held", user="games", memory=100, script="sleep 1")
        self.assertEqual(self.wait_state(inside, ("RUNNING", "COMPLETED"))["NodeList"], node)
        # Reservations must be empty before they are deleted.
        self.wait_ended([*outside, inside])

    def test_drained_node_gets_no_new_jobs(self):
        node = self.cluster.nodes[0]
        self.cluster.command("scontrol", "update", f"NodeName={node}", "State=DRAIN", "Reason=test")
        self.addCleanup(self.cluster.command, "scontrol", "update", f"NodeName={node}", "State=RESUME", check=False)
        for _ in range(5):
            self.assertNotEqual(self.wait_state(self.sbatch(memory=100), "RUNNING")["NodeList"], node)
        waits = self.sbatch(f"--nodelist={node}", memory=100, script="exit 0")
        time.sleep(0.5)
        self.assertEqual(jobs.state(self.cluster, waits), "PENDING")
        self.cluster.command("scontrol", "update", f"NodeName={node}", "State=RESUME")
        self.assert_completed(self.wait_ended([waits]))

    def test_exclusive_job_shares_its_node_with_none(self):
        alone = self.sbatch("--exclusive", f"--nodelist={self.cluster.nodes[0]}", memory=100)
        self.wait_state(alone, "RUNNING")
        others = [self.sbatch(memory=200) for _ in range(8)]
        for job in others:
            self.assertNotEqual(self.wait_state(job, "RUNNING")["NodeList"], self.cluster.nodes[0])
        later = self.sbatch("--exclusive", f"--nodelist={self.cluster.nodes[1]}", "--no-requeue", memory=100,
                            script="sleep 0.7")
        on_it = [job for job in others if jobs.show(self.cluster, job)["NodeList"] == self.cluster.nodes[1]]
        self.assertTrue(on_it)
        # It waits, or has paused them all: never do both run.
        for _ in range(10):
            shown = jobs.show_all(self.cluster)
            together = [job for job in (later, *on_it) if shown[job]["JobState"] == "RUNNING"]
            self.assertTrue(later not in together or together == [later],
                            {job: (shown[job]["JobState"], shown[job]["NodeList"]) for job in (later, *on_it)})
            time.sleep(0.1)
        self.cluster.command("scancel", *on_it)
        self.assert_completed(self.wait_ended([later]))


class Words(LiveTest):
    """What a user says and sees."""
    options = _options()

    def comment(self, job):
        return jobs.show(self.cluster, job).get("Comment", "")

    def test_comment_of_the_user_is_kept_beside_the_yield(self):
        node = self.cluster.nodes[0]
        numbers = [self.sbatch(f"--nodelist={node}", "--comment=my own words", memory=100) for _ in range(2)]
        for job in numbers:
            self.wait_state(job, "RUNNING")
        with contextlib.suppress(ClusterError):
            wait_for("both comments to show it", lambda: all("0.5" in self.comment(job) for job in numbers), 10)
        for job in numbers:
            self.assertRegex(self.comment(job), "my own words.*0.5")
        shown = self.cluster.command("squeue", "-h", "-j", numbers[0], "-O", "comment:80").stdout
        self.assertIn("0.5", shown)

    def test_user_may_change_the_comment(self):
        job = self.sbatch(memory=100)
        self.wait_state(job, "RUNNING")
        wait_for("a yield in the comment", lambda: self.comment(job), 10)
        self.cluster.command("scontrol", "update", f"JobId={job}", "Comment=new words")
        time.sleep(2.5)
        self.assertIn("new words", self.comment(job))

    def test_test_only_tells_when_and_starts_nothing(self):
        result = self.cluster.command("sbatch", "--test-only", "--ntasks=2", "--cpus-per-task=4", text_input="#!/bin/sh\n")
        self.assertRegex(result.stderr, r"Job \d+ to start at .* using 8 processors")
        self.assertEqual(self.active_jobs(), [])

    def test_job_larger_than_the_cluster_is_refused(self):
        result = self.sbatch(memory=5000, cpus=1, check=False)
        self.assertNotIsInstance(result, int)
        self.assertIn("not available", result.stderr)

    def test_dfrsctl_shows_and_explains(self):
        node = self.cluster.nodes[0]
        numbers = [self.sbatch(f"--nodelist={node}", memory=100, cpus=4) for _ in range(2)]
        for job in numbers:
            self.wait_state(job, "RUNNING")
        waiting = self.sbatch("--hold", memory=100)
        wait_for("all jobs to be known", lambda: set(self.dfrs_jobs()) >= {*numbers, waiting}, 5)
        known = self.dfrs_jobs()
        self.assertAlmostEqual(known[numbers[0]]["yield"], 0.5, places=6)
        self.assertEqual(known[waiting]["state"], "blocked")
        self.assertEqual(self.dfrs_nodes()[node]["jobs"], 2)
        slowed = f"node {node} has a capacity of 4 and CPU needs of 8, shared with job {numbers[1]}."
        for words, expected in ((["status"], str(numbers[0])), (["nodes"], node), (["explain", numbers[0]], slowed),
                                (["explain", waiting], "held"), (["repack", "--dry-run"], "yield")):
            shown = self.cluster.command("dfrsctl", *words)
            self.assertIn(expected.lower(), shown.stdout.lower(), words)


class OtherPartitions(LiveTest):
    """Partitions that DFRS does not manage are scheduled as by stock Slurm, on nodes of their own or shared with it."""
    options = _options()

    @classmethod
    def make_options(cls):
        options = super().make_options()
        names = options.node_names
        options.slurm_lines = [f"PartitionName=stock Nodes={names[3]} State=UP MaxTime=INFINITE OverSubscribe=NO",
                               "PartitionName=both Nodes=ALL State=UP MaxTime=INFINITE OverSubscribe=NO"]
        options.slurm = {"SchedulerParameters": "sched_min_interval=0,sched_interval=1,batch_sched_delay=0,"
                                                "bf_interval=1,bf_resolution=1"}
        return options

    def test_jobs_there_do_not_share_cores(self):
        first = self.sbatch("--partition=stock", memory=100)
        self.wait_state(first, "RUNNING")
        second = self.sbatch("--partition=stock", memory=100)
        time.sleep(1.0)
        self.assertEqual(jobs.state(self.cluster, second), "PENDING")
        self.cluster.command("scancel", first)
        self.wait_state(second, "RUNNING")

    def test_backfill_works_there(self):
        """A long job holds half the node, the next needs all of it, a short third one fits before."""
        long = self.sbatch("--partition=stock", "--time=60", cpus=2, memory=100)
        self.wait_state(long, "RUNNING")
        large = self.sbatch("--partition=stock", "--time=60", cpus=4, memory=100)
        time.sleep(0.5)
        too_long = self.sbatch("--partition=stock", "--time=120", cpus=2, memory=100)
        short = self.sbatch("--partition=stock", "--time=10", cpus=2, memory=100)
        self.wait_state(short, "RUNNING", 30)
        self.assertEqual([jobs.state(self.cluster, job) for job in (large, too_long)], ["PENDING"] * 2)

    def test_shared_node_counts_what_the_others_use(self):
        node = self.cluster.nodes[0]
        foreign = self.sbatch("--partition=both", f"--nodelist={node}", cpus=2, memory=800)
        self.wait_state(foreign, "RUNNING")
        ours = [self.sbatch(f"--nodelist={node}", cpus=4, memory=80) for _ in range(2)]
        for job in ours:
            self.wait_state(job, "RUNNING")
        wait_for("both to have a quarter", lambda: [round(self.dfrs_jobs()[job]["yield"], 3) for job in ours] == [.25] * 2, 5)
        too_large = self.sbatch(f"--nodelist={node}", memory=400)
        time.sleep(0.5)
        self.assertEqual(jobs.state(self.cluster, too_large), "PENDING")
        self.cluster.command("scancel", foreign)
        self.wait_state(too_large, "RUNNING")


class Gres(LiveTest):
    """Generic resources stay with stock placement, narrowed to the nodes that the policy allows."""
    options = _options(slurm={"GresTypes": "token"})

    @classmethod
    def make_options(cls):
        options = super().make_options()
        names = options.node_names[2:]
        options.node_settings = {name: "Gres=token:2" for name in names}
        options.files = {"gres.conf": "".join(f"NodeName={name} Name=token Count=2\n" for name in names)}
        return options

    def test_job_gets_its_resources_and_no_more_than_there_are(self):
        nodes = self.cluster.nodes[2:]
        numbers = [self.sbatch("--gres=token:2", memory=100, cpus=2) for _ in range(2)]
        self.assertEqual(sorted(self.wait_state(job, "RUNNING")["NodeList"] for job in numbers), nodes)
        third = self.sbatch("--gres=token:1", memory=100, cpus=1)
        time.sleep(0.7)
        self.assertEqual(jobs.state(self.cluster, third), "PENDING")
        without = self.sbatch(memory=100)
        self.wait_state(without, "RUNNING")
        self.cluster.command("scancel", numbers[0])
        self.wait_state(third, "RUNNING")
