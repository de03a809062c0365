# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs as Slurm shows them, and what their program (burn) reports."""
import json
import os
import re
from pathlib import Path

from .cluster import build_folder
from .waiting import wait_for

ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE",
         "OUT_OF_MEMORY")


def burn():
    """The job program; a copy that every user can reach where the runner has made one."""
    return Path(os.environ.get("DFRS_LIVE_BURN") or build_folder() / "tests/live/burn")


def cpu_limit(work, restarts):
    """CPU that a task may use which does its work once. On a virtual machine whose host is busy, time in which it stood
    still counts as the job's."""
    return 1.5 * work + 0.5 + 0.05 * restarts


def did_once(work, cpu, restarts):
    """Whether a task that used this much CPU, s, did its work once. Both were written with six digits."""
    return work - 2e-6 <= cpu <= cpu_limit(work, restarts)


def submit(cluster, *options, script=None, user=None, cwd=None, check=True):
    """sbatch with a script of these lines; the job's number. Output goes to the cluster's folder by default."""
    text = "#!/bin/sh\n" + (script if script is not None else "exec sleep 1000") + "\n"
    default = [] if any(str(word).startswith("--output") for word in options) else ["--output=/dev/null"]
    result = cluster.command("sbatch", "--parsable", *default, *options, text_input=text, user=user, cwd=cwd or "/",
                             check=check)
    return int(result.stdout.split(";")[0]) if result.returncode == 0 else result


def parse(line):
    """A line of `scontrol -o show`: NAME=VALUE pairs; values may have blanks."""
    parts = re.split(r"(?:^|\s)([A-Z][\w/:.]*)=", line.strip())
    return {name: value.strip() for name, value in zip(parts[1::2], parts[2::2])}


def show_all(cluster):
    """job number -> its fields, of `scontrol show job`; array tasks by their own numbers."""
    result = cluster.command("scontrol", "-o", "-d", "show", "job")
    jobs = (parse(line) for line in result.stdout.splitlines() if line.startswith("JobId="))
    return {int(job["JobId"]): job for job in jobs}


def show(cluster, job):
    result = cluster.command("scontrol", "-o", "-d", "show", "job", job)
    return parse(result.stdout.splitlines()[0])


def state(cluster, job):
    return show(cluster, job)["JobState"]


def wait_state(cluster, job, states, seconds=20.0):
    """Waits until the job is in one of these states; its fields then."""
    wanted = (states,) if isinstance(states, str) else tuple(states)
    last = {}

    def reached():
        last.clear()
        last.update(show(cluster, job))
        return last["JobState"] in wanted
    try:
        wait_for(f"job {job} to be {' or '.join(wanted)}", reached, seconds, interval=0.05)
    except Exception as error:
        raise AssertionError(f"{error}; it is {last.get('JobState')} ({last.get('Reason')})") from None
    return dict(last)


def wait_ended(cluster, jobs, seconds):
    """Waits until all of these jobs have ended; number -> fields."""
    last = {}

    def ended():
        last.clear()
        last.update({number: fields for number, fields in show_all(cluster).items() if number in jobs})
        return len(last) == len(jobs) and all(fields["JobState"] in ENDED for fields in last.values())
    jobs = set(jobs)
    try:
        wait_for(f"{len(jobs)} jobs to end", ended, seconds, interval=0.1)
    except Exception as error:
        left = {number: f"{fields['JobState']} ({fields.get('Reason')})" for number, fields in last.items()
                if fields["JobState"] not in ENDED}
        raise AssertionError(f"{error}; left: {left}") from None
    return dict(last)


def lines_of(path):
    """What burn wrote to its result file, in order."""
    path = Path(path)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
