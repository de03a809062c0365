# SPDX-License-Identifier: GPL-2.0-or-later
"""The teaching partition of examples/, as its files say: sessions start at once, share CPUs, and are never paused."""
import itertools
import textwrap
import time
from datetime import datetime

from .case import LiveTest
from .cluster import ROOT
from .options import Options

SECONDS = 30
SESSIONS = 6
SOON = 5  # seconds from a submission to the start, as Slurm notes both; a busy node may take long to launch


def lines(name):
    """The lines of a file in examples/ that say something."""
    text = (ROOT / "examples" / name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in text if line.strip() and not line.startswith("#")]


def waited(fields):
    """Seconds from the submission of a job to its start."""
    begin, end = (datetime.fromisoformat(fields[name]) for name in ("SubmitTime", "StartTime"))
    return (end - begin).total_seconds()


class Teaching(LiveTest):
    # Memory for six sessions of four CPUs that ask for none (DefMemPerCPU), and for a small one.
    options = Options(nodes=1, cpus=4, memory=SESSIONS * 4 * 500 + 100, cores=0.8)

    @classmethod
    def make_options(cls):
        options = super().make_options()
        slurm = lines("slurm.conf.teaching")
        options.slurm_lines = [line for line in slurm if line.startswith("PartitionName=")]
        options.slurm = dict(line.split("=", 1) for line in slurm if not line.startswith("PartitionName="))
        options.settings = dict(line.split("=", 1) for line in lines("dfrs.conf.teaching"))
        options.algorithm = options.settings["Algorithm"]
        # All else is a default, not what the test cluster writes by itself.
        options.settings.update({name: None for name in ("LostWork", "SuspendNeedsSwap")})
        return options

    def session(self, *options, script=None):
        return self.sbatch_plain("--partition=class", *options, script=script)

    def sbatch_plain(self, *options, script=None):
        """sbatch with these options alone: no memory is asked for."""
        text = "#!/bin/sh\n" + (script or "exec sleep 1000") + "\n"
        result = self.cluster.command("sbatch", "--parsable", "--output=/dev/null", *options, text_input=text, cwd="/")
        return int(result.stdout.split(";")[0])

    def test_the_recipe_has_ten_lines(self):
        self.assertEqual(len(lines("slurm.conf.teaching")) + len(lines("dfrs.conf.teaching")), 10)
        self.assertEqual((self.options_of("Partitions"), self.options_of("PauseBy")), ("class", "none"))

    def options_of(self, name):
        return self.cluster.options.settings[name]

    def test_six_sessions_share_four_cpus_and_the_seventh_waits_for_memory(self):
        sessions = []
        for _ in range(SESSIONS):
            sessions.append(self.session("--cpus-per-task=4", script="while :; do :; done"))
            fields = self.wait_state(sessions[-1], "RUNNING")
            self.assertLessEqual(waited(fields), SOON)
            self.assertEqual(fields["NumCPUs"], "4")
        seventh = self.session("--cpus-per-task=4")
        # Memory is all that it lacks: one that asks for little runs.
        small = self.session("--cpus-per-task=4", "--mem-per-cpu=20")
        self.wait_state(small, "RUNNING")
        time.sleep(8)  # SHORT=1 and a repack or two: whatever would pause one for the other has come
        jobs = self.dfrs_jobs()
        self.assertEqual({job: jobs[job]["state"] for job in sessions}, dict.fromkeys(sessions, "running"))
        self.assertEqual(self.wait_state(seventh, "PENDING")["JobState"], "PENDING")
        self.assertEqual([(jobs[job]["pauses"], jobs[job]["moves"], jobs[job]["may_pause"]) for job in sessions],
                         [(0, 0, False)] * SESSIONS)
        self.assertEqual(self.dfrsctl("status")["lost_runs"], 0)
        # The shares of all fit into the node.
        self.assertLess(sum(jobs[job]["yield"] for job in sessions), 1.02)
        self.cluster.command("scancel", sessions[2])
        self.wait_state(seventh, "RUNNING")

    def test_a_command_at_the_prompt_runs_at_once_beside_busy_sessions(self):
        for _ in range(SESSIONS - 1):
            self.wait_state(self.session("--cpus-per-task=4", script="while :; do :; done"), "RUNNING")
        answer = self.cluster.command("srun", "--partition=class", "--mem-per-cpu=20", "printenv", "SLURM_JOB_ID", cwd="/")
        fields = self.wait_state(int(answer.stdout), "COMPLETED")
        self.assertLessEqual(waited(fields), SOON)
        self.assertEqual(self.dfrsctl("status")["lost_runs"], 0, "nothing gave way to it")

    def test_a_session_as_open_ondemand_submits_it_passes_its_environment_to_its_steps(self):
        """OnDemand wraps the script of a session as the cluster's file says, and submits it with --export=NONE."""
        text = (ROOT / "examples" / "ondemand-cluster.yml").read_text(encoding="utf-8")
        below = text.split("script_wrapper: |\n", 1)[1].splitlines()
        wrapper = textwrap.dedent("\n".join(itertools.takewhile(lambda line: line.startswith(8 * " "), below)))
        self.assertEqual(wrapper.count("%s"), 1)
        answer = self.folder / "answer"
        script = f"export SESSION=inside\nsrun --mem-per-cpu=20 printenv SESSION > {answer}"
        job = self.session("--export=NONE", "--mem-per-cpu=20", script=wrapper.replace("%s", script))
        self.assertLessEqual(waited(self.wait_state(job, "COMPLETED")), SOON)
        self.assertEqual(answer.read_text(encoding="utf-8"), "inside\n")
