# SPDX-License-Identifier: GPL-2.0-or-later
"""The tests that run in the virtual machine, as root, when its services are up. Each prints a line PASS, FAIL or SKIP, a
tab and its name; the last line is END. See tests/vm/check."""
import contextlib
import json
import math
import os
import pwd
import re
import shutil
import subprocess
import sys
import time
import traceback
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")
RUN = Path("/run/dfrs/n1")
CPUS = 2  # of the node
POINTS = 0.03  # a share of the node may differ by so much from its quota
MOST_LATE = 0.03  # of the time, for shares to mean something
WAIT = 150  # s; the processor is emulated
SERVICES = ("munge", "slurmctld", "slurmd", "dfrsd", "slurmd-n2", "dfrsd-n2")
OUR_PACKAGES = ("dfrs-slurmctld", "dfrsd", "dfrsctl")
NODES = ("n1", "n2")  # partition dfrs has the first alone, partition both has both; they are the same machine
TESTS = []


class Busy(Exception):
    """The host does not give the machine its processors."""


def test(function):
    TESTS.append(function)
    return function


def say(text):
    print(f"{time.monotonic():8.1f}  {text}", flush=True)


def run(*argv, user=None, check=True):
    words = [str(word) for word in argv]
    if user:
        words = ["runuser", "-u", user, "--", *words]
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/tmp", check=False)
    if check and result.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: exit {result.returncode}: {result.stdout.strip()}")
    return result.stdout.strip()


def wait_for(what, look, seconds=WAIT):
    end = time.monotonic() + seconds
    error = None
    while time.monotonic() < end:
        try:
            found = look()
            if found:
                return found
        except (OSError, AssertionError, KeyError, ValueError) as problem:
            error = problem
        time.sleep(0.5)
    raise AssertionError(f"waited {seconds} s for {what}" + (f" ({error})" if error else ""))


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


# ---- jobs

def submit(user, script, memory=100, cpus=CPUS, *options):
    return int(run("sbatch", "--parsable", "--ntasks=1", f"--cpus-per-task={cpus}", f"--mem={memory}", "--output=/tmp/job-%j.out",
                   *options, f"--wrap={script}", user=user))


def burn(user, memory=100, work=100000, hold=0, cpus=CPUS, options=()):
    return submit(user, f"exec burn --work {work} --threads {cpus} --memory {hold} --result /tmp/burn-$SLURM_JOB_ID.json",
                  memory, cpus, *options)


def state(job):
    return re.search(r"JobState=(\S+)", run("scontrol", "show", "job", job)).group(1)


def wait_state(job, *wanted):
    return wait_for(f"job {job} to be {wanted}", lambda: state(job) in wanted)


def end_jobs():
    for partition in ("dfrs", "both", "moves"):
        run("scancel", f"--partition={partition}")
    wait_for("the jobs to be gone", lambda: not run("squeue", "--noheader"))


def node_states():
    return run("sinfo", "--noheader", "--Node", "--partition=both", "--format=%N %T").split("\n")


def wait_idle():
    wait_for("the nodes to be idle", lambda: node_states() == [f"{node} idle" for node in NODES])


def events(job, event):
    lines = Path(f"/tmp/burn-{job}.json").read_text().splitlines()
    return [line for line in map(json.loads, lines) if line["event"] == event]


def of_dfrs(job):
    return {each["job"]: each for each in json.loads(run("dfrsctl", "status", "--json"))["jobs"]}[job]


def kib(pid, name):
    return int(re.search(name + r":\s*(\d+)", Path(f"/proc/{pid}/status").read_text()).group(1))


# ---- control groups

