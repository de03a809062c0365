# SPDX-License-Identifier: GPL-2.0-or-later
"""The select wrapper, step by step: gate, exact placement, memory of paused jobs, and accounts that stay right."""
import random
import re
import signal
import subprocess
import time

from .driver import BUSY, DrivenTest
from .jobs import show, state
from .waiting import wait_for

RESTARTS = (signal.SIGTERM, signal.SIGKILL, "reconfigure")


class Gate(DrivenTest):
    def test_managed_job_waits_for_a_plan_and_another_does_not(self):
        managed = self.job("-n1")
        other = self.job("-n1", "--partition=other")
        self.wait_state(other, "RUNNING")
        time.sleep(2.5)  # the main scheduler has had its turns
        self.assertEqual(state(self.cluster, managed), "PENDING")
        self.assert_ok(f"start {managed} n3:1")
        self.assertEqual(self.wait_state(managed, "RUNNING")["NodeList"], "n3")

    def test_partition_that_is_managed_no_longer_is_as_stock(self):
        job = self.job("-n1")
        self.ask("partitions elsewhere")
        self.wait_state(job, "RUNNING")

    def test_submission_and_end_wake_the_scheduler(self):
        wait_for("a quiet moment", lambda: self.ask("wakes")[0][1] == "0", 20, interval=0.3)
        job = self.job("-n1", "--begin=now+1hour")  # nobody tries to start it
        self.assertGreater(int(self.ask("wakes")[0][1]), 0)
        self.cluster.command("scontrol", "update", f"job={job}", "StartTime=now")
        self.assert_ok(f"start {job} n1:1")
        self.ask("wakes")
        self.cluster.command("scancel", job)
        wait_for("a wake-up at its end", lambda: self.ask("wakes")[0][1] != "0", 30)

    def test_start_that_fails_does_not_wake_the_scheduler_that_tried_it(self):
        self.started("n1:1", "-n1", "--mem-per-cpu=2000")
        big = self.job("-n1", "--mem-per-cpu=2000", "--begin=now+1hour")  # nobody else tries to start it
        wait_for("a quiet moment", lambda: self.ask("wakes")[0][1] == "0", 20, interval=0.3)
        # There is no memory: the start fails, and Slurm asks whether the job could run at all.
        answers = self.ask("wakes", f"start {big} n1:1", "wakes")
        self.assertEqual(answers[1][0], BUSY)
        self.assertEqual(answers[2][1], "0")

    def test_plan_that_does_not_fit_the_job_is_refused(self):
        job = self.job("-n4")
        for where in ("n1:3", "n1:5", "n1:2,n2:1", "n2:2,n1:2", "n1:0,n2:4"):
            self.assertEqual(self.ask_one(f"start {job} {where}"), BUSY, where)
        self.assert_ok(f"start {job} n1:3,n2:1")

    def test_test_only_says_when_and_where(self):
        result = self.cluster.command("sbatch", "--test-only", "-N1", "-n4", "--wrap=true")
        self.assertRegex(result.stderr, r"to start at .* using 4 processors on nodes? n1 ")

    def test_srun_and_salloc(self):
        for command, words in (("srun", ["-n2", "hostname"]), ("salloc", ["-n2", "true"])):
            process = subprocess.Popen([command, *words], env=self.cluster.environment(), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd="/")
            self.addCleanup(process.communicate)
            self.addCleanup(process.kill)
            job = wait_for("the job to be queued", lambda: self.pending_jobs()[-1:], 30)[0]
            self.assert_ok(f"start {job} n2:1,n3:1")
            errors = process.communicate(timeout=60)[1]
            self.assertEqual(process.returncode, 0, errors)
            self.end_all_jobs()  # its nodes are busy until it has left them


