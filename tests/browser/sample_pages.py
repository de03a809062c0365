# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages to test, of each subcommand that writes HTML. write_run() comes first: others read what it writes."""
import re
import subprocess

from checks import ROOT, SIM, sim
from run_log import RunLog

USERS = 5
REPRODUCED = {"dynp": "table3", "gang-cloud": "figure3-q25", "ipdps2010": "figure1a-text", "rivals": "weeks,gain",
              "rr5724": "table2", "rr7659": "figure3b", "sc15": "kth", "triage": "worlds-weeks,logs-kth"}


def write_run(folder):
    """run.html of a run that pauses and moves jobs, with all its exports. Returns its log."""
    trace = folder / "trace.dfrs"
    with open(trace, "w", encoding="utf-8") as out:
        subprocess.run([SIM, "generate", "--jobs", "300", "--nodes", "32", "--load", "0.9", "--seed", "5"], check=True,
                       stdout=out)
    sim("run", trace, "-a", "Triage", "--report", folder / "run.html", "--log", folder / "run.log", "--record",
        folder / "run.jsonl.gz", "--evalys", folder / "evalys.csv", "--perfetto", folder / "perfetto.json", "--paje", folder / "run.trace")
    return RunLog(folder / "run.log")


def write_replay(folder):
    sim("replay", folder / "run.jsonl.gz", "--report", folder / "replay.html")


def write_bare(folder):
    """run.html without reasons, as the live page has its timeline."""
    bare = (folder / "run.html").read_text(encoding="utf-8")
    (folder / "bare.html").write_text(re.sub(r'<script [^>]*class="told".*?</script>', "", bare, flags=re.DOTALL), encoding="utf-8")


def write_log_of_users(folder):
    log = folder / "users.swf"
    log.write_text("; MaxNodes: 8\n; MaxProcs: 8\n" + "".join(
        f"{k} {20 * k} -1 600 {k % 4 + 1} -1 -1 {k % 4 + 1} 900 -1 1 {k % USERS} -1 -1 -1 -1 -1 -1\n" for k in range(1, 61)),
        encoding="utf-8")
    return log


def write_users(folder):
    sim("run", write_log_of_users(folder), "-a", "Triage", "--report", folder / "users.html")


def write_low(folder):
    """Of 250 nodes a row is too low for marks."""
    sim("run", write_log_of_users(folder), "-a", "Triage", "--nodes", 250, "--report", folder / "low.html")


def write_busy(folder):
    """The first job shares its node with one short job after the other."""
    busy = folder / "busy.dfrs"
    busy.write_text("; dfrs-trace: 1\n; Name: busy\n; Nodes: 1 cpu 1 memory 1000\n1 0 1 1 10 10000 10000\n" + "".join(
        f"{k + 2} {100 + 100 * k} 1 1 10 20 20\n" for k in range(60)), encoding="utf-8")
    sim("run", busy, "-a", "Greedy*", "--report", folder / "busy.html")


def write_comparison(folder):
    """compare.html, timeline.html and results.csv of the trace of write_run()."""
    sim("compare", folder / "trace.dfrs", "-a", "EASY,Triage", "--report", folder / "compare.html", "--timeline",
        folder / "timeline.html", "-o", folder / "results.csv")


def write_reports(folder):
    sim("report", folder / "results.csv", "-o", folder / "report.html")
    sim("advise", "--sacct", ROOT / "tests/golden/accounting.txt", "-o", folder / "advise.html")
    # The smallest part of each paper; logs of a few jobs with the names that are asked for.
    write_logs(folder / "logs")
    for name, parts in REPRODUCED.items():
        sim("reproduce", name, "--parts", parts, "--instances", "1", "--traces", folder / "logs", "-o", folder / "reproduce")
    sim("demo", "--output", folder / "demo", folder / "trace.dfrs")


def write_logs(folder):
    folder.mkdir()

    def line(job, submit, time, processors, estimate, memory=-1):
        return f"{job} {submit} -1 {time} {processors} -1 {memory} {processors} {estimate} {memory} 1 1 -1 -1 -1 -1 -1 -1\n"

    weeks = [604800 * week for week in range(4)]
    (folder / "KTH-SP2-1996-2.1-cln.swf").write_text("; MaxProcs: 100\n" + "".join(
        line(k + 1, week + 5, 100, 10 * (k + 1), 200) for k, week in enumerate(weeks)), encoding="utf-8")
    (folder / "HPC2N-2002-2.1-cln.swf").write_text(
        "; Installation: High-Performance Computing Center North (HPC2N)\n; MaxNodes: 120\n; MaxProcs: 240\n" + "".join(
            line(2 * k + 1, week + 5, 10000, 240, 20000, 600000) + line(2 * k + 2, week + 1005, 60, 240, 100, 600000)
            for k, week in enumerate(weeks)), encoding="utf-8")
