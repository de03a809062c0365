# SPDX-License-Identifier: GPL-2.0-or-later
"""`./quickstart cluster compare`: one workload under sched/backfill and under sched/dfrs with two algorithms, live and
simulated.

docs/live/live-validation.md explains the method and shows the results.
"""
import argparse
import contextlib
import os
import re
import shutil
import time
from pathlib import Path

from . import measure, pause_cost, report, seeds, simulate, swap
from . import workload as workloads
from .cluster import ROOT, Cluster
from .errors import ClusterError, Unavailable
from .options import Options

# The papers' times over 100: a second here stands for 100 there. Their period is 600 s and their penalty 300 s, but
# where the penalty is to hurt less they recommend a period of ten penalties (RR-7659, 6.4.2), which this is.
SCALE = 100
ALGORITHM = "GreedyPM*/per/OPT=MIN/MINVT=6"
TRIAGE = "Triage/SHORT=0.1"  # 10 s over 100
PERIOD = 30.0          # s
PENALTY = 3.0          # s; what a requeue costs, see docs/live/live-validation.md
STRETCH_FLOOR = 0.1    # s; the b of the bounded stretch, 10 s in the papers
MIN_PROGRESS = 0.6     # s; of dfrs.conf, by default 60
FIRST_SECOND = 2.0     # s that slurmctld has been up before the workload begins

# Stock backfill as it is tuned for short jobs: it looks at the queue every second, and like EASY it holds nodes for the
# first waiting job alone.
BACKFILL_PARAMETERS = ("batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=1,bf_resolution=1,"
                       "bf_window=1440,bf_max_job_test=1000,bf_continue,bf_job_part_count_reserve=1")
SHORT_JOBS = 14
RECORD = "dfrs-record.jsonl"


# Those with more that can be wrong with their settings go first.
ORDER = ("dfrs", "triage", "backfill")
CHECKPOINT_ORDER = ("checkpoint", "lost", "backfill")  # with --checkpoints
WORLD_ORDER = ("suspend", "lost", "none", "backfill", "force")  # with --worlds
STOCK = ("backfill", "gang", "force")
FORCE_JOBS = 4         # with --worlds: jobs that OverSubscribe=FORCE lets share a core
WORLD_MEMORY = 256     # MiB of a node with --worlds: jobs hold all of theirs, also on hosts of a few GiB
WORLD_SWAP = 1024      # MiB of the swap file of the world in which jobs are suspended, if the host has no swap
SWAP_RATE = 100.0      # MiB/s that the simulation assumes where pauses were too few, as dfrs does at first (SwapRate)
SUSPEND_COST = 2.0     # s that a suspend takes besides, then
GANG_JOBS = 2          # with --gang: jobs that take turns on a core
GANG_SLICE = 5         # s of a turn; Slurm takes no less
IMAGE_RATE = 200.0     # MiB/s at which images are written and read in the simulation of --checkpoints, before they are measured