class Backfill(DrivenTest):
    """Stock backfill beside us."""

    @classmethod
    def make_options(cls):
        options = super().make_options()
        # `defer`: no attempt at submission, so that what starts after a job that waits was backfilled.
        options.slurm["SchedulerParameters"] = "defer,batch_sched_delay=0,sched_interval=1,bf_interval=1,bf_resolution=1"
        options.slurm_lines = ["PartitionName=other Nodes=ALL MaxTime=INFINITE State=UP"]
        return options

    def test_nothing_is_reserved_for_managed_jobs(self):
        first = self.job("-n3", "--nodelist=n1", "--time=10", "--partition=other")
        self.wait_state(first, "RUNNING")
        managed = self.job("-n4", "-N1", "--nodelist=n1", "--time=60")  # could start in ten minutes
        last = self.job("-n1", "--nodelist=n1", "--time=30", "--partition=other")  # would be in the way of that
        self.wait_state(last, "RUNNING", 30)
        self.assertEqual(state(self.cluster, managed), "PENDING")


class Placement(DrivenTest):
    def test_five_jobs_fill_a_node_and_the_sixth_lacks_memory(self):
        five = [self.started("n1:4", "-n4") for _ in range(5)]
        self.assertEqual(self.nodes()["n1"], (4, 2000))
        sixth = self.job("-n4")
        self.assertEqual(self.ask_one(f"start {sixth} n1:4"), BUSY)
        self.assert_ok(f"start {sixth} n2:4")
        self.assert_accounts()
        self.cluster.command("scancel", *five)
        wait_for("n1 to be free", lambda: self.nodes()["n1"] == (0, 0), 30)

    def test_tasks_run_where_the_plan_says(self):
        out = self.folder / "out"
        job = self.job("-n4", f"--output={out}", script="echo $SLURM_TASKS_PER_NODE $SLURM_JOB_NODELIST\n"
                       "srun sh -c 'echo $SLURM_PROCID $SLURMD_NODENAME'")
        self.assert_ok(f"start {job} n2:3,n3:1")
        self.assert_completed(self.wait_ended([job]))
        lines = out.read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0], "3,1 n[2-3]")
        self.assertEqual(sorted(lines[1:]), ["0 n2", "1 n2", "2 n2", "3 n3"])

    def test_more_tasks_than_cpus(self):
        out = self.folder / "out"
        job = self.job("-n6", f"--output={out}", script="srun sh -c 'echo $SLURMD_NODENAME'")
        self.assert_ok(f"start {job} n2:6")
        self.assert_completed(self.wait_ended([job]))
        self.assertEqual(out.read_text(encoding="utf-8").split(), ["n2"] * 6)

    def test_layouts_of_their_own(self):
        everywhere = "n1,n2,n3,n4"
        for options, counts in ((["-N2", "-n8"], [4, 4]), (["-N2", "-n3"], [1, 2]),
                                (["-N3", "--ntasks-per-node=2"], [2, 2, 2]),
                                (["-n6", "--ntasks-per-node=2"], [2, 2, 2]), (["-N2", "-n2", "-c3"], [3, 3])):
            job = self.started(everywhere, *options, operation="place")
            self.assertEqual(sorted(cores for cores, _ in self.job_nodes(job).values()), counts, options)
        named = self.started("n1,n4", "--nodelist=n1,n4", "-n4", operation="place")
        self.assertEqual(self.job_nodes(named), {"n1": (2, 200), "n4": (2, 200)})
        self.assert_accounts()

    def test_job_on_one_node_is_one_task_to_the_policy(self):
        job = self.started("n3:1", "-N1", "-n4")
        self.assertEqual(self.job_nodes(job), {"n3": (4, 400)})

    def test_layout_goes_where_there_is_memory(self):
        for node in ("n1", "n2"):
            self.started(f"{node}:1", "-n1", "--mem-per-cpu=2000")
        job = self.started("n1,n2,n3,n4", "-N2", "-n2", "--mem-per-cpu=500", operation="place")
        self.assertEqual(sorted(self.job_nodes(job)), ["n3", "n4"])
        last = self.job("-N3", "-n3", "--mem-per-cpu=500")
        self.assertEqual(self.ask_one(f"place {last} n1,n2,n3,n4"), BUSY)

    def test_memory_by_node_is_dealt_out_to_tasks(self):
        job = self.started("n1:3,n2:1", "-n4", "--mem=400")
        self.assertEqual(self.job_nodes(job), {"n1": (3, 300), "n2": (1, 100)})

    def test_job_without_memory_limit_takes_the_node(self):
        self.started("n1:1", "-n1", "--mem=0")
        self.assertEqual(self.nodes()["n1"], (1, 2200))
        second = self.job("-n1", "--mem=0")
        self.started("n2:1", "-n1")
        self.assertEqual(self.ask_one(f"start {second} n2:1"), BUSY)
        self.assert_ok(f"start {second} n3:1")

    def test_gres_is_placed_by_cons_tres_on_the_nodes_of_the_plan(self):
        first, second, third = (self.job("-n1", "--gres=thing:1") for _ in range(3))
        self.assertEqual(self.ask_one(f"place {first} n1,n2"), BUSY)
        self.started("n4:4", "-n4")  # shares its cores
        self.assert_ok(f"place {first} n2,n4")
        self.assert_ok(f"place {second} n4")
        self.assertEqual(self.ask_one(f"place {third} n1,n2,n3,n4"), BUSY)
        self.assertIn("n4", show(self.cluster, first)["NodeList"])
        self.assert_accounts()

    def test_array_tasks(self):
        array = self.job("--array=0-2", "-n1")
        numbers = {self.assert_ok(f"start {array} n1:1") for _ in range(3)}
        self.assertEqual(len(numbers), 3)
        self.assertIn(array, numbers)  # the last one
        self.assertEqual(self.nodes()["n1"], (3, 300))

    def test_reserved_nodes_are_refused(self):
        def reserve(*words):
            self.cluster.command("scontrol", "create", "reservation", "reservationname=r", "starttime=now",
                                 "duration=60", "users=root", *words)
            self.addCleanup(self.cluster.command, "scontrol", "delete", "reservationname=r", check=False)
        reserve("nodes=n1")
        outside, inside = self.job("-n1"), self.job("-n1", "--reservation=r")
        self.assertEqual(self.ask_one(f"start {outside} n1:1"), BUSY)
        self.assertNotEqual(self.ask_one(f"start {inside} n2:1"), 0)
        self.assert_ok(f"start {inside} n1:1")
        self.end_all_jobs()
        self.cluster.command("scontrol", "delete", "reservationname=r")
        reserve("nodes=n1", "corecnt=2")
        self.assertEqual(self.ask_one(f"start {self.job('-n1')} n1:1"), BUSY)


