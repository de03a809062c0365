# SPDX-License-Identifier: GPL-2.0-or-later
"""Parallel programs that find each other through PMIx: its servers are in slurmstepd, and must not starve with the job."""
import ctypes
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

from . import cgroups, slurm
from .case import LiveTest
from .options import Options

PROGRAM = Path(__file__).parent / "pmix.py"


class Pmix(LiveTest):
    options = Options(nodes=2, cpus=4, memory=3000, cores=0.8, algorithm="Greedy*/OPT=MIN")

    @classmethod
    def make_options(cls):
        """PMIx names folders below TmpFS by job alone: nodes on one host need one each."""
        options = super().make_options()
        if not hasattr(cls, "temporary"):
            cls.temporary = tempfile.mkdtemp(prefix="dfrs-")
            for node in options.node_names:
                os.mkdir(f"{cls.temporary}/{node}")
        options.slurm = {"TmpFS": f"{cls.temporary}/%n"}
        return options

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.temporary, ignore_errors=True)

    def test_step_over_two_nodes_starts_and_ends_under_a_tenth(self):
        self.need_pmix()
        program = self.folder / "program.py"
        shutil.copyfile(PROGRAM, program)
        os.chmod(program, 0o644)
        for node in self.cluster.nodes:
            for _ in range(9):
                self.wait_event(self.sbatch_burn(1000, f"--nodelist={node}", cpus=4, memory=40))
        job = self.sbatch(tasks=2, cpus=4, memory=40, script=f"srun --mpi=pmix --cpus-per-task=4 python3 {program} > {self.folder}/out")
        self.wait_state(job, "RUNNING")
        had = self.watch(job)
        self.assert_completed(self.wait_ended([job], 120))
        lines = [line.split() for line in sorted((self.folder / "out").read_text(encoding="ascii").splitlines())]
        self.assertEqual([line[0] for line in lines], ["0", "1"])
        self.assertEqual({line[1] for line in lines}, set(self.cluster.nodes))
        self.assert_a_tenth(had, *[[float(line[at]) for line in lines] for at in (2, 4)])

    def need_pmix(self):
        try:
            library = ctypes.CDLL("libpmix.so")
        except OSError:
            self.skipTest("libpmix.so is not installed (libpmix-dev), and Slurm's plugin loads it by this name")
        listed = self.cluster.command("srun", "--mpi=list").stdout
        if "pmix" not in listed:
            self.skipTest(f"this Slurm ({slurm.version()}) has no plugin for PMIx")
        # A step hangs where the library is newer than the plugin, as in Debian's unstable for a time.
        library.PMIx_Get_version.restype = ctypes.c_char_p
        text = library.PMIx_Get_version().decode(errors="replace")
        version = re.search(r"\b(\d+)\.\d", text)
        plugins = re.findall(r"pmix_v(\d+)", listed)
        if plugins and version and version[1] not in plugins:
            self.skipTest(f"Slurm's plugin is for PMIx {'/'.join(plugins)}, and the library is '{text}'")

    def watch(self, job):
        """[(time, yield, node -> cores by its group's quota)], until the job has ended. What runs under the quota is
        the user's alone: PMIx' servers are threads of slurmstepd."""
        had, limited = [], set()
        while True:
            cores = {node: cgroups.quotas(self.cluster.cgroup_tree, node, unlimited=True).get(f"job_{job}")
                     for node in self.cluster.nodes}
            shown = self.dfrs_jobs().get(job)
            limited.update(*(cgroups.commands(self.cluster.cgroup_tree, node, job) for node in self.cluster.nodes))
            if not shown or shown["state"] != "running":
                self.assertIn("python3", limited)
                self.assertFalse([name for name in limited if name.startswith("slurmstepd")], limited)
                return had
            had.append((time.time(), shown["yield"], cores))
            time.sleep(0.05)

    def assert_a_tenth(self, had, begun, ended):
        """From before PMIx started to its end, on both nodes, the job had a tenth of its CPUs."""
        seen = [(yields, cores) for at, yields, cores in had if at < min(ended)]
        self.assertTrue([at for at, _, _ in had if at < max(begun)], (had[:3], begun))
        self.assertLessEqual(max(yields for yields, _ in seen), 0.11)
        for node in self.cluster.nodes:
            quotas = [cores[node] for _, cores in seen if cores[node] is not None]  # before the step there is no group
            self.assertTrue(quotas, node)
            self.assertLessEqual(max(quotas), 0.11 * 4 * self.cluster.options.cores_per_cpu, node)