def group(job, node="n1"):
    """Where the kernel has the job on a node: by a process of it, not by a name that is put together."""
    found = Path("/proc")
    for process in found.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "cmdline").read_bytes().startswith(f"slurmstepd: [{job}.".encode()):
                path = (process / "cgroup").read_text().split("::")[1].strip()
                # Before it is in a step, it is in another group of Slurm's.
                if f"/{node}_slurmstepd.scope/" in path and "/step_" in path:
                    return CGROUP / path[1:].split("/step_")[0]
    raise AssertionError(f"job {job} has no slurmstepd on {node}")


def quota(job, node="n1"):
    """In CPUs; infinite until the job's first task has been given one."""
    first, period = (group(job, node) / "cpu.max").read_text().split()
    return math.inf if first == "max" else int(first) / int(period)


def used(folder, what="usage_usec"):
    found = re.search(what + r" (\d+)", (folder / "cpu.stat").read_text())
    return int(found.group(1)) / 1e6 if found else 0.0


def shares(*jobs, seconds=20):
    """The CPUs that jobs use, measured, those that everything else on the node uses, and how late timers are."""
    folders = [CGROUP, *(group(job) for job in jobs)]
    begin, before = time.monotonic(), [used(folder) for folder in folders]
    throttled = [used(folder, "throttled_usec") for folder in folders]
    late = lateness(seconds)
    end, after = time.monotonic(), [used(folder) for folder in folders]
    total, *each = [(b - a) / (end - begin) for a, b in zip(before, after)]
    waited = [(used(folder, "throttled_usec") - a) / (end - begin) for folder, a in zip(folders[1:], throttled[1:])]
    say(f"used {', '.join(f'{share:.3f}' for share in each)} CPUs, by others {total - sum(each):.3f}; "
        f"throttled {', '.join(f'{100 * share:.1f}' for share in waited)} % of the time, timers late {100 * late:.1f} %")
    return each, total - sum(each), late