class Threads(DrivenTest):
    """A node with four cores of two threads."""

    @classmethod
    def make_options(cls):
        options = super().make_options()
        options.nodes, options.node_settings, options.files = 1, {"n1": "CPUs=8 ThreadsPerCore=2"}, {}
        return options

    def test_tasks_take_threads_unless_they_want_cores(self):
        for options, cpus, cores, memory in ((["-n3"], 3, 2, 300), (["-n1", "-c4"], 4, 2, 400),
                                             (["-n3", "--threads-per-core=1"], 6, 3, 300)):
            out = self.folder / "out"
            job = self.job(*options, f"--output={out}", script="srun sh -c 'echo $SLURM_PROCID'\nexec sleep 1000")
            tasks = int(options[0][2:])
            self.assert_ok(f"start {job} n1:{tasks}")
            self.assertEqual(int(show(self.cluster, job)["NumCPUs"]), cpus, options)
            self.assertEqual(self.nodes()["n1"], (2 * cores, memory))
            wait_for("its tasks", lambda: out.exists() and len(re.findall(r"(?m)^\d$", out.read_text())) == tasks, 30)
            self.assert_ok(f"suspend {job}")
            self.assertEqual(self.nodes()["n1"], (0, 0))
            self.assert_ok(f"resume {job}")
            self.assertEqual(self.nodes()["n1"], (2 * cores, memory))
            self.end_all_jobs()
            out.unlink()


