# SPDX-License-Identifier: GPL-2.0-or-later
"""CpuNeed=measured: CPU that a job asks for and does not use goes to others, and comes back when it is used."""
import sys

from .case import LiveTest
from .options import Options
from .waiting import wait_for

ALONE = True  # it measures CPU time
SECONDS = 80
CORES = 0.2

# Uses half of the node's CPU time in each tenth of a second until a file is there, and then all it gets. It makes up for
# no tenth in which it got less: it would seem to need more.
HALF = f"""\
import os, sys, time
PERIOD = 0.1
while not os.path.exists(sys.argv[1]):
    begun, used = time.monotonic(), time.process_time()
    while time.process_time() < used + {CORES / 2} * PERIOD:
        pass
    time.sleep(max(0.001, begun + PERIOD - time.monotonic()))
while True:
    pass
"""


class CpuNeeds(LiveTest):
    # A job that other processes keep from its CPU time would seem not to need it.
    options = Options(nodes=1, cpus=4, memory=1000, cores=CORES, first=True, settings={"CpuNeed": "measured", "PauseBy": "none"})

    def wait_jobs(self, what, jobs_wanted, condition, seconds):
        """Until condition(what dfrsctl says of the first, ... of the second) holds."""
        seen = {}

        def reached():
            seen.clear()
            seen.update(self.dfrs_jobs())
            return all(job in seen for job in jobs_wanted) and condition(*(seen[job] for job in jobs_wanted))
        try:
            wait_for(what, reached, seconds, interval=0.2)
        except Exception:
            self.fail(f"{what}: {[seen.get(job) for job in jobs_wanted]}")
        return [seen[job] for job in jobs_wanted]

    def test_half_used_is_half_needed_until_it_is_used(self):
        (self.folder / "half.py").write_text(HALF, encoding="ascii")
        # Four CPUs and two on a node of four: two thirds of each, as long as nothing is known.
        half = self.sbatch(cpus=4, memory=100, script=f"exec {sys.executable} {self.folder}/half.py {self.folder}/all")
        busy = self.sbatch_burn(1000, cpus=2, memory=100)
        both = (half, busy)
        self.wait_jobs("equal yields of jobs that have just come", both,
                       lambda a, b: abs(a["yield"] - 2 / 3) < 0.02 and abs(b["yield"] - 2 / 3) < 0.02, 10)
        # Half, and a quarter of that for peaks, 0.625, is approached with a time constant of a minute, and told in steps of
        # a tenth: 0.9, 0.81, 0.73. After the second, y (4 x 0.81 + 2) = 4, y = 0.76.
        a, b = self.wait_jobs("the need of the one that uses half to be seen", both,
                              lambda a, b: a["cpu_need"] < 0.83, 90)
        self.assertGreater(a["cpu_need"], 0.55)
        self.assertEqual(b["cpu_need"], 1)
        self.wait_jobs("the rest to go to the other", both, lambda a, b: b["yield"] > 0.74, 5)
        self.assertRegex(self.cluster.command("dfrsctl", "explain", half).stdout, r"measured to need 0\.[678]")
        (self.folder / "all").touch()
        self.wait_jobs("its share to be back", both,
                       lambda a, b: a["cpu_need"] == 1 and abs(a["yield"] - b["yield"]) < 0.1 and b["yield"] < 0.72, 30)