def lateness(seconds):
    """Waits so long; the part of the time by which timers were late. A busy host takes the emulated processors away, and
    with them the ends of quota periods."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    try:
        begin, late = time.monotonic(), 0.0
        while (now := time.monotonic()) < begin + seconds:
            time.sleep(0.01)
            late += max(0.0, time.monotonic() - now - 0.012)
        return late / seconds
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def expect_quotas(wanted, *jobs):
    wait_for(f"quotas of {wanted:.3f} CPUs", lambda: all(abs(quota(job) - wanted) < 0.01 for job in jobs))
    say(f"quota {wanted:.3f} CPUs")
    time.sleep(2)
    for _ in range(4):
        measured, others, late = shares(*jobs)
        # Quotas may add up to the whole node. Then what daemons need, which is much on an emulated processor, is missing.
        missing = max(0.0, others + len(jobs) * wanted - CPUS) / len(jobs)
        # A job that has used its quota waits for the end of the period, and that timer is late, too.
        least = (wanted - missing) * (1 - late) - POINTS * CPUS
        near = [least <= share <= wanted + POINTS * CPUS for share in measured]
        if late <= MOST_LATE or all(near):
            break
    else:
        raise Busy(f"timers of the machine are late {100 * late:.0f} % of the time: its host is too busy to measure shares")
    for share, is_near in zip(measured, near):
        expect(is_near, f"a job with {wanted:.3f} CPUs used {share:.3f}, and others {others:.3f}")


# ---- tests

@test
def our_packages_are_installed():
    """A text that a test returns is shown behind its name."""
    versions = [run("dpkg-query", "--show", "--showformat=${Package} ${Version} ${db:Status-Status}", name)
                for name in (*OUR_PACKAGES, "slurmctld", "slurmd")]
    expect(all(version.endswith(" installed") for version in versions), f"{versions}")
    # Of the files only those that the tests set: no manual pages and documents are in this machine.
    changed = [line for line in run("dpkg", "--verify", *OUR_PACKAGES, check=False).split("\n")
               if line and not re.search(r" /usr/share/|^\?\?5.* c /etc/default/dfrsd$", line)]
    expect(not changed, f"other files than those of the packages: {changed}")
    return ", ".join(version.rsplit(" ", 1)[0] for version in versions)


@test
def services_are_up_on_cgroup_v2():
    for name in SERVICES:
        wait_for(f"{name}.service", lambda name=name: run("systemctl", "is-active", name, check=False) == "active")
    expect((CGROUP / "cgroup.controllers").exists(), "no cgroup v2")
    wait_idle()
    run("systemctl", "is-active", "dev-vdb.swap")
    wait_for("dfrsctl", lambda: json.loads(run("dfrsctl", "nodes", "--json"))["nodes"][0]["swap_free_mib"] > 800)


@test
def a_task_starts_under_its_quota():
    """Two jobs for the node: the task of the second sees a quota before it does anything else."""
    first = burn("alice")
    wait_state(first, "RUNNING")
    job = submit("bob", 'cat /sys/fs/cgroup/$(sed "s/^0:://; s,/step_.*,," /proc/self/cgroup)/cpu.max; sleep 30')
    text = wait_for("its output", lambda: Path(f"/tmp/job-{job}.out").read_text())
    expect(re.match(r"\d+ \d+\n", text), f"cpu.max at the start of the task: {text}")
    cores = int(text.split()[0]) / int(text.split()[1])
    expect(abs(cores - CPUS / 2) < 0.01, f"{cores} CPUs at the start")
    published = (RUN / "group" / str(job)).read_text().split()
    expect(CGROUP / published[1] == group(job) and int(published[0]) == group(job).stat().st_ino, f"published: {published}")
    end_jobs()
    wait_for("what was published to go", lambda: not list((RUN / "group").iterdir()))


@test
def jobs_of_two_users_share_the_node_and_a_yield_changes():
    one, two = burn("alice"), burn("bob")
    wait_state(one, "RUNNING")
    wait_state(two, "RUNNING")
    for job in (one, two):
        wait_for("ConstrainRAMSpace to hold", lambda job=job: (group(job) / "memory.max").read_text().strip() == str(100 << 20))
        wait_for("ConstrainCores to hold", lambda job=job: (group(job) / "cpuset.cpus").read_text().strip() == "0-1")
    expect_quotas(CPUS / 2, one, two)
    three = burn("alice")
    wait_state(three, "RUNNING")
    expect_quotas(CPUS / 3, one, two, three)
    run("scancel", three)
    expect_quotas(CPUS / 2, one, two)
    run("systemctl", "restart", "dfrsd")
    expect_quotas(CPUS / 2, one, two)
    end_jobs()


@test
def jobs_of_one_cpu_are_not_pinned_to_it():
    """ConstrainCores=yes: two of three jobs that were given one CPU each have been given the same one."""
    three = [burn(user, cpus=1) for user in ("alice", "bob", "alice")]
    for job in three:
        wait_state(job, "RUNNING")
        pid = wait_for("its start", lambda job=job: events(job, "start"))[0]["pid"]
        expect(len(os.sched_getaffinity(pid)) == CPUS, f"job {job} may run on {os.sched_getaffinity(pid)}")
    # Three threads that want all of two processors leave neither time nor choice to the scheduler. Pinned, two of them
    # would have half a CPU each.
    expect_quotas(CPUS / 3, *three)
    run("scancel", three[1])
    expect_quotas(1, three[0], three[2])
    # Slurm narrows the job's set again for each step.
    run("timeout", WAIT, "srun", f"--jobid={three[0]}", "--overlap", "--ntasks=1", "true", user="alice")
    wait_for("the set to be wide again", lambda: (group(three[0]) / "cpuset.cpus.effective").read_text().strip() == "0-1")
    expect_quotas(1, three[0], three[2])
    end_jobs()


@test
def a_step_starts_and_ends_while_its_job_has_little_cpu():
    """The quota of a job holds back its slurmstepd, too. That has a group of its own beside the tasks, which counts as
    much as all of them together."""
    crowd = [burn(user, memory=40) for user in ("alice", "bob") * 4]
    for job in crowd:
        wait_state(job, "RUNNING")
    wait_for("a small quota", lambda: quota(crowd[0]) <= CPUS / 8 + 0.01)
    begin = time.monotonic()
    run("timeout", WAIT, "srun", f"--jobid={crowd[0]}", "--overlap", "--ntasks=1", "true", user="alice")
    say(f"a step of a job with {quota(crowd[0]):.2f} CPUs took {time.monotonic() - begin:.1f} s")
    end_jobs()


@test
def a_pmix_step_over_two_nodes_starts_and_ends_under_a_tenth():
    """PMIx's server is in slurmstepd, which is in its job's group: a job that gets little must not starve it."""
    on = {node: ("--partition=both", f"--nodelist={node}") for node in NODES}
    crowd = [(node, burn(user, memory=40, options=on[node])) for node in NODES for user in ("alice", "bob", "alice") * 3]
    for node, job in crowd:
        wait_state(job, "RUNNING")
        wait_for("a weight for new slurmstepds", lambda node=node, job=job:
                 (group(job, node).parent / "system/cpu.weight").read_text().strip() == "10000")
    job = int(run("sbatch", "--parsable", "--partition=both", "--nodes=2", "--ntasks=2", "--ntasks-per-node=1",
                  f"--cpus-per-task={CPUS}", "--mem=100", "--output=/tmp/job-%j.out",
                  f"--wrap=srun --mpi=pmix --cpus-per-task={CPUS} python3 /usr/local/lib/dfrs-test/pmix.py", user="alice"))
    wait_state(job, "RUNNING")
    begin = time.monotonic()
    for node in NODES:
        wait_for(f"a tenth of {node}", lambda node=node: quota(job, node) <= CPUS / 10 + 0.01)
    largest = 0.0
    while state(job) == "RUNNING" and time.monotonic() - begin < 2 * WAIT:
        with contextlib.suppress(AssertionError, OSError):
            largest = max(largest, *(quota(job, node) for node in NODES))
        time.sleep(2)
    took = time.monotonic() - begin
    wait_state(job, "COMPLETED")
    output = Path(f"/tmp/job-{job}.out").read_text()
    say(f"a PMIx step of a job with at most {largest:.2f} CPUs a node took {took:.1f} s")
    expect(sorted(line.split()[:2] for line in output.splitlines()) == [["0", "n1"], ["1", "n2"]], f"it wrote {output}")
    expect(largest <= CPUS / 10 + 0.01, f"its quota was {largest} CPUs")
    end_jobs()
    wait_idle()


@test
def slurmctld_that_is_killed_goes_on_with_its_jobs():
    before = [str(burn(user)) for user in ("alice", "bob")]
    for job in before:
        wait_state(job, "RUNNING")
    pid = run("systemctl", "show", "--property=MainPID", "--value", "slurmctld")
    run("kill", "-9", pid)
    wait_for("systemd to start it again", lambda: run("systemctl", "show", "--property=MainPID", "--value", "slurmctld") not in ("0", pid))
    wait_for("its answer", lambda: sorted(run("squeue", "--noheader", "--format=%A").split()) == before)
    expect_quotas(CPUS / 2, *(int(job) for job in before))
    third = burn("bob")
    wait_state(third, "RUNNING")
    expect_quotas(CPUS / 3, third, *(int(job) for job in before))
    end_jobs()


@test
def a_paused_job_goes_to_swap_and_comes_back():
    hold = 150
    first = burn("alice", memory=700, work=60, hold=hold)
    pid = wait_for("its start", lambda: events(first, "start"))[0]["pid"]
    wait_for("its memory", lambda: kib(pid, "VmRSS") > hold * 1024)
    wait_for("it to be one that may be paused", lambda: of_dfrs(first)["may_pause"])
    second = burn("bob", memory=700)
    wait_state(second, "RUNNING")
    wait_state(first, "SUSPENDED")
    wait_for("its memory to be in swap", lambda: kib(pid, "VmSwap") > 0.9 * hold * 1024)
    expect(kib(pid, "VmRSS") < 0.2 * hold * 1024, "it is still in memory")
    expect((int((group(first) / "memory.swap.current").read_text()) >> 20) > 0.9 * hold, "Slurm's group does not show it")
    run("scancel", second)
    wait_state(first, "RUNNING")
    wait_state(first, "COMPLETED")
    expect(events(first, "end")[0]["memory_ok"], "its memory is not what it wrote")
    expect(len(events(first, "start")) == 1, "it began again from the start")


@test
def no_swap_is_promised_where_slurm_allows_none():
    """ConstrainSwapSpace with AllowedSwapSpace=0: memory.swap.max is 0."""
    conf = Path("/etc/slurm/cgroup.conf")
    before = conf.read_text()
    conf.write_text(before + "ConstrainSwapSpace=yes\nAllowedSwapSpace=0\n")
    try:
        run("systemctl", "restart", "slurmd")
        wait_idle()
        first = burn("alice", memory=700, work=40, hold=50)
        wait_for("its start", lambda: events(first, "start"))
        expect((group(first) / "memory.swap.max").read_text().strip() == "0", "memory.swap.max is not 0")
        wait_for("time to pass", lambda: of_dfrs(first)["run_virtual_time_s"] > 5)
        time.sleep(6)
        expect(not of_dfrs(first)["may_pause"], "it may be paused")
        second = burn("bob", memory=700, work=1)
        wait_state(first, "COMPLETED")
        wait_state(second, "COMPLETED")
        expect(events(second, "start")[0]["now"] >= events(first, "end")[0]["now"], "it did not wait")
    finally:
        conf.write_text(before)
        run("systemctl", "restart", "slurmd")
        wait_idle()


IMAGES = Path("/var/lib/dfrs-images")
# Writes a number ten times a second: 0 to 399, each once, unless work is lost or done twice. Its memory is as large, and
# changes a little each time.
HELD_MIB = 48
COUNTER = f"""import os, sys, time
piece = os.urandom(1 << 20)
memory = bytearray(piece * {HELD_MIB})
changed = set()
for number in range(400):
    with open(sys.argv[1], "a") as out:
        print(number, file=out)
    place = number * 4999
    memory[place] ^= 255
    changed.add(place)
    time.sleep(0.1)