class Alone(DrivenTest):
    """--exclusive, and jobs of other partitions on the same nodes."""

    def test_exclusive_job_shares_with_none(self):
        small = self.started("n1:1", "-n1")
        exclusive = self.job("-n2", "--exclusive")
        self.assertEqual(self.ask_one(f"start {exclusive} n1:2"), BUSY)
        self.assert_ok(f"start {exclusive} n2:1,n3:1")
        self.assertEqual({node: cpus for node, (cpus, _) in self.nodes().items()}, {"n1": 1, "n2": 4, "n3": 4, "n4": 0})
        second = self.job("-n1")
        self.assertEqual(self.ask_one(f"start {second} n2:1"), BUSY)
        self.assert_ok(f"suspend {exclusive}")  # a paused one is in nobody's way, and comes back when it has its nodes
        self.assert_ok(f"start {second} n2:1")
        self.assertEqual(self.ask_one(f"resume {exclusive}"), BUSY)
        self.cluster.command("scancel", second, small)
        wait_for("its node to be free", lambda: self.nodes()["n2"] == (0, 0), 30)
        self.assert_ok(f"resume {exclusive}")
        self.assert_accounts()

    def test_jobs_of_other_partitions_see_cores_taken(self):
        self.started("n1:4,n2:4,n3:2", "-n10")
        full, half, small = (self.job(tasks, "-N1", "--partition=other") for tasks in ("-n4", "-n3", "-n2"))
        self.assertEqual(self.wait_state(full, "RUNNING")["NodeList"], "n4")
        self.cluster.command("scontrol", "update", f"job={half}", "Priority=1")
        self.assertEqual(self.wait_state(small, "RUNNING")["NodeList"], "n3")
        self.assertEqual(state(self.cluster, half), "PENDING")
        self.assertEqual(self.nodes(), {"n1": (4, 400), "n2": (4, 400), "n3": (4, 400), "n4": (4, 400)})

    def test_exact_job_comes_beside_a_job_of_another_partition(self):
        other = self.job("-n2", "-N1", "--partition=other", "--nodelist=n1")
        self.wait_state(other, "RUNNING")
        job = self.started("n1:3", "-n3")
        self.assertEqual(self.nodes()["n1"], (4, 500))
        self.cluster.command("scancel", other)
        wait_for("the cores of the rest to show", lambda: self.nodes()["n1"] == (3, 300), 30)
        self.assert_ok(f"suspend {job}")
        self.assertEqual(self.nodes()["n1"], (0, 0))

    def test_exclusive_job_of_another_partition_keeps_ours_off(self):
        other = self.job("-n1", "--exclusive", "--partition=other", "--nodelist=n2")
        self.wait_state(other, "RUNNING")
        job = self.job("-n1")
        self.assertEqual(self.ask_one(f"start {job} n2:1"), BUSY)
        blocked = self.started("n3:1", "-n1")
        waiting = self.job("-n1", "--exclusive", "--partition=other", "--nodelist=n3")
        time.sleep(1.5)
        self.assertEqual(state(self.cluster, waiting), "PENDING")
        self.cluster.command("scancel", blocked)
        self.wait_state(waiting, "RUNNING")