class Setting:
    """What is compared, as the command line says it."""

    def __init__(self, *, algorithm=ALGORITHM, triage=TRIAGE, cores=0.2, penalty=PENALTY, period=PERIOD, floor=STRETCH_FLOOR,
                 repeats=measure.CALIBRATION_REPEATS, checkpoints=False, gang=False, worlds=False):
        self.algorithm, self.triage, self.cores = algorithm, triage, cores
        self.penalty, self.period, self.floor = penalty, period, floor
        self.repeats = repeats  # of each measurement of overheads
        self.checkpoints = checkpoints  # jobs have none of their own
        self.gang = gang                # stock Slurm with time slices, too
        self.worlds = worlds            # Triage where pauses keep the work, lose it, or do not happen

    @property
    def order(self):
        if self.worlds:
            return WORLD_ORDER
        return (CHECKPOINT_ORDER if self.checkpoints else ORDER) + (("gang",) if self.gang else ())

    def start_up_of(self, side):
        """The side whose start-up times hold for this one, too: a start takes the same under sched/dfrs, whatever the
        algorithm, and under stock Slurm. None: they are measured."""
        known = {"triage": "dfrs", "gang": "backfill", "force": "backfill", "none": "suspend"}
        return "suspend" if self.worlds and side == "lost" else known.get(side)

    def options(self, workload, side, log_folder):
        options = Options(nodes=workload.nodes, cpus=workload.cpus, memory=workload.memory, cores=self.cores,
                          scheduler="backfill" if side in STOCK else "dfrs",
                          algorithm=self.algorithm if side == "dfrs" else self.triage, first=True)
        if side in STOCK:
            options.slurm = {"SchedulerParameters": BACKFILL_PARAMETERS}
            if side == "gang":
                options.slurm.update(PreemptMode="GANG", SchedulerTimeSlice=str(GANG_SLICE))
                options.oversubscribe = f"FORCE:{GANG_JOBS}"
            if self.worlds:
                options.slurm["SelectTypeParameters"] = "CR_CPU_Memory"
                options.oversubscribe = f"FORCE:{FORCE_JOBS}" if side == "force" else "NO"
        else:
            # All pauses and moves by requeue: a suspended job can continue only on its nodes, which the papers'
            # simulations do not model.
            options.settings = {"Period": f"{self.period:g}", "PauseBy": "requeue", "LostWork": "refuse",
                                "MinProgress": f"{MIN_PROGRESS:g}", "RestartCost": f"{self.penalty:g}",
                                "RecordFile": str(log_folder / RECORD)}
        if side == "lost":
            options.settings["LostWork"] = "accept"
        if side == "none":
            options.settings["PauseBy"] = "none"
        if side == "suspend":
            options.settings.update(PauseBy="suspend", SuspendNeedsSwap="yes")
        if side == "checkpoint":
            options.checkpoints = str(log_folder.parent.parent / "images")
            options.settings.update(PauseBy="checkpoint", CheckpointFolder=options.checkpoints)
            options.slurm = {"JobFileAppend": "1"}
        return options

    def program(self, workload, side, cluster):
        """What jobs run: with --checkpoints and --worlds they hold all of their memory, which goes to images or swap."""
        if self.worlds:
            return measure.Program(hold=workload.memory, mark="")
        if not self.checkpoints:
            return measure.Program()
        if side != "checkpoint":
            return measure.Program(hold=workload.memory, mark="")
        run = (cluster.program("dfrs-run"), "--run-dir", f"{cluster.folder}/run/%n")
        return measure.Program(hold=workload.memory, mark="dfrs:criu", under=run)

    def simulated(self, side):
        stock = {"backfill": "EASY", "gang": f"GANG/jobs={GANG_JOBS}/slice={GANG_SLICE}",
                 "force": f"EASY/shared/jobs={FORCE_JOBS}", "dfrs": self.algorithm}
        return stock.get(side, self.triage)

    def simulation(self, side, live=None, swap_mib=None):
        """Options of dfrs-sim for what a pause or move does to a job. `live`: the run, which measured what images and pauses
        cost; `swap_mib`: what each node had of swap, if known."""
        if side == "lost":
            return ["--pauses", "lost", "--min-progress", f"{MIN_PROGRESS:g}"]
        if side == "none":
            return ["--pauses", "none"]
        if side == "suspend":
            limit = [] if swap_mib is None else ["--swap", f"{swap_mib}"]
            known = live.pause_cost if live else None
            cost = f"{known.seconds:.2f}" if known else f"memory/{SWAP_RATE:g}+{SUSPEND_COST:g}"
            return ["--pauses", "suspended", *limit, "--penalty", cost]
        if side != "checkpoint":
            return ["--penalty", f"{self.penalty:g}"]
        # Each image is written once and read once.
        known = live.checkpoints if live else {}
        write, read = (known.get(f"{what}_mib_per_s", IMAGE_RATE) for what in ("write", "read"))
        return ["--penalty", f"memory/{2 / (1 / write + 1 / read):.1f}+{known.get('restart_s', self.penalty):g}"]

    def check(self):
        self.algorithm, self.triage = (simulate.check_algorithm(name) for name in (self.algorithm, self.triage))