for place in changed:
    memory[place] ^= 255
assert memory == piece * {HELD_MIB}
print("counted to the end as", os.getuid(), "in process", os.getpid())
"""


def turn_checkpoints_on():
    """By docs/reference/checkpoints.md."""
    images = IMAGES
    images.mkdir(mode=0o700)
    for unit in ("dfrsd", "dfrsd-n2"):
        folder = Path(f"/etc/systemd/system/{unit}.service.d")
        folder.mkdir()
        shutil.copy("/usr/share/dfrs/systemd/dfrsd-checkpoint.conf", folder)
        options = Path("/etc/default") / unit
        options.write_text(options.read_text().replace('OPTIONS="', f'OPTIONS="--checkpoint-folder {images} --checkpoint-pre-dump 32 '))
    run("systemctl", "daemon-reload")
    run("systemctl", "restart", "dfrsd", "dfrsd-n2")
    with open("/etc/slurm/dfrs.conf", "a", encoding="ascii") as conf:
        conf.write(f"PartitionName=moves PauseBy=checkpoint\nCheckpointFolder={images}\nMinProgress=1\n")
    run("dfrs-check-config", "--quiet", "/etc/slurm/dfrs.conf")
    run("scontrol", "reconfigure")
    wait_idle()


def pages_mib(folder):
    return sum(file.stat().st_size for file in folder.glob("pages-*.img")) / (1 << 20)


def expect_pre_dump(job):
    """Of the last run's image most memory is from before the program stopped."""
    found = [folder for folder in (IMAGES / f"job-{job}").glob("*/*/*/parent")]
    expect(len(found) == 1, f"folders with pre-dumps: {found}")
    before, after = pages_mib(found[0]), pages_mib(found[0].parent)
    expect(before >= HELD_MIB, f"only {before} MiB were written before it stopped")
    expect(after < before / 2, f"{after} MiB were written after it had stopped, {before} MiB before")
    return f"{before:.0f} MiB before it stopped, {after:.0f} MiB after"


