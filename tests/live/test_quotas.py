# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs get the fraction of their node's CPU time that was decided for them, whatever they run."""
import os
import time

from . import cgroups, jobs
from .case import LiveTest, SlowSaves
from .options import Options
from .waiting import wait_for

ALONE = True        # measures CPU time
CORES = 0.4         # of a node
MOST_STOLEN = 0.03  # of the machine's CPU time, by the host of a virtual one, for shares to mean something

_TICK = os.sysconf("SC_CLK_TCK")


def cpu_of(pids):
    """CPU seconds that these processes have used, to the nanosecond."""
    used = 0.0
    for pid in pids:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
                used += int(file.read().split()[0]) * 1e-9
    return used


def cpu_clocks():
    """Ticks of all cores so far: all of them, and those in which the host of a virtual machine ran something else."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(field) for field in file.readline().split()[1:9]]
    return sum(ticks), ticks[7]


class Quotas(LiveTest):
    # Nodes of 3 CPUs: with jobs of 3 CPUs and of 1 CPU, yields of 1/5, 3/10 and 1/2 are all exact.
    options = Options(nodes=3, cpus=3, memory=3000, cores=CORES, first=True, algorithm="Greedy*/OPT=MIN")

    def spin(self, node, cpus=3, step=False, threads=1):
        """A job that computes for ever; its number."""
        return self.sbatch_burn(1000, f"--nodelist={node}", cpus=cpus, memory=60, step=step,
                                more=f"--threads {threads}")

    def pids(self, job):
        return [line["pid"] for line in self.wait_event(job)]

    def shares(self, wanted, seconds):
        """Each job's fraction of its node's CPU time over the next `seconds`, as long as it is run alone there; and the
        fraction of the machine's that its host took away meanwhile."""
        pids = {job: self.pids(job) for job in wanted}
        begun, before, clocks = time.monotonic(), {job: cpu_of(pids[job]) for job in wanted}, cpu_clocks()
        time.sleep(seconds)
        took, after = time.monotonic() - begun, {job: cpu_of(pids[job]) for job in wanted}
        ticks, stolen = (now - then for now, then in zip(cpu_clocks(), clocks))
        return {job: (after[job] - before[job]) / took / CORES for job in wanted}, stolen / max(1, ticks)

    def assert_shares(self, wanted, seconds, within):
        """Where the host takes the cores away nothing can be said: another look, and at last a test that is skipped."""
        for _ in range(4):
            got, stolen = self.shares(wanted, seconds)
            wrong = {job: (got[job], wanted[job]) for job in wanted if abs(got[job] - wanted[job]) > within}
            if not wrong or stolen <= MOST_STOLEN:
                break
        if wrong and stolen > MOST_STOLEN:
            self.skipTest(f"the host of this machine took {100 * stolen:.0f} % of its CPU time for something else")
        self.assertEqual(wrong, {}, "job -> (share of the node's CPU time, yield times need)")

    def settled(self, jobs_of_node):
        """Waits until every quota of these jobs has reached its node."""
        def done():
            now = self.dfrs_jobs()
            return all(now.get(job, {}).get("yield", 0) > 0 and not now[job].get("quota_pending") for job in jobs_of_node)
        wait_for("quotas to be in place", done, 5)

    def test_yields_of_a_fifth_three_tenths_and_a_half(self):
        one, two, three = self.cluster.nodes
        wanted = {self.spin(one, step=step, threads=threads): 0.2
                  for step, threads in ((False, 1), (False, 3), (False, 1), (True, 1), (True, 3))}
        wanted.update({self.spin(two, step=step): 0.3 for step in (False, False, True)})
        wanted[self.spin(two, cpus=1)] = 0.1  # a yield of 0.3 of a third of the node
        wanted.update({self.spin(three, step=step): 0.5 for step in (False, True)})
        for job in wanted:
            self.pids(job)
        self.settled(wanted)
        yields = self.dfrs_jobs()
        for job, share in wanted.items():
            self.assertAlmostEqual(yields[job]["yield"], 0.3 if share == 0.1 else share, places=6)
        self.assert_shares(wanted, 10.0, 0.03)

    def test_changed_yield_holds_within_a_second(self):
        node = self.cluster.nodes[0]
        first = self.spin(node)
        self.pids(first)
        self.assert_shares({first: 1.0}, 2.0, 0.05)
        second = self.spin(node, step=True)
        self.pids(second)
        time.sleep(1.0 - 0.5)  # what was said: within a second of the change, which came before the second job's start
        self.assert_shares({first: 0.5, second: 0.5}, 3.0, 0.04)
        third = self.spin(node)
        self.pids(third)
        time.sleep(0.5)
        self.assert_shares({job: 1 / 3 for job in (first, second, third)}, 3.0, 0.04)
        self.cluster.command("scancel", second, third)
        wait_for("the first job to have its node back", lambda: self.dfrs_jobs()[first]["yield"] == 1, 5)
        time.sleep(1.0)
        self.assert_shares({first: 1.0}, 2.0, 0.05)

    def test_quota_holds_from_the_first_instruction(self):
        """Also of a job that is over before any correction: 0.05 s of work at a fifth of half a core."""
        node = self.cluster.nodes[0]
        for _ in range(4):
            self.pids(self.spin(node))
        job = self.sbatch_burn(0.08, f"--nodelist={node}", cpus=3, memory=60)
        self.assert_completed(self.wait_ended([job]))
        line = self.results(job, "end")[0]
        expected = 0.08 / (CORES / 5)
        self.assertGreater(line["now"] - line["begun"], expected * 0.5)

    def test_processes_that_leave_their_session_stay_under_the_quota(self):
        node = self.cluster.nodes[0]
        self.pids(self.spin(node))
        script = (f"setsid {self.burn_command(1000)} &\nsetsid {self.burn_command(1000)} &\n"
                  f"exec {self.burn_command(1000)}")
        job = self.sbatch(f"--nodelist={node}", cpus=3, memory=60, script=script)
        self.wait_event(job, count=3)
        self.settled([job])
        self.assert_shares({job: 0.5}, 3.0, 0.04)

    def burn_command(self, work):
        return f"{jobs.burn()} --work {work} --result {self.folder}/$SLURM_JOB_ID.json"

    def test_groups_of_ended_jobs_are_removed(self):
        ended = [self.sbatch_burn(0.01, cpus=3, memory=60, step=step) for step in (False, True)]
        self.assert_completed(self.wait_ended(ended))

        def left():
            return [path for top in cgroups.folders_of(self.cluster.cgroup_tree) for path in top.glob("**/job_*")
                    if path.name in {f"job_{job}" for job in ended}]
        wait_for("the groups of ended jobs to be removed", lambda: not left(), 5)