class Pause(DrivenTest):
    def test_memory_is_given_back_and_taken_again(self):
        five = [self.started("n1:4", "-n4") for _ in range(5)]
        sixth = self.job("-n4")
        self.assert_ok(f"suspend {five[0]}")
        self.assertEqual(self.nodes()["n1"], (4, 1600))
        self.assert_ok(f"start {sixth} n1:4")
        self.assertEqual(self.ask_one(f"resume {five[0]}"), BUSY)
        for how in RESTARTS:
            with self.subTest(how=how):
                self.restart(how)
                self.assertEqual(self.nodes()["n1"], (4, 2000))
                self.assertEqual(state(self.cluster, five[0]), "SUSPENDED")
                self.assertEqual(self.ask_one(f"resume {five[0]}"), BUSY)
        self.cluster.command("scancel", five[1])
        wait_for("memory", lambda: self.nodes()["n1"] == (4, 1600), 30)
        self.assert_ok(f"resume {five[0]}")
        self.assertEqual(self.nodes()["n1"], (4, 2000))
        self.assert_accounts()

    def test_paused_job_is_cancelled_or_requeued(self):
        jobs = [self.started("n1:2,n2:2", "-n4") for _ in range(3)]
        for job in jobs[:2]:
            self.assert_ok(f"suspend {job}")
        self.cluster.command("scancel", jobs[0])
        self.assert_ok(f"requeue {jobs[1]}")
        wait_for("nothing but the third", lambda: self.nodes()["n1"] == (2, 200), 30)
        wait_for("its clean-up", lambda: "COMPLETING" not in show(self.cluster, jobs[1])["JobState"], 90)
        self.assert_accounts()

    def test_users_suspend_keeps_the_memory(self):
        job = self.started("n1:4", "-n4")
        self.cluster.command("scontrol", "suspend", job)
        self.assertEqual(self.nodes()["n1"], (0, 400))
        for how in RESTARTS:
            with self.subTest(how=how):
                self.restart(how)
                self.assertEqual(self.nodes()["n1"], (0, 400))
        filler = self.started("n1:1", "-n1", "--mem-per-cpu=1800")
        self.cluster.command("scontrol", "resume", job)
        self.assertEqual(self.nodes()["n1"], (4, 2200))
        self.cluster.command("scancel", filler)

    def test_user_resumes_what_we_have_paused(self):
        job = self.started("n1:4", "-n4")
        self.assert_ok(f"suspend {job}")
        filler = self.started("n1:1", "-n1", "--mem-per-cpu=2000")
        result = self.cluster.command("scontrol", "resume", job, check=False)
        self.assertIn("busy", result.stderr)
        self.cluster.command("scancel", filler)
        wait_for("memory", lambda: self.nodes()["n1"] == (0, 0), 30)
        self.cluster.command("scontrol", "resume", job)
        self.assertEqual(self.nodes()["n1"], (4, 400))

    def test_job_with_gres_is_paused(self):
        job = self.started("n4", "-n2", "--gres=thing:1", operation="place")
        self.assert_ok(f"suspend {job}")
        for how in RESTARTS:
            with self.subTest(how=how):
                self.restart(how)
                self.assertEqual(self.nodes()["n4"], (0, 0))
        self.assert_ok(f"resume {job}")
        self.assertEqual(self.nodes()["n4"], (2, 200))
        second = self.job("-n1", "--gres=thing:2")
        self.assert_ok(f"suspend {job}")
        self.assertEqual(self.ask_one(f"place {second} n4"), BUSY)  # it keeps its GRES

    def test_job_with_gres_waits_for_its_cores(self):
        job = self.started("n4", "-n2", "--gres=thing:1", operation="place")
        self.assert_ok(f"suspend {job}")
        other = self.job("-n4", "--partition=other", "--nodelist=n4")
        self.wait_state(other, "RUNNING")
        self.assertEqual(self.ask_one(f"resume {job}"), BUSY)
        self.assertEqual(self.nodes()["n4"], (4, 400))
        self.cluster.command("scancel", other)
        wait_for("its cores", lambda: self.nodes()["n4"] == (0, 0), 30)
        self.assert_ok(f"resume {job}")
        self.assertEqual(self.nodes()["n4"], (2, 200))

    def test_job_from_before_its_partition_was_managed(self):
        self.ask("partitions elsewhere")
        job = self.job("-n3")
        self.wait_state(job, "RUNNING")
        self.ask("partitions dfrs")
        self.assert_ok(f"suspend {job}")
        self.assertEqual(self.nodes()["n1"], (0, 0))
        self.assert_ok(f"resume {job}")
        self.assertEqual(self.nodes()["n1"], (3, 300))
        self.assert_accounts()

    def test_partition_is_managed_no_longer(self):
        running, paused = self.started("n1:4", "-n4"), self.started("n1:4", "-n4")
        self.assert_ok(f"suspend {paused}")
        self.ask("partitions elsewhere")
        filler = self.job("-n1", "--mem-per-cpu=1700", "--nodelist=n1")
        self.cluster.command("scancel", running)
        self.wait_state(filler, "RUNNING")
        self.cluster.command("scontrol", "resume", paused)
        self.assertEqual(self.nodes()["n1"], (4, 2100))
        self.cluster.command("scontrol", "reconfigure")
        self.assert_accounts()


