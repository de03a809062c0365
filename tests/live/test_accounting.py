# SPDX-License-Identifier: GPL-2.0-or-later
"""Records of jobs in Slurm's accounting, through slurmdbd and a database, and their import by dfrs-sim."""
import re

from . import jobs
from .case import LiveTest
from .cluster import build_folder
from .options import Options
from .waiting import wait_for

SECONDS = 25
COLUMNS = ("JobID,JobIDRaw,User,Group,Account,Partition,QOS,State,Submit,Eligible,Start,End,ElapsedRaw,Suspended,"
           "TimelimitRaw,NNodes,NTasks,AllocCPUS,ReqCPUS,ReqMem,ReqTRES,AllocTRES,MaxRSS,TotalCPU,CPUTimeRAW,NodeList")


class Accounting(LiveTest):
    """Real jobs of every kind on stock Slurm; then the import, checked against what was submitted."""
    options = Options(nodes=2, cpus=10, memory=1000, scheduler="backfill", spank=False, accounting=True,
                      credential_seconds=5)

    def sacct(self, *options, columns=COLUMNS, epoch=True):
        environment = {"SLURM_TIME_FORMAT": "%s"} if epoch else {}
        return self.cluster.command("sacct", "--allusers", "--duplicates", "--parsable2", "--starttime=now-1hour",
                                    f"--format={columns}", *options, environment=environment).stdout

    def test_jobs_of_every_kind_come_through_sacct_and_import(self):
        burn = jobs.burn()
        # Two CPUs of one node, of which one is used for about 1.5 s, and 100 MiB held.
        half = self.sbatch(f"--nodelist={self.cluster.nodes[0]}", "--time=10", cpus=2, memory=200,
                           script=f"exec srun --ntasks=1 --cpus-per-task=2 {burn} --work 1.5 --memory 100")
        steps = self.sbatch("--time=5", tasks=4, cpus=1, memory=50, script=f"srun {burn} --work 0.1\n"
                                                                          f"srun --ntasks=2 {burn} --work 0.1")
        array = self.sbatch("--array=1-3", "--time=7", cpus=1, memory=40, script=f"exec {burn} --work 0.1")
        failed = self.sbatch("--time=7", cpus=1, memory=40, script="exit 3")
        running = self.sbatch("--time=7", cpus=1, memory=40)
        late = self.sbatch("--time=7", cpus=1, memory=40)
        again = self.sbatch("--time=7", "--requeue", cpus=1, memory=40,
                            script=f"[ -e {self.folder}/second ] && exit 0\ntouch {self.folder}/second\nexec sleep 1000")
        left = self.sbatch("--time=7", cpus=1, memory=40)
        het = self.sbatch("--time=7", "--cpus-per-task=1", "--mem-per-cpu=40", ":", "--ntasks=1", "--cpus-per-task=2",
                          "--mem-per-cpu=30", cpus=1, memory=40, script="exec sleep 0.5")

        # All but this one have room at once. (sacct does not show jobs that were never eligible, such as held ones.)
        held = self.sbatch("--time=7", "--exclusive", tasks=2, cpus=10, memory=40)
        self.wait_state(again, "RUNNING")
        wait_for("the first run to be there", (self.folder / "second").exists, 20)
        self.cluster.command("scontrol", "requeue", again)
        for job in (running, late, left):
            self.wait_state(job, "RUNNING")
        self.cluster.command("scancel", running, held)
        # Slurm's limits are minutes; it ends a job at its end time, no matter who has set it.
        self.cluster.command("scontrol", "update", f"jobid={late}", "EndTime=now+2")
        ended = self.wait_ended([half, steps, failed, held, running, late, again, array, het, het + 1], 150)
        self.assertEqual(ended[late]["JobState"], "TIMEOUT")

        def complete():
            text = self.sacct(columns="JobID,State")
            ends = {int(job): state for job, state in re.findall(r"^(\d+)(?:[_+]\d+)?\|([A-Z_]+)", text, re.MULTILINE)}
            return all(ends.get(job) in jobs.ENDED for job in (half, steps, array, failed, held, running, late, again, het))
        wait_for("slurmdbd to know of all ends", complete, 20)
        text = self.sacct()
        (self.folder / "accounting.txt").write_text(text, encoding="utf-8")

        # As SWF: a line per job that ran to its end, with what it was given and what it used.
        sim = str(build_folder() / "dfrs-sim")
        shape = ("--nodes", "2", "--cores", "10", "--memory", "1000")
        imported = self.cluster.command(sim, "import", "sacct", self.folder / "accounting.txt", "--swf", *shape)
        lines = [line.split() for line in imported.stdout.splitlines() if not line.startswith(";")]
        of = {int(line[0]): line for line in lines}
        array_jobs = {int(line.split("|")[1]) for line in text.splitlines() if re.match(rf"{array}_\d+\|", line)}
        self.assertEqual(len(array_jobs), 3, text)
        self.assertEqual(set(of), {half, steps, failed, running, late, again, het, het + 1} | array_jobs,
                         f"{imported.stderr}\n{text}")
        self.assertIn("1 record skipped: never started", imported.stderr)
        self.assertIn("1 record skipped: had not ended", imported.stderr)
        self.assertIn("1 record skipped: run of a job that was requeued", imported.stderr)
        status = {job: int(line[10]) for job, line in of.items()}
        self.assertEqual({job: status[job] for job in (half, failed, running, late, again)},
                         {half: 1, failed: 0, running: 5, late: 0, again: 1})
        processors = {job: int(line[4]) for job, line in of.items()}
        self.assertEqual({job: processors[job] for job in (half, steps, failed, het, het + 1)},
                         {half: 2, steps: 4, failed: 1, het: 1, het + 1: 2})
        self.assertEqual([float(of[half][8]), float(of[steps][8])], [600, 300])  # time limits
        self.assertEqual(float(of[half][9]), 100 * 1024)  # requested KiB per processor
        self.assertGreaterEqual(float(of[half][6]) * 2, 100 * 1024)  # used, of both processors
        self.assertLess(float(of[half][6]) * 2, 140 * 1024)
        self.assertAlmostEqual(float(of[half][5]) * 2, 1.5, delta=0.5)  # CPU time
        self.assertGreaterEqual(float(of[half][3]), 1)
        self.assertLess(float(of[late][3]), 60)
        self.assertGreaterEqual(float(of[again][2]), 1)  # the second run waited

        # As a trace: tasks as srun started them, CPU need as measured.
        trace = self.cluster.command(sim, "import", "sacct", self.folder / "accounting.txt", *shape)
        fields = {int(line.split()[0]): line.split() for line in trace.stdout.splitlines() if not line.startswith(";")}
        self.assertEqual(set(fields), set(of))
        self.assertEqual(fields[steps][2], "4")
        self.assertLess(float(fields[half][3]), 0.2)  # two CPUs of ten, not all of the time
        self.assertEqual(int(fields[half][4]), 200)

        # The same through human times and sacct's own default columns of units, and with steps left out.
        human = self.sacct("--allocations", epoch=False, columns=COLUMNS.replace("ElapsedRaw", "Elapsed")
                           .replace("TimelimitRaw", "Timelimit"))
        (self.folder / "human.txt").write_text(human, encoding="utf-8")
        other = self.cluster.command(sim, "import", "sacct", self.folder / "human.txt", "--swf", *shape)
        for line in other.stdout.splitlines():
            if line.startswith(";"):
                continue
            words = line.split()
            same = of[int(words[0])]
            for field in (1, 2, 3, 4, 7, 8, 9, 10):
                self.assertEqual(words[field], same[field], f"field {field + 1} of job {words[0]}")

        # Anonymised, it has the same jobs, and no names.
        hidden = self.cluster.command(sim, "import", "sacct", self.folder / "accounting.txt", "--anonymise", "--to",
                                      "sacct").stdout
        (self.folder / "anonymised.txt").write_text(hidden, encoding="utf-8")
        self.assertEqual(len(hidden.splitlines()), len(text.splitlines()))
        self.assertNotRegex(hidden, r"\broot\b|\bn[12]\b|\bdfrs\b")
        (self.folder / "hidden.txt").write_text(hidden, encoding="utf-8")
        anonymous = self.cluster.command(sim, "import", "sacct", self.folder / "hidden.txt", "--swf", *shape).stdout
        sizes = lambda swf: [line.split()[1:11] for line in swf.splitlines() if not line.startswith(";")]
        self.assertEqual(sizes(anonymous), sizes(imported.stdout))

        page = self.cluster.command(sim, "advise", "--sacct", self.folder / "accounting.txt", *shape,
                                    "--conf", self.folder / "dfrs.conf").stdout
        self.assertIn("Settings to start with", page)
        self.cluster.command("dfrs-check-config", self.folder / "dfrs.conf")
