# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of `./quickstart cluster`."""
import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from . import compare as comparison
from . import processes
from .cluster import ROOT, Cluster
from .errors import ClusterError, Unavailable
from .options import SCHEDULERS, Options

EXIT_FAILED, EXIT_USAGE = 1, 2
EXIT_NOT_UP = 3  # of status

EPILOGUE = """\
exit: 0 done, 1 failed (the message says what to do), 2 wrong usage, 3 (status) no cluster is up

docs/reference/cluster.md explains the options and how to use the cluster.
"""


def _count(least, most):
    def parse(text):
        value = int(text) if text.isdigit() else -1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"expected a whole number from {least} to {most}, not '{text}'")
        return value
    return parse


def _cores(text):
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.01 <= value <= 1024:
        raise argparse.ArgumentTypeError(f"expected a number of cores from 0.01 to 1024, such as 0.2, not '{text}'")
    return value


def _setting(text):
    name, mark, value = text.partition("=")
    if not mark or not name:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, a line of dfrs.conf, not '{text}'")
    return name, value


def _parser():
    parser = argparse.ArgumentParser(
        prog="quickstart cluster", formatter_class=argparse.RawDescriptionHelpFormatter, epilog=EPILOGUE,
        description="A private Slurm cluster on this host: munged, slurmctld and several slurmd with their node agents.\n"
                    "It has its own folder, ports and key, and leaves the host's Slurm alone.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="up|status|down|compare")

    def command(name, summary, more=""):
        sub = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.{more}")
        sub.add_argument("--dir", type=Path, default=ROOT / "out/cluster", metavar="DIR",
                         help="the cluster's folder (out/cluster); several clusters can be up in different folders")
        return sub

    default = Options()
    up = command("up", "start a cluster and wait until its nodes are ready",
                 " If it is up with the same options, this restarts daemons that have ended.")
    up.add_argument("--nodes", type=_count(1, 100), default=default.nodes, metavar="N",
                    help=f"virtual nodes ({default.nodes})")
    up.add_argument("--cpus", type=_count(1, 1024), default=default.cpus, metavar="N",
                    help=f"CPUs of a node, as Slurm counts them ({default.cpus})")
    up.add_argument("--memory", type=_count(16, 10**7), default=default.memory, metavar="MIB",
                    help=f"memory of a node for jobs; Slurm counts it, but nothing reserves it ({default.memory})")
    up.add_argument("--cores", type=_cores, default=0.0, metavar="X",
                    help="real cores that a node's CPUs share, such as 0.2: few real cores then stand for many nodes "
                         "(as many as it has CPUs)")
    up.add_argument("--scheduler", choices=SCHEDULERS, default=default.scheduler,
                    help="dfrs, or backfill: stock Slurm, on the same nodes (dfrs)")
    up.add_argument("--algorithm", default=default.algorithm, metavar="NAME",
                    help=f"DFRS's algorithm, as `dfrs-sim list` names it ({default.algorithm})")
    up.add_argument("--set", type=_setting, action="append", default=[], metavar="NAME=VALUE", dest="settings",
                    help="a setting of dfrs.conf, such as Period=30; may be given several times")

    command("status", "show daemons, nodes and jobs")
    command("down", "end the cluster and all of its jobs",
            " Works in any state and leaves nothing running; the logs stay in DIR/log.")
    compare_parser = commands.add_parser("compare", help="run one workload under sched/backfill and under sched/dfrs, "
                                                         "beside what dfrs-sim predicts")
    comparison.add_arguments(compare_parser)
    test = commands.add_parser("test")  # for ./quickstart check
    test.add_argument("--results", type=Path, required=True)
    test.add_argument("--logs", type=Path, required=True)
    test.add_argument("--jobs", type=int, default=2)
    test.add_argument("names", nargs="*")
    return parser


def up(arguments):
    options = Options(nodes=arguments.nodes, cpus=arguments.cpus, memory=arguments.memory, cores=arguments.cores,
                      scheduler=arguments.scheduler, algorithm=arguments.algorithm,
                      settings=dict(arguments.settings))
    begun = time.monotonic()
    cluster = Cluster(arguments.dir)
    before = cluster.is_up()
    cluster.options = options
    cluster.up()
    real = f" of {options.cores:g} real cores together" if options.cores else ""
    print(f"{'up already' if before else 'up'}: {options.nodes} nodes of {options.cpus} CPUs{real} and "
          f"{options.memory} MiB under {options.scheduler} ({time.monotonic() - begun:.1f} s)")
    print(f"To use it:\n\n    source {cluster.folder}/env\n    sbatch --wrap 'sleep 60'; squeue\n")
    if cluster.has_agents:
        print("To look at it in a browser:\n\n    dfrsctl web\n")
    print("To end it:  ./quickstart cluster down" + _dir_option(cluster))
    return 0


def _dir_option(cluster):
    return "" if cluster.folder == (ROOT / "out/cluster").resolve() else f" --dir {cluster.folder}"


def status(arguments):
    cluster = Cluster(arguments.dir)
    if not cluster.is_up():
        print(f"no cluster is up in {cluster.folder}; start one with: ./quickstart cluster up{_dir_option(cluster)}")
        return EXIT_NOT_UP
    states = {name: cluster.process(name) for name in cluster.daemons()}
    gone = [name for name, process in states.items() if process is None]
    print(f"{cluster.folder}: {len(states) - len(gone)} of {len(states)} daemons run")
    if gone:
        print(f"not running: {' '.join(gone)} (logs: {cluster.folder}/log); "
              f"start them again with: ./quickstart cluster up, with the same options")
    if "slurmctld" in gone:
        return 0  # nobody to ask
    for title, argv in (("nodes", ["sinfo", "-N", "-o", "%12N %10T %6c %8m %20E"]),
                        ("jobs", ["squeue", "-o", "%8i %10P %16j %10u %10T %10M %5D %R"]),
                        ("dfrs", ["dfrsctl", "status"] if cluster.has_agents else None)):
        if argv is None:
            continue
        print(f"\n{title}:")
        result = cluster.command(*argv, check=False)
        sys.stdout.write(result.stdout if result.returncode == 0 else f"{argv[0]}: {result.stderr}")
    return 0


def down(arguments):
    cluster = Cluster(arguments.dir)
    was_up = cluster.folder.exists() and bool(processes.marked(cluster.folder))
    cluster.down()
    print("down; logs are in " + str(cluster.folder / "log") if was_up else f"no cluster is up in {cluster.folder}")
    return 0


def compare(arguments):
    def end(number, _):
        signal.signal(number, signal.SIG_IGN)
        sys.exit(128 + number)  # as after an error: the cluster is ended on the way out
    signal.signal(signal.SIGTERM, end)
    return comparison.main(arguments)


def test(arguments):
    from . import runner  # pylint: disable=import-outside-toplevel
    return runner.main(arguments)


def main(argv=None):
    arguments = _parser().parse_args(argv)
    os.umask(0o022)
    try:
        status = globals()[arguments.command](arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # a reader such as `head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Unavailable as error:
        print(f"quickstart cluster: {error}", file=sys.stderr)
    except ClusterError as error:
        print(f"quickstart cluster: {error}", file=sys.stderr)
    except subprocess.TimeoutExpired as error:
        print(f"quickstart cluster: {error.cmd[0]} did not end within {error.timeout:g} s", file=sys.stderr)
    except KeyboardInterrupt:
        print("quickstart cluster: interrupted; `./quickstart cluster down` ends what is left", file=sys.stderr)
        return 130
    except PermissionError as error:
        print(f"quickstart cluster: {error.filename}: {error.strerror}; run it as root or through sudo", file=sys.stderr)
    return EXIT_FAILED