def run_one(workload, setting, side, folder, say, start_up=None):
    """A fresh cluster, its calibration unless `start_up` is known, the workload, and the simulation of the same jobs."""
    place = folder / "cluster"
    cluster = Cluster(place)
    cluster.down()
    cluster.options = setting.options(workload, side, place / "log")
    # As a user's folder would be: on the same disk, and writable by the user who runs the jobs.
    data = folder / side
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    name = report.SIDES[side]
    program = setting.program(workload, side, cluster)
    made = _swap(folder) if side == "suspend" else None
    # The nodes share this host's swap, and the agent of each tells all of it.
    swap_mib = swap.free_mib() if side == "suspend" else None
    try:
        cluster.up()
        if start_up is None:
            say(f"{name}: {len(cluster.nodes)} nodes are up; measuring what a start takes")
            start_up = measure.calibrate(cluster, workload, data / "calibration", setting.repeats, program)
            say(f"{name}: {report.overheads(start_up)}")
        # sched/dfrs takes jobs of its first second for older ones, which wait until all nodes are seen.
        time.sleep(FIRST_SECOND)
        say(f"{name}: now the workload, which takes about {workload.span * 1.25:.0f} s")
        live = measure.run(cluster, workload, data / "jobs", lambda text: say(f"{name}: {text}"),
                           setting.period if "/per" in setting.simulated(side) else None, program)
    finally:
        cluster.down()
        if made:
            made.close()
        logs = folder / f"log-{side}"
        shutil.rmtree(logs, ignore_errors=True)
        with contextlib.suppress(OSError):
            shutil.copytree(place / "log", logs)
    if side not in STOCK:
        live.decided = simulate.decided(logs / RECORD)
    if side == "suspend":
        run_times = {live.jobs[job.number].slurm_id: job.run_time for job in workload.jobs}
        with open(logs / RECORD, encoding="utf-8") as lines:
            live.pause_cost = pause_cost.of_record(lines, run_times)
    simulated = simulate.predict_varied(workload, setting.simulated(side), folder, side, start_up=start_up,
                                        pauses=setting.simulation(side, live, swap_mib), period=setting.period,
                                        floor=setting.floor)
    return report.Side(side, setting.simulated(side), live, simulated, start_up)


def _swap(folder):
    """Swap for the jobs that are suspended, if this host has none; to close()."""
    if swap.devices():
        return None
    try:
        return swap.SwapFile([folder, "/var/tmp", "/tmp"], WORLD_SWAP)
    except Unavailable as reason:
        raise ClusterError(f"--worlds needs swap for suspended jobs: {reason}") from None


def compare(workload, setting, folder, say):
    folder.mkdir(parents=True, exist_ok=True)
    setting.check()
    runs = {}
    for side in setting.order:
        known = setting.start_up_of(side)
        start_up = runs[known].start_up if known else None
        runs[side] = run_one(workload, setting, side, folder, say, start_up)
    sides = [runs[side] for side in report.SIDES if side in runs]
    exact = simulate.predict(_with_exact_limits(workload), "EASY", folder, "backfill-exact-estimates",
                             start_up=sides[0].start_up, pauses=setting.simulation("backfill"),
                             period=setting.period, floor=setting.floor)
    return report.Comparison(workload, setting, sides, exact)


def only_simulate(workload, setting, folder):
    """What to expect of it, without a cluster and its overheads: of (name, algorithm, Prediction) for each side."""
    folder.mkdir(parents=True, exist_ok=True)
    setting.check()
    return [(name, setting.simulated(side),
              simulate.predict(workload, setting.simulated(side), folder, f"{side}-expected",
                               pauses=setting.simulation(side), period=setting.period, floor=setting.floor))
            for side, name in report.SIDES.items() if side in setting.order]


def _with_exact_limits(workload):
    """The same jobs by users who know how long theirs run."""
    jobs = tuple(workloads.Job(**{**vars(job), "limit": job.run_time + 1}) for job in workload.jobs)
    return workloads.Workload(workload.name + "-exact-estimates", workload.nodes, workload.cpus, workload.memory, jobs)


# ---- the command line ----

