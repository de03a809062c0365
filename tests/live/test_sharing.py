# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs share nodes while memory allows, and run exactly where they were placed."""
from collections import Counter

from .case import LiveTest
from .options import Options

SECONDS = 20


class Sharing(LiveTest):
    # Nothing is paused here: what does not fit waits.
    options = Options(nodes=2, cpus=4, memory=1000, cores=0.4, algorithm="Greedy*/OPT=MIN")

    def test_five_jobs_share_a_node_and_the_sixth_waits_for_memory(self):
        node = self.cluster.nodes[0]
        five = [self.sbatch(f"--nodelist={node}", cpus=4, memory=180) for _ in range(5)]
        for job in five:
            fields = self.wait_state(job, "RUNNING")
            self.assertEqual((fields["NodeList"], fields["NumCPUs"]), (node, "4"))
        sixth = self.sbatch(f"--nodelist={node}", cpus=4, memory=180)
        small = self.sbatch(f"--nodelist={node}", cpus=4, memory=96)
        self.wait_state(small, "RUNNING")  # memory was all that the sixth lacked
        self.assertEqual(self.wait_state(sixth, "PENDING")["JobState"], "PENDING")
        self.cluster.command("scancel", five[2])
        self.wait_state(sixth, "RUNNING")

    def test_sixth_job_goes_to_another_node(self):
        first = [self.sbatch(f"--nodelist={self.cluster.nodes[0]}", cpus=4, memory=180) for _ in range(5)]
        for job in first:
            self.wait_state(job, "RUNNING")
        self.assertEqual(self.wait_state(self.sbatch(cpus=4, memory=180), "RUNNING")["NodeList"], self.cluster.nodes[1])

    def test_tasks_placed_three_and_one_run_so(self):
        # Room for three tasks of 300 MiB on the first node and for one on the second.
        one, two = self.cluster.nodes
        for node, memory in ((one, 96), (two, 600)):
            self.wait_state(self.sbatch(f"--nodelist={node}", memory=memory), "RUNNING")
        job = self.sbatch(f"--output={self.folder}/out", tasks=4, cpus=1, memory=300,
                          script="echo $SLURM_TASKS_PER_NODE $SLURM_JOB_NODELIST\n"
                                 "srun sh -c 'echo task $SLURMD_NODENAME'\nsrun -n2 -N2 sh -c 'echo two $SLURMD_NODENAME'")
        self.assert_completed(self.wait_ended([job]))
        lines = (self.folder / "out").read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0].split()[0], "3,1")
        self.assertEqual(Counter(lines[1:]), {f"task {one}": 3, f"task {two}": 1, f"two {one}": 1, f"two {two}": 1})

    def test_tasks_of_one_job_share_a_node(self):
        other = self.sbatch(f"--nodelist={self.cluster.nodes[1]}", memory=960)
        self.wait_state(other, "RUNNING")
        job = self.sbatch(f"--output={self.folder}/out", tasks=6, cpus=1, memory=100,
                          script="srun sh -c 'echo $SLURMD_NODENAME'")
        self.assert_completed(self.wait_ended([job]))
        self.assertEqual((self.folder / "out").read_text(encoding="utf-8").split(), [self.cluster.nodes[0]] * 6)

    def test_accounting_of_nodes_returns_to_nothing(self):
        ended = [self.sbatch_burn(0.02, tasks=tasks, cpus=2, memory=100) for tasks in (1, 3, 2, 1)]
        self.assert_completed(self.wait_ended(ended))
        self.assert_nodes_free()


class SharingWithPauses(LiveTest):
    """The same under the algorithm of production, where no job may be paused."""
    options = Options(nodes=1, cpus=4, memory=1000, cores=0.4, settings={"PauseBy": "none"})

    def test_sixth_job_waits_where_jobs_may_not_be_paused(self):
        five = [self.sbatch_burn(0.5, memory=180) for _ in range(5)]
        for job in five:
            self.wait_event(job)
        sixth = self.sbatch_burn(0.01, memory=180)
        self.assertEqual(self.wait_state(sixth, "PENDING")["JobState"], "PENDING")
        ended = self.wait_ended(five + [sixth])
        self.assert_completed(ended)
        first_end = min(self.results(job, "end")[0]["now"] for job in five)
        self.assertGreater(self.results(sixth, "start")[0]["now"], first_end)
        self.assertEqual([len(self.results(job, "start")) for job in five], [1] * 5)