class Resize(DrivenTest):
    @classmethod
    def make_options(cls):
        options = super().make_options()
        options.slurm["Licenses"] = "token:4"
        return options

    def test_job_gives_up_nodes(self):
        job = self.started("n2:2,n3:1,n4:1", "-n4")
        self.cluster.command("scontrol", "update", f"job={job}", "NumNodes=2", cwd=str(self.folder))
        self.assertEqual(self.job_nodes(job), {"n2": (2, 200), "n3": (1, 100)})
        self.assert_accounts()
        self.assert_ok(f"suspend {job}")
        self.assertEqual(self.nodes()["n2"], (0, 0))
        self.assert_ok(f"resume {job}")
        self.assert_accounts()
        self.restart(signal.SIGTERM)
        self.assert_accounts()

    def test_node_fails_under_a_job(self):
        job = self.job("-n2", "--no-kill")
        self.assert_ok(f"start {job} n2:1,n3:1")
        self.cluster.command("scontrol", "update", "node=n3", "state=down", "reason=test")
        self.addCleanup(self.cluster.command, "scontrol", "update", "node=n3", "state=resume", check=False)
        wait_for("the node to leave the job", lambda: list(self.job_nodes(job)) == ["n2"], 30)
        self.assert_accounts()

    def test_job_takes_over_anothers_nodes(self):
        def allocation(where, *words):
            # 26.05 ends if one of the two has no licence at all.
            process = subprocess.Popen(["salloc", "-n2", "--licenses=token", *words], env=self.cluster.environment(),
                                       cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            job = wait_for("the job to be queued", self.pending_jobs, 30)[0]
            self.assert_ok(f"start {job} {where}")
            return job
        first = allocation("n1:2", "sleep", "100")
        wait_for("it to run", lambda: state(self.cluster, first) == "RUNNING", 30)
        allocation("n2:2", f"--dependency=expand:{first}", "sh", "-c", "scontrol update job=$SLURM_JOB_ID NumNodes=0")
        wait_for("the nodes to be one job's", lambda: show(self.cluster, first)["NodeList"] == "n[1-2]", 30)
        self.assertEqual((self.nodes()["n1"], self.nodes()["n2"]), ((2, 200), (2, 200)))
        self.assert_ok(f"suspend {first}")
        self.assertEqual((self.nodes()["n1"], self.nodes()["n2"]), ((0, 0), (0, 0)))
        self.assert_ok(f"resume {first}")
        self.assertEqual((self.nodes()["n1"], self.nodes()["n2"]), ((2, 200), (2, 200)))


class Churn(DrivenTest):
    """Whatever happens in whatever order, nodes hold what their jobs do."""
    STEPS = 120

    def step(self, dice):
        kind = dice.choice(["start"] * 5 + ["other", "gres", "layout", "exclusive"] + ["suspend"] * 3 + ["resume"] * 3 +
                           ["requeue", "cancel", "cancel", "hold", "release"])
        # Not those of `other`: after a user's suspend and resume, two of them may hold one core, in stock Slurm as well.
        ours = self.cluster.command("squeue", "-h", "-p", "dfrs", "-t", "R,S", "-o", "%A").stdout.split()
        some = dice.choice(ours) if ours else None
        memory = f"--mem-per-cpu={dice.choice((50, 100, 300))}"
        if kind == "start":
            counts = {f"n{dice.randint(1, 4)}": dice.randint(1, 3) for _ in range(dice.randint(1, 3))}
            job = self.job(f"-n{sum(counts.values())}", memory)
            return self.ask(f"start {job} " + ",".join(f"{node}:{counts[node]}" for node in sorted(counts)))
        if kind == "other":
            return self.job(f"-n{dice.randint(1, 4)}", memory, "--partition=other")
        if kind == "gres":
            return self.ask(f"place {self.job('-n1', memory, '--gres=thing:1')} n1,n2,n3,n4")
        if kind == "layout":
            return self.ask(f"place {self.job('-N2', '--ntasks-per-node=2', memory)} n1,n2,n3,n4")
        if kind == "exclusive":
            return self.ask(f"start {self.job('-n1', '--exclusive', memory)} n{dice.randint(1, 4)}:1")
        if some is None:
            return None
        if kind in ("suspend", "resume", "requeue"):
            return self.ask(f"{kind} {some}")
        if kind == "cancel":
            some = dice.choice(self.active_jobs())
        words = {"cancel": ["scancel"], "hold": ["scontrol", "suspend"], "release": ["scontrol", "resume"]}[kind]
        return self.cluster.command(*words, some, check=False).stderr

    def test_accounts_hold(self):
        dice = random.Random(20261121)
        done = []
        for number in range(self.STEPS):
            if number % 40 == 25:
                how = RESTARTS[number // 40 % 3]
                done.append(how)
                self.restart(how)
            else:
                done.append(self.step(dice))
            if number % 4 == 0:
                self.assert_accounts(f"after {done[-4:]}")
                over = {node: held for node, held in self.nodes().items() if held[1] > self.options.memory}
                self.assertEqual(over, {})
        self.assert_accounts()


class RollBack(DrivenTest):
    def tearDown(self):
        # Stock Slurm finds no row for jobs that share cores, logs that, and continues.
        self.end_all_jobs()
        self.assert_nodes_free()

    def test_stock_slurm_takes_over(self):
        jobs = [self.started("n1:4", "-n4") for _ in range(3)] + [self.started("n2:3,n3:1", "-n4")]
        paused = self.started("n4:2", "-n2")
        self.assert_ok(f"suspend {paused}")
        waiting = self.job("-n1")
        self.cluster.stop("slurmctld")
        path = self.cluster.folder / "etc/slurmctld.conf"
        text = path.read_text(encoding="utf-8")
        self.addCleanup(path.write_text, text, encoding="utf-8")
        path.write_text(re.sub(r"(?m)^PluginDir=.*\n", "", text).replace("sched/driver", "sched/backfill"),
                        encoding="utf-8")
        self.cluster.start_slurmctld()
        self.cluster.wait_nodes()
        for job in jobs:
            self.wait_state(job, "RUNNING")
        # What a slurmctld that begins has not started at once it looks at again after bf_interval, or sched_interval, a minute.
        self.wait_state(waiting, "RUNNING", seconds=90)
        self.assertEqual({node: memory for node, (_, memory) in self.nodes().items()
                          if node != show(self.cluster, waiting)["NodeList"]},
                         {node: memory for node, memory in {"n1": 1200, "n2": 300, "n3": 100, "n4": 0}.items()
                          if node != show(self.cluster, waiting)["NodeList"]})
        self.cluster.command("scontrol", "resume", paused)
        self.wait_state(paused, "RUNNING")
        self.cluster.command("scancel", *jobs, paused, waiting)
        wait_for("all to be gone", lambda: not self.active_jobs(), 30)
        self.assert_nodes_free()
