# SPDX-License-Identifier: GPL-2.0-or-later
"""Records of jobs in Slurm's accounting, through slurmdbd and a database, and their import by dfrs-sim."""
import re
from types import SimpleNamespace

from . import jobs
from .case import LiveTest
from .cluster import build_folder
from .options import Options
from .waiting import wait_for

SECONDS = 25
COLUMNS = ("JobID,JobIDRaw,User,Group,Account,Partition,QOS,State,Submit,Eligible,Start,End,ElapsedRaw,Suspended,"
           "TimelimitRaw,NNodes,NTasks,AllocCPUS,ReqCPUS,ReqMem,ReqTRES,AllocTRES,MaxRSS,TotalCPU,CPUTimeRAW,NodeList")
SHAPE = ("--nodes", "2", "--cores", "10", "--memory", "1000")


def lines_by_job(made):
    """The words of each line of an imported workload, by the number of its job."""
    return {int(line.split()[0]): line.split() for line in made.stdout.splitlines() if not line.startswith(";")}


class Accounting(LiveTest):
    """Real jobs of every kind on stock Slurm; then the import, checked against what was submitted."""
    options = Options(nodes=2, cpus=10, memory=1000, scheduler="backfill", spank=False, accounting=True,
                      credential_seconds=5)

    def sacct(self, *options, columns=COLUMNS, epoch=True):
        environment = {"SLURM_TIME_FORMAT": "%s"} if epoch else {}
        return self.cluster.command("sacct", "--allusers", "--duplicates", "--parsable2", "--starttime=now-1hour",
                                    f"--format={columns}", *options, environment=environment).stdout

    def submit_every_kind(self):
        """A job of each kind, by its name here."""
        burn = jobs.burn()
        small = {"cpus": 1, "memory": 40}
        of = SimpleNamespace()
        # Two CPUs of one node, of which one is used for about 1.5 s, and 100 MiB held.
        of.half = self.sbatch(f"--nodelist={self.cluster.nodes[0]}", "--time=10", cpus=2, memory=200,
                              script=f"exec srun --ntasks=1 --cpus-per-task=2 {burn} --work 1.5 --memory 100")
        of.steps = self.sbatch("--time=5", tasks=4, cpus=1, memory=50, script=f"srun {burn} --work 0.1\n"
                                                                             f"srun --ntasks=2 {burn} --work 0.1")
        of.array = self.sbatch("--array=1-3", "--time=7", **small, script=f"exec {burn} --work 0.1")
        of.failed = self.sbatch("--time=7", **small, script="exit 3")
        of.running = self.sbatch("--time=7", **small)
        of.late = self.sbatch("--time=7", **small)
        of.again = self.sbatch("--time=7", "--requeue", **small, script=f"[ -e {self.folder}/second ] && exit 0\n"
                                                                        f"touch {self.folder}/second\nexec sleep 1000")
        of.left = self.sbatch("--time=7", **small)
        of.het = self.sbatch("--time=7", "--cpus-per-task=1", "--mem-per-cpu=40", ":", "--ntasks=1",
                             "--cpus-per-task=2", "--mem-per-cpu=30", **small, script="exec sleep 0.5")
        # All but this one have room at once. (sacct does not show jobs that were never eligible, such as held ones.)
        of.held = self.sbatch("--time=7", "--exclusive", tasks=2, cpus=10, memory=40)
        return of

    def end_all(self, of):
        self.wait_state(of.again, "RUNNING")
        wait_for("the first run to be there", (self.folder / "second").exists, 20)
        self.cluster.command("scontrol", "requeue", of.again)
        for job in (of.running, of.late, of.left):
            self.wait_state(job, "RUNNING")
        self.cluster.command("scancel", of.running, of.held)
        # Slurm's limits are minutes; it ends a job at its end time, no matter who has set it.
        self.cluster.command("scontrol", "update", f"jobid={of.late}", "EndTime=now+2")
        ended = self.wait_ended([of.half, of.steps, of.failed, of.held, of.running, of.late, of.again, of.array, of.het,
                                 of.het + 1], 150)
        self.assertEqual(ended[of.late]["JobState"], "TIMEOUT")

        def complete():
            text = self.sacct(columns="JobID,State")
            ends = {int(job): state for job, state in re.findall(r"^(\d+)(?:[_+]\d+)?\|([A-Z_]+)", text, re.MULTILINE)}
            return all(ends.get(job) in jobs.ENDED for name, job in vars(of).items() if name != "left")
        wait_for("slurmdbd to know of all ends", complete, 20)

    def imported(self, name, *options):
        """What the import makes of a file of accounting in the test's folder."""
        return self.cluster.command(str(build_folder() / "dfrs-sim"), "import", "sacct", self.folder / name, *options)

    def test_jobs_of_every_kind_come_through_sacct_and_import(self):
        of = self.submit_every_kind()
        self.end_all(of)
        text = self.sacct()
        (self.folder / "accounting.txt").write_text(text, encoding="utf-8")
        swf = self.imported("accounting.txt", "--swf", *SHAPE)
        self.check_swf(of, text, swf)
        self.check_trace(of, swf)
        self.check_human_times(swf)
        self.check_anonymised(text, swf)

        page = self.cluster.command(str(build_folder() / "dfrs-sim"), "advise", "--sacct",
                                    self.folder / "accounting.txt", *SHAPE, "--conf", self.folder / "dfrs.conf").stdout
        self.assertIn("Settings to start with", page)
        self.cluster.command("dfrs-check-config", self.folder / "dfrs.conf")

    def check_swf(self, of, text, swf):
        """A line per job that ran to its end, with what it was given and what it used."""
        lines = lines_by_job(swf)
        array_jobs = {int(line.split("|")[1]) for line in text.splitlines() if re.match(rf"{of.array}_\d+\|", line)}
        self.assertEqual(len(array_jobs), 3, text)
        self.assertEqual(set(lines), {of.half, of.steps, of.failed, of.running, of.late, of.again, of.het, of.het + 1}
                         | array_jobs, f"{swf.stderr}\n{text}")
        self.assertIn("1 record skipped: never started", swf.stderr)
        self.assertIn("1 record skipped: had not ended", swf.stderr)
        self.assertIn("1 record skipped: run of a job that was requeued", swf.stderr)
        self.assertEqual({job: int(lines[job][10]) for job in (of.half, of.failed, of.running, of.late, of.again)},
                         {of.half: 1, of.failed: 0, of.running: 5, of.late: 0, of.again: 1})  # status
        self.assertEqual({job: int(lines[job][4]) for job in (of.half, of.steps, of.failed, of.het, of.het + 1)},
                         {of.half: 2, of.steps: 4, of.failed: 1, of.het: 1, of.het + 1: 2})  # processors
        self.assertEqual([float(lines[of.half][8]), float(lines[of.steps][8])], [600, 300])  # time limits
        half = [float(word) for word in lines[of.half]]
        self.assertEqual(half[9], 100 * 1024)  # requested KiB per processor
        self.assertGreaterEqual(half[6] * 2, 100 * 1024)  # used, of both processors
        self.assertLess(half[6] * 2, 140 * 1024)
        self.assertAlmostEqual(half[5] * 2, 1.5, delta=0.5)  # CPU time
        self.assertGreaterEqual(half[3], 1)
        self.assertLess(float(lines[of.late][3]), 60)
        self.assertGreaterEqual(float(lines[of.again][2]), 1)  # the second run waited

    def check_trace(self, of, swf):
        """Tasks as srun started them, CPU need as measured."""
        fields = lines_by_job(self.imported("accounting.txt", *SHAPE))
        self.assertEqual(set(fields), set(lines_by_job(swf)))
        self.assertEqual(fields[of.steps][2], "4")
        self.assertLess(float(fields[of.half][3]), 0.2)  # two CPUs of ten, not all of the time
        self.assertEqual(int(fields[of.half][4]), 200)

    def check_human_times(self, swf):
        """The same through human times and sacct's own default columns of units, and with steps left out."""
        human = self.sacct("--allocations", epoch=False, columns=COLUMNS.replace("ElapsedRaw", "Elapsed")
                           .replace("TimelimitRaw", "Timelimit"))
        (self.folder / "human.txt").write_text(human, encoding="utf-8")
        lines = lines_by_job(swf)
        for job, words in lines_by_job(self.imported("human.txt", "--swf", *SHAPE)).items():
            for field in (1, 2, 3, 4, 7, 8, 9, 10):
                self.assertEqual(words[field], lines[job][field], f"field {field + 1} of job {job}")

    def check_anonymised(self, text, swf):
        """The same jobs, and no names."""
        hidden = self.imported("accounting.txt", "--anonymise", "--to", "sacct").stdout
        (self.folder / "hidden.txt").write_text(hidden, encoding="utf-8")
        self.assertEqual(len(hidden.splitlines()), len(text.splitlines()))
        self.assertNotRegex(hidden, r"\broot\b|\bn[12]\b|\bdfrs\b")

        def sizes(made):
            return [line.split()[1:11] for line in made.stdout.splitlines() if not line.startswith(";")]
        self.assertEqual(sizes(self.imported("hidden.txt", "--swf", *SHAPE)), sizes(swf))