DESCRIPTION = """\
Runs one workload of real jobs, which burn CPU and hold memory, on the same virtual cluster three times: under stock
sched/backfill, under sched/dfrs with the papers' best algorithm, and under sched/dfrs with Triage. Prints the maximum
and mean bounded stretch of each run, beside what dfrs-sim predicts for the same jobs. Takes about twelve minutes;
--short about four.
"""
EPILOGUE = """\
Stretch is the time from a job's submission to its end, divided by its run time at full speed: 1 is perfect, 10 means
that its user waited ten times as long as the job needed.

To compare on your own workload, write it in the dfrs-trace format (docs/reference/trace-format.md), with run times of
seconds: a job of an hour takes an hour here, too. dfrs-sim annotate makes such a trace from a log of your site;
--time-scale 100 divides all of its times by 100. For example, a trace of 12 nodes of 16 CPUs on a host of 8 cores:

    ./quickstart cluster compare --trace week.dfrs --time-scale 200 --nodes 12 --cpus 16 --cores 0.5 \\
        --algorithm 'GreedyPM*/per/MINVT=3' --period 15

With --worlds Triage runs in the three worlds that sites live in, beside stock Slurm: jobs are suspended, and their memory
goes to swap; a pause loses the work (PauseBy=requeue, LostWork=accept); nothing is paused (PauseBy=none). Stock Slurm
runs with OverSubscribe=NO and with FORCE:4. Jobs hold all the memory that they ask for, of nodes of 256 MiB unless
--memory says otherwise, and cannot continue from a file. A host without swap gets a swap file of 1 GiB meanwhile. Each
seed takes about twenty minutes.
With --gang a fourth cluster is compared: sched/backfill where Slurm's gang scheduling lets jobs take turns on their cores.
Jobs have one task then, because an srun that is suspended as it creates its step may hang.
With --checkpoints the jobs cannot continue from a file, and hold all the memory that they ask for (choose --memory 512
or so). Compared are sched/backfill, Triage with lost work, and Triage with checkpoints (needs CRIU 4.0 or newer).

What to choose:
  --cores       real cores behind a node. Leave about a fifth of the host's cores to Slurm itself. A node of 0.2 cores
                does a fifth of the work per second of a node with one core. Jobs are scaled alike, so a job of 10 s
                takes 10 s.
  --algorithm   DFRS's algorithm, as dfrs-sim list names it (docs/reference/algorithms.md says which to start with).
                Scale its seconds (MINVT=) like the run times.
  --triage      algorithm of the third column. SHORT= is what counts as a short job, in seconds; all of Triage's times
                scale with it: 10 on a cluster with jobs of hours, here a hundredth of that.
  --penalty     the cost of a pause or move that the simulator and Triage assume (RestartCost of dfrs.conf).

A job that needs less than a node's CPUs shares nodes under sched/backfill, but not in the simulator's EASY, which gives
every job whole nodes. So the prediction of sched/backfill is too high for workloads with such jobs. The generated
workload has none.

Results, in --output: results.txt (the table), jobs.csv (a line per job), results.json (everything), the traces and
per-job results of the simulations, and the daemons' logs. log-dfrs/dfrs-record.jsonl and log-triage/dfrs-record.jsonl
have every decision of the runs under DFRS; dfrs-sim replay reads them.

exit: 0 done, 1 failed (the message says what to do), 2 wrong usage
"""


def _number(low, high, what):
    def parse(text):
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"expected {what} from {low:g} to {high:g}, not '{text}'")
        return value
    return parse


def _whole(low, high):
    def parse(text):
        value = int(text) if re.fullmatch(r"\d{1,12}", text) else -1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"expected a whole number from {low} to {high}, not '{text}'")
        return value
    return parse


def add_arguments(parser):
    parser.description, parser.epilog = DESCRIPTION, EPILOGUE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--short", action="store_true", help=f"{SHORT_JOBS} jobs, for a quick look")
    parser.add_argument("--seed", type=_whole(0, 2**31), default=1, metavar="N", help="seed of the workload (1)")
    parser.add_argument("--seeds", type=_whole(1, 1000), default=1, metavar="N",
                        help="N workloads, of this seed and the following ones, with a table of the means (1)")
    parser.add_argument("--jobs", type=_whole(1, 2000), metavar="N", help="jobs of the generated workload (60)")
    parser.add_argument("--load", type=_number(0.05, 5, "a load"), default=0.8, metavar="X",
                        help="offered load of the generated workload (0.8)")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="your own workload in the dfrs-trace format")
    parser.add_argument("--time-scale", type=_number(1e-3, 1e6, "a number"), default=1.0, metavar="X",
                        help="divide all times of --trace by this (1)")
    parser.add_argument("--nodes", type=_whole(1, 100), metavar="N",
                        help="nodes of the cluster (8, or the trace's)")
    parser.add_argument("--cpus", type=_whole(1, 1024), default=4, metavar="N", help="CPUs of a node (4)")
    parser.add_argument("--memory", type=_whole(16, 10**7), metavar="MIB",
                        help=f"memory of a node for jobs (4096, with --worlds {WORLD_MEMORY}, or the trace's)")
    parser.add_argument("--cores", type=_number(0.01, 1024, "a number of cores"), default=0.2, metavar="X",
                        help="real cores behind a node (0.2)")
    parser.add_argument("--algorithm", default=ALGORITHM, metavar="NAME", help=f"DFRS's algorithm ({ALGORITHM})")
    parser.add_argument("--triage", default=TRIAGE, metavar="NAME", help=f"algorithm of the third column ({TRIAGE})")
    parser.add_argument("--period", type=_number(0.1, 1e6, "seconds"), default=PERIOD, metavar="S",
                        help=f"period of that algorithm ({PERIOD:g})")
    parser.add_argument("--penalty", type=_number(0, 1e6, "seconds"), default=PENALTY, metavar="S",
                        help=f"penalty of a pause or move in the simulation ({PENALTY:g})")
    parser.add_argument("--stretch-floor", type=_number(1e-3, 1e6, "seconds"), default=STRETCH_FLOOR, metavar="S",
                        help=f"b of the bounded stretch ({STRETCH_FLOOR:g}, the papers' 10 s over {SCALE})")
    parser.add_argument("--checkpoints", action="store_true",
                        help="jobs without checkpoints: Triage with lost work, and with checkpoints by CRIU")
    parser.add_argument("--worlds", action="store_true",
                        help="Triage with suspend and swap, with lost work, and without pauses, beside sched/backfill "
                             "with and without shared cores")
    parser.add_argument("--gang", action="store_true",
                        help=f"also stock Slurm with gang scheduling: {GANG_JOBS} jobs a core take turns of {GANG_SLICE} s")
    parser.add_argument("--simulate", action="store_true",
                        help="only simulate, without a cluster; takes a second")
    parser.add_argument("--output", type=Path, default=ROOT / "out/cluster/compare", metavar="DIR",
                        help="folder for the results, and for the cluster while it runs (out/cluster/compare)")