@test
def jobs_of_a_user_are_checkpointed_and_one_moves():
    """Processes of another user than root, in groups of cgroup v2, and dfrsd as a service."""
    turn_checkpoints_on()
    Path("/tmp/counter.py").write_text(COUNTER)

    def numbers(job):
        path = Path(f"/tmp/{job}.numbers")
        return [int(word) for word in path.read_text().split()] if path.exists() else []

    def node(job):
        return re.search(r"\bNodeList=(\S+)", run("scontrol", "show", "job", job)).group(1)

    first = [submit("alice", "exec dfrs-run python3 /tmp/counter.py /tmp/$SLURM_JOB_ID.numbers", 900, CPUS,
                    "--partition=moves", "--comment=dfrs:criu") for _ in NODES]
    for job in first:
        wait_for("it to count", lambda job=job: len(numbers(job)) > 5)
        wait_for("the dry check", lambda job=job: of_dfrs(job)["checkpoint"]["possible"])
    new = burn("bob", memory=900, work=1, options=("--partition=moves",))
    paused = wait_for("one to be requeued", lambda: [job for job in first if state(job) == "PENDING"])
    expect(len(paused) == 1, f"requeued: {paused}")
    stands = len(numbers(paused[0]))
    shown = expect_pre_dump(paused[0])
    wait_state(new, "RUNNING", "COMPLETED")
    left = node(new)
    run("scontrol", "update", f"nodename={left}", "state=drain", "reason=maintenance")
    for job in (new, *first):
        wait_state(job, "COMPLETED")
        if job in first:
            expect(numbers(job) == list(range(400)), f"job {job} counted {numbers(job)}")
            output = Path(f"/tmp/job-{job}.out").read_text()
            expect(f"counted to the end as {pwd.getpwnam('alice').pw_uid} in process 2\n" in output, output)
    expect(stands < 400, "it had counted to the end before it was paused")
    expect(node(paused[0]) != left, f"it continued on {left}")
    expect("Restarts=1 " in run("scontrol", "show", "job", paused[0]), "it was not requeued once")
    run("scontrol", "update", f"nodename={left}", "state=resume")
    end_jobs()
    return shown


def show_logs():
    for name in SERVICES:
        print(f"---- {name}\n{run('journalctl', '--no-pager', '--lines=15', '--unit', name, check=False)}")
    for name in ("slurmctld", "slurmd.n1", "slurmd.n2"):
        print(f"---- {name}.log\n{run('tail', '-n', '40', f'/var/log/slurm/{name}.log', check=False)}")


def main():
    failed = False
    print(flush=True)  # the console begins with control characters
    for function in TESTS:
        if len(sys.argv) > 1 and function.__name__ not in sys.argv[1:]:
            continue
        name, begin = function.__name__.replace("_", " "), time.monotonic()
        try:
            shown = function()
            print(f"PASS\t{name}" + (f": {shown}" if shown else ""), flush=True)
        except Busy as reason:
            print(f"SKIP\t{name}: {reason}", flush=True)
            with contextlib.suppress(AssertionError):
                end_jobs()
        except Exception:  # pylint: disable=broad-except
            failed = True
            traceback.print_exc()
            print(f"FAIL\t{name}", flush=True)
            show_logs()
            with contextlib.suppress(AssertionError):
                end_jobs()
        say(f"{name}: {time.monotonic() - begin:.0f} s")
    print("END", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