class ArrayStarts(SlowSaves, LiveTest):
    """The round after that of a start, which sends quotas, too, comes only when the task has long run."""
    options = Options(nodes=1, cpus=3, memory=3000, cores=CORES, algorithm="Greedy*/OPT=MIN")

    def test_task_of_an_array_starts_under_its_quota(self):
        """The first thing that each task does is to look at its quota. Its job's number is known to nobody before."""
        node = self.cluster.nodes[0]
        self.wait_event(self.sbatch_burn(1000, f"--nodelist={node}", cpus=3, memory=60))
        script = (f"{cgroups.READ_QUOTA} > {self.folder}/quota-$SLURM_ARRAY_TASK_ID\n"
                  f"exec {jobs.burn()} --work 1000")
        array = self.sbatch("--array=1-2", f"--nodelist={node}", cpus=3, memory=60, script=script)
        files = [self.folder / f"quota-{task}" for task in (1, 2)]
        wait_for(f"the tasks of array {array} to run",
                 lambda: all(file.exists() and file.read_text(encoding="ascii").endswith("\n") for file in files), 60)
        for task, file in enumerate(files, 1):
            quota, period = file.read_text(encoding="ascii").split()[:2]
            self.assertRegex(quota, r"^[1-9][0-9]*$", f"task {task} starts without a quota")
            # With the other job, or with it and the other task.
            share = int(quota) / int(period) / CORES
            self.assertTrue(any(abs(share - wanted) < 0.03 for wanted in (1 / 2, 1 / 3)), (task, share))
