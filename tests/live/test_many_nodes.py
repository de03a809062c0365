# SPDX-License-Identifier: GPL-2.0-or-later
"""Submissions to a partition of hundreds of nodes, on some of which the selector tests a job first."""
from . import jobs
from .case import LiveTest
from .options import Options

SECONDS = 10
DOWN = 600


class ManyNodes(LiveTest):
    """Two nodes that run jobs; after them 600 like them, and a large one, which are down and count for submissions."""
    options = Options(nodes=2, cpus=4, memory=1000, settings={"PauseBy": "none"}, slurm_lines=[
        *(f"NodeName=d[{first}-{first + 199}] NodeHostname=localhost NodeAddr=127.1.{first // 200}.[1-200] Port=1 CPUs=4 "
          "RealMemory=1000 State=DOWN Reason=test" for first in range(1, DOWN, 200)),
        "NodeName=large NodeHostname=localhost NodeAddr=127.1.9.1 Port=1 CPUs=8 RealMemory=5000 State=DOWN Reason=test"])

    def submit(self, *options):
        return self.cluster.command("sbatch", "--parsable", "-o/dev/null", *options, "--wrap=sleep 1", check=False)

    def assert_waits(self, *options):
        answer = self.submit(*options)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual(jobs.state(self.cluster, answer.stdout.strip()), "PENDING")

    def test_job_that_fits_on_any_node_runs(self):
        job = self.submit("-n1", "--mem=500").stdout.strip()
        self.wait_state(job, "COMPLETED", 30)

    def test_job_that_fits_on_the_last_node_only_waits_for_it(self):
        self.assert_waits("-N1", "-n1", "--mem=4000")
        self.assert_waits("-N1", "-n8", "--mem=500")

    def test_job_that_names_a_node_waits_for_it(self):
        self.assert_waits("-w", "d500", "-n1", "--mem=500")
        self.assert_waits("-w", "large", "-n1", "--mem=4000")

    def test_job_of_many_nodes_waits_for_them(self):
        self.assert_waits("-N100", "-n100", "--mem=500")
        self.assert_waits(f"-N{DOWN + 3}", f"-n{DOWN + 3}", "--mem=500")

    def test_job_for_which_no_nodes_do_is_refused(self):
        for options in (("-n1", "--mem=9000"), ("-N2", "-n2", "--mem=4000"), ("-w", "d500", "-n1", "--mem=4000")):
            answer = self.submit(*options)
            self.assertNotEqual(answer.returncode, 0, options)
            self.assertIn("node configuration", answer.stderr)