def workload_of(arguments, seed):
    if arguments.trace is not None:
        if arguments.jobs or arguments.short or arguments.seeds > 1:
            raise ClusterError("--jobs, --short and --seeds are of the generated workload, which --trace replaces")
        workload = workloads.read_trace(arguments.trace, arguments.nodes, arguments.cpus, arguments.memory,
                                        arguments.time_scale)
        if arguments.gang and any(job.tasks > 1 for job in workload.jobs):
            raise ClusterError("--gang takes only jobs of one task: an srun that sched/gang suspends as it creates its "
                               f"step may hang; {arguments.trace} has others")
        return workload
    if arguments.time_scale != 1.0:
        raise ClusterError("--time-scale is of --trace; the generated workload has times of seconds")
    return workloads.generate(seed=seed, nodes=arguments.nodes or 8, cpus=arguments.cpus,
                              memory=arguments.memory or (WORLD_MEMORY if arguments.worlds else 4096), load=arguments.load,
                              one_task=arguments.gang, jobs=arguments.jobs or (SHORT_JOBS if arguments.short else 60))


def setting_of(arguments):
    if arguments.worlds and (arguments.checkpoints or arguments.gang):
        raise ClusterError("--worlds has clusters of its own: leave out --checkpoints and --gang")
    return Setting(algorithm=arguments.algorithm, triage=arguments.triage, cores=arguments.cores, penalty=arguments.penalty,
                   period=arguments.period, floor=arguments.stretch_floor, checkpoints=arguments.checkpoints,
                   gang=arguments.gang, worlds=arguments.worlds)


def main(arguments):
    setting = setting_of(arguments)
    wanted = {seed: workload_of(arguments, seed) for seed in range(arguments.seed, arguments.seed + arguments.seeds)}
    top = arguments.output.resolve()
    folders = {seed: top if len(wanted) == 1 else top / f"seed-{seed}" for seed in wanted}
    if arguments.simulate:
        expected = {seed: only_simulate(workload, setting, folders[seed]) for seed, workload in wanted.items()}
        for seed, sides in expected.items():
            print(report.expected(wanted[seed], setting, sides), end="" if len(wanted) == 1 else "\n")
        if len(wanted) > 1:
            print(seeds.expected(wanted, setting, expected), end="")
        return 0
    host = os.cpu_count() or 1
    nodes = next(iter(wanted.values())).nodes
    if nodes * setting.cores > host:
        raise ClusterError(f"{nodes} nodes of {setting.cores:g} cores are more than this host has ({host}); "
                           f"choose --cores {0.8 * host / nodes:.2g} or fewer --nodes")
    begun = time.monotonic()
    with contextlib.suppress(OSError):
        os.nice(-10)  # the daemons inherit it; jobs have control groups

    def say(text):
        print(f"[{time.monotonic() - begun:5.0f} s] {text}", flush=True)

    comparisons = {}
    for seed, workload in wanted.items():
        say(f"{len(workload.jobs)} jobs on {workload.nodes} nodes of {workload.cpus} CPUs ({setting.cores:g} real cores "
            f"each), submitted within {workload.span:.0f} s; offered load {workload.load:.2f}"
            + (f"; seed {seed}" if len(wanted) > 1 else ""))
        comparison = comparisons[seed] = compare(workload, setting, folders[seed], say)
        text = comparison.text()
        comparison.write(folders[seed], text)
        print(f"\n{text}\nresults.txt, jobs.csv and results.json are in {folders[seed]}", flush=True)
    if len(comparisons) > 1:
        text = seeds.text(comparisons)
        seeds.write(top, comparisons, text)
        print(f"\n{text}\nsummary.txt and summary.json are in {top}")
    return 0
