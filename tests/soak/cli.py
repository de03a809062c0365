# SPDX-License-Identifier: GPL-2.0-or-later
"""python3 -m soak: lives a compressed day of a cluster and judges what became of the jobs."""
import argparse
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from live.errors import ClusterError, Unavailable

from . import outcome as outcomes
from . import plan as plans
from . import shrink
from .player import Player
from .report import summary
from .stock import StockPlayer
from .world import ACTIONS, CPUS, MEMORY, World

EXIT_FAILED, EXIT_USAGE, EXIT_SKIPPED = 1, 2, 77
KEPT = "outcome.json.gz"


def _faults(text):
    kinds = tuple(text.split(","))
    unknown = [kind for kind in kinds if kind not in plans.FAULTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"no fault is called {unknown[0]}; expected some of {','.join(plans.FAULTS)}")
    return kinds


def _two_folders(text):
    prefix, _, plugins = text.partition(":")
    if not (Path(prefix) / "sbin/slurmctld").exists() or not (Path(plugins) / "plugin/sched_dfrs.so").exists():
        raise argparse.ArgumentTypeError("expected PREFIX:PLUGINS with PREFIX/sbin/slurmctld and PLUGINS/plugin/sched_dfrs.so, "
                                         f"not {text}")
    return prefix, plugins


def _parser():
    parser = argparse.ArgumentParser(prog="python3 -m soak", description=__doc__.partition(": ")[2].capitalize(),
                                     epilog="exit: 0 nothing was found, 1 something was, 2 wrong usage, 77 no cluster can "
                                            "run here")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, default=5.0, help="of users and faults; until all jobs have ended it takes some more (5)")
    length.add_argument("--hours", type=float)
    parser.add_argument("--seed", type=int, default=1, help="of the plan (1)")
    parser.add_argument("--nodes", type=int, default=4, help="nodes of the cluster (4)")
    parser.add_argument("--algorithm", default="",
                        help=f"of dfrs.conf (chosen by the seed); or {plans.STOCK}: the same day without dfrs, to compare "
                             "slurmctld's memory")
    parser.add_argument("--only", type=_faults, default=(), metavar="FAULT,...", help="these kinds of faults alone")
    parser.add_argument("--starts", type=int, default=0, metavar="N",
                        help="also so many jobs an hour that end as soon as they have begun (0)")
    parser.add_argument("--plan", action="store_true", help="print the plan and end")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the plan here, for --replay")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="play this plan instead of one made from the seed")
    parser.add_argument("--judge", type=Path, metavar="FILE",
                        help=f"judge the {KEPT} that a soak left in its folder once more, and play nothing")
    parser.add_argument("--folder", type=Path, help="of the cluster and the diaries, with a short path (one below /tmp)")
    parser.add_argument("--report", type=Path, metavar="FILE.md", help="append the outcome to this file")
    parser.add_argument("--accounting", action="store_true",
                        help="hold the jobs' word against sacct, with a slurmdbd and a mariadbd of the cluster's own")
    parser.add_argument("--slurmctld", type=_two_folders, metavar="PREFIX:PLUGINS",
                        help="slurmctld and our plugins from there, which a sanitizer watches (tests/soak/sanitized)")
    parser.add_argument("--shrink", type=float, default=0.0, metavar="MINUTES",
                        help="after a failure, look for so long for a shorter plan that breaks the same rule")
    return parser


def run(plan, folder, accounting=False, sanitized=None):
    """Plays the plan on a new cluster in the folder, and keeps the outcome there."""
    world = World(folder, plan)
    world.wanted.accounting, world.sanitized = accounting, sanitized
    try:
        world.up()
        outcome = (StockPlayer if plan.stock else Player)(world, plan).play()
    finally:
        world.down()
        world.unmount()
    outcome.write(folder / KEPT)
    return outcome


def main(argv=None):
    arguments = _parser().parse_args(argv)
    if arguments.judge:
        return _judge_again(arguments)
    if arguments.folder and arguments.folder.exists() and not arguments.folder.is_dir():
        print(f"soak: --folder {arguments.folder}: expected a folder, or a name that is free; this is a file", file=sys.stderr)
        return EXIT_USAGE
    seconds = 60 * (60 * arguments.hours if arguments.hours else arguments.minutes)
    plan = (plans.read(arguments.replay) if arguments.replay else
            plans.make(arguments.seed, seconds, arguments.nodes, CPUS, MEMORY, arguments.algorithm, arguments.only,
                       arguments.starts))
    if arguments.write:
        plan.write(arguments.write)
    if arguments.plan:
        print("\n".join(map(str, plan.actions)))
        return 0
    os.umask(0o022)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(EXIT_FAILED))  # so that the cluster is ended
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="dfrs-soak-"))
    if not arguments.folder:
        folder.chmod(0o755)  # other users send requests, too
    try:
        return _soak(arguments, plan, folder)
    except Unavailable as error:
        print(f"SKIP: {error}")
        return EXIT_SKIPPED
    except ClusterError as error:
        print(f"soak: {error}", file=sys.stderr)
        return EXIT_FAILED


def _report(outcome, arguments):
    """The findings, after they were shown."""
    findings = outcome.findings()
    text = summary(outcome, findings)
    print(text)
    if arguments.report:
        with open(arguments.report, "a", encoding="utf-8") as file:
            file.write(text + "\n")
    return findings


def _judge_again(arguments):
    try:
        return EXIT_FAILED if _report(outcomes.read(arguments.judge), arguments) else 0
    except ValueError as error:
        print(f"soak: {error}", file=sys.stderr)
        return EXIT_FAILED


def _soak(arguments, plan, folder):
    print(f"seed {plan.seed}: {len(plan.actions)} actions in {plan.seconds:g} s on {plan.nodes} nodes under "
          f"{plan.algorithm}; everything is in {folder}", flush=True)

    def play(candidate, number):
        return run(candidate, folder / str(number), arguments.accounting, arguments.slurmctld)

    findings = _report(play(plan, 0), arguments)
    if not findings:
        if not arguments.folder:
            shutil.rmtree(folder, ignore_errors=True)
        return 0
    plan.write(folder / "plan.jsonl")
    print(f"What happened: {folder}/0/{ACTIONS}\n"
          f"To judge it again: tests/soak/run --judge {folder}/0/{KEPT}\n"
          f"To play it again: tests/soak/run --replay {folder}/plan.jsonl")
    if arguments.shrink:
        rules = {finding.rule for finding in findings}
        smaller = shrink.shrink(plan, rules, lambda candidate, number: play(candidate, number).findings(),
                                60 * arguments.shrink)
        smaller.write(folder / "shrunk.jsonl")
        print(f"{len(smaller.actions)} of {len(plan.actions)} actions break one of the same rules: {folder}/shrunk.jsonl")
    return EXIT_FAILED
