# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults in the middle of a load: no job is lost or fails, and everything works afterwards."""
import json
import os
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import cgroups, load, ports, processes, quotas, slurm, wire
from .burst import Burst
from .case import LiveTest
from .errors import ClusterError
from .options import Options
from .waiting import wait_for

SECONDS = 65  # or two minutes more, if an order of slurmctld is lost with a slurmd
JOBS = 40


class FaultTest(LiveTest):
    # The algorithm of the paper that is best, its times scaled from minutes to seconds.
    options = Options(nodes=8, cpus=4, memory=1000, cores=0.25, algorithm="GreedyPM*/per/OPT=MIN/MINVT=3",
                      settings={"Period": "3", "MinProgress": "0.3", "CommentInterval": "1", "Partitions": "dfrs,steady"},
                      partition_settings=["PartitionName=steady PauseBy=none"],
                      slurm_lines=["PartitionName=steady Nodes=ALL MaxTime=INFINITE State=UP OverSubscribe=FORCE:1"],
                      slurm={"MessageTimeout": "10"}, credential_seconds=8)

    def tearDown(self):
        # So that the next test finds every daemon running.
        cluster = self.cluster
        for name in cluster.daemons():
            process = cluster.process(name)
            if process:
                processes.send(process, signal.SIGCONT)
        try:
            cluster.start_slurmctld()
            super().tearDown()
            for node in [node for node, state in cluster.node_states().items() if state.startswith("drain")]:
                cluster.command("scontrol", "update", f"NodeName={node}", "State=RESUME", check=False)
        finally:
            cluster.up()

    def agent(self, node):
        """The controller's view of a node's agent."""
        return self.dfrs_nodes()[node]["agent"]

    def wait_agent(self, node, current=True, seconds=15.0):
        """Waits until the controller says that this node's agent has the newest quotas; or has not, and why."""
        last = {}

        def reached():
            last.clear()
            last.update(self.agent(node))
            return last["current"] and last["reachable"] if current else not last["current"] and last["error"]
        try:
            wait_for("", reached, seconds, interval=0.1)
        except ClusterError:
            self.fail(f"{node}'s agent is not {'current' if current else 'known to be out of date'} after "
                      f"{seconds:g} s: {last}")
        return dict(last)

    def wait_quotas(self, seconds=10.0):
        """Waits for an instant at which every running job's groups have the quota of its yield."""
        last = [None]

        def right():
            last[0] = quotas.wrong(self.cluster)
            return last[0] == {}
        try:
            wait_for("", right, seconds, interval=0.05)
        except ClusterError:
            self.fail(f"quotas are not those of the yields after {seconds:g} s: {last[0]}")

    def spinning(self, node, count=1, cpus=4):
        """Jobs without end on a node, running; nothing moves them from there."""
        numbers = [self.sbatch_burn(1000, "--partition=steady", f"--nodelist={node}", cpus=cpus, memory=40)
                   for _ in range(count)]
        for number in numbers:
            self.wait_event(number)
        return numbers

    def strike(self, burst, *faults, seconds=90):
        """Causes each fault in the middle of the load, one after the other, and then checks the load, which ends within so
        many seconds. `burst` has at least one wave more than there are faults."""
        for fault in faults:
            with self.subTest(fault.__name__):
                burst.wait_middle()
                fault(burst)
        burst.check(seconds=seconds)

    def log_of(self, name, since=0):
        return self.cluster.log(name).read_text(encoding="utf-8", errors="replace")[since:]

    def log_size(self, name):
        return len(self.cluster.log(name).read_text(encoding="utf-8", errors="replace"))


class Slurmctld(FaultTest):
    def test_slurmctld_ends_is_reconfigured_and_finds_a_damaged_file(self):
        if slurm.version()[:2] == (25, 5):
            self.skipTest("Slurm 25.05 itself ends with a null pointer, and does not save, when it is stopped while jobs end "
                          "(docs/compatibility.md)")
        self.strike(Burst(self, JOBS, 101, steps="old", step_work=1.5, waves=4),
                    self.slurmctld_ends, self.reconfigure, self.state_file_is_truncated)
        self.assertEqual(len(self.state_files()), 1)  # a new one

    def slurmctld_ends(self, _):
        [endless] = self.spinning(self.cluster.nodes[0], cpus=1)  # the burst's jobs may end before slurmctld does
        before = self.dfrs_jobs()
        self.assertIn(endless, before)
        self.cluster.stop("slurmctld")
        running = len(cgroups.groups_of_jobs(self.cluster.cgroup_tree))
        self.assertGreater(running, 0, "jobs went on without slurmctld")
        self.cluster.start_slurmctld()
        after = self.dfrs_jobs()
        self.assertIn(endless, after)
        self.cluster.command("scancel", endless)
        for job in set(before) & set(after):
            self.assertGreaterEqual(after[job]["virtual_time_s"], before[job]["virtual_time_s"] * 0.999, (before, after))

    def test_slurmctld_is_killed(self):
        """During starts, ends and submissions, one of them while it is down. No job is lost or fails. Jobs whose end was
        not saved yet run again."""
        burst = Burst(self, JOBS, 102, steps="old", scale=2.0, step_work=2.5)
        self.wait_saved()  # so that the next slurmctld knows all submitted jobs
        wait_for("jobs to run", lambda: burst.count("RUNNING") > 1, 30)
        self.cluster.stop("slurmctld", signal.SIGKILL)
        with ThreadPoolExecutor(max_workers=1) as pool:  # a submission in between waits for slurmctld to be back
            kind = load.Kind(0.05, 1, 2, 100, False, 0)
            submitted = pool.submit(self.until_it_works, lambda: burst.add(kind))
            time.sleep(0.3)
            self.cluster.start_slurmctld()
            submitted.result(timeout=60)
        self.until_it_works(burst.release_rest)
        burst.check(twice=True)
        self.assertFalse([state for state in self.cluster.node_states().values() if "drain" in state])

    @staticmethod
    def until_it_works(submit, seconds=30):
        """As a user would: sbatch waits for a slurmctld that is down, and fails if that is just starting."""
        end = time.monotonic() + seconds
        while True:
            try:
                return submit()
            except ClusterError:
                if time.monotonic() > end:
                    raise

    def wait_saved(self):
        """Waits until slurmctld has written all jobs as they are now."""
        now, state = time.time(), self.cluster.folder / "state/job_state"
        wait_for("slurmctld to save its jobs", lambda: state.exists() and state.stat().st_mtime > now, 15)

    def reconfigure(self, _):
        before = self.log_size("slurmctld")
        self.cluster.command("scontrol", "reconfigure")
        wait_for("dfrs.conf to be read again", lambda: "configuration read again" in self.log_of("slurmctld", before), 10)
        self.cluster.command("scontrol", "reconfigure")

    def state_file_is_truncated(self, _):
        self.cluster.stop("slurmctld")
        files = self.state_files()
        self.assertEqual(len(files), 1, files)
        damaged = files[0].read_bytes()[:files[0].stat().st_size // 2]
        files[0].write_bytes(damaged)
        before = self.log_size("slurmctld")
        self.cluster.start_slurmctld()
        log = self.log_of("slurmctld", before)
        message = [line for line in log.splitlines() if files[0].name in line]
        self.assertTrue(message, f"slurmctld's log does not name {files[0].name}:\n{log}")
        aside = [path for path in self.cluster.folder.glob("state/*") if path.is_file() and path.read_bytes() == damaged]
        self.assertEqual(len(aside), 1, f"{message}; {sorted((self.cluster.folder / 'state').iterdir())}")
        self.assertNotEqual(aside[0], files[0])
        self.assertTrue(any(aside[0].name in line for line in message), message)
        aside[0].unlink()

    def state_files(self):
        return [path for path in sorted(self.cluster.folder.glob("state/dfrs_state*")) if not path.suffix]


class WrongFile(FaultTest):
    def test_reconfigure_with_a_wrong_file_keeps_the_former_configuration(self):
        path = self.cluster.folder / "etc/dfrs.conf"
        good = path.read_text(encoding="utf-8")

        def restore():
            path.write_text(good, encoding="utf-8")
            before = self.log_size("slurmctld")
            self.cluster.command("scontrol", "reconfigure")
            # From 23.11 on Slurm loses a SIGTERM that comes before that.
            wait_for("dfrs.conf to be read again", lambda: "configuration read again" in self.log_of("slurmctld", before), 10)
        self.addCleanup(restore)
        before = self.log_size("slurmctld")
        path.write_text(good + "Perod=5\n", encoding="utf-8")
        self.cluster.command("scontrol", "reconfigure")
        wait_for("the mistake to be in slurmctld's log", lambda: "Perod" in self.log_of("slurmctld", before), 10)
        self.assertIn("stays in force", self.log_of("slurmctld", before))
        job = self.sbatch_burn(0.02)
        self.assert_completed(self.wait_ended([job]))
        self.assertRegex(self.cluster.command("dfrsctl", "status").stdout,
                         r"dfrs.conf is not in force: .*Perod.* the last good configuration, of 2\S+, stays in force")
        # A file that is still wrong the next time, and then mended.
        self.cluster.command("scontrol", "reconfigure")
        self.assertIsNotNone(self.dfrsctl("status")["config_error"])
        path.write_text(good, encoding="utf-8")
        self.cluster.command("scontrol", "reconfigure")
        wait_for("the mended file to be in force", lambda: self.dfrsctl("status")["config_error"] is None, 10)

    def test_start_with_a_wrong_file_is_refused(self):
        path = self.cluster.folder / "etc/dfrs.conf"
        good = path.read_text(encoding="utf-8")
        self.cluster.stop("slurmctld")
        path.write_text(good + "Perod=5\n", encoding="utf-8")
        try:
            with self.assertRaisesRegex(ClusterError, "Perod"):
                self.cluster.start_slurmctld()
        finally:
            path.write_text(good, encoding="utf-8")


class NodeDaemons(FaultTest):
    def test_agents_are_killed_are_silent_and_have_a_wrong_clock(self):
        self.strike(Burst(self, JOBS, 201, waves=5),
                    self.agents_are_killed, self.agent_does_not_answer, self.clocks_of_nodes_are_wrong)
        for number, node in enumerate(self.off):
            self.cluster.stop(f"dfrsd.{node}")
            self.cluster.stop(f"munged.{number}")
            self.cluster.start_agent(node)

    def agents_are_killed(self, _):
        for node in self.cluster.nodes:
            self.cluster.stop(f"dfrsd.{node}", signal.SIGKILL)
        time.sleep(0.3)  # how long the fault lasts, as below
        for node in self.cluster.nodes:
            self.cluster.start_agent(node)
        for node in self.cluster.nodes:
            self.wait_agent(node)
        if self.dfrs_jobs():
            self.wait_quotas()

    def test_agent_that_was_restarted_has_all_quotas_again(self):
        node = self.cluster.nodes[2]
        jobs_there = self.spinning(node, 2)
        self.wait_quotas()
        self.cluster.stop(f"dfrsd.{node}", signal.SIGKILL)
        third = self.spinning(node)
        self.assertTrue(self.dfrs_jobs()[third[0]]["quota_pending"])
        self.cluster.start_agent(node)
        self.wait_agent(node)
        self.wait_quotas()
        self.assertEqual({f"job_{job}" for job in jobs_there + third}, set(cgroups.quotas(self.cluster.cgroup_tree, node)))

    def test_slurmds_are_killed_and_munged_is_restarted(self):
        # A slurmd that dies with slurmctld's order to end a job, before it has answered, is asked again when slurmctld looks
        # over all its jobs, once a minute and only some time after the job's end; until then the job keeps its node's memory.
        self.strike(Burst(self, JOBS, 202, steps="old", waves=3), self.slurmds_are_killed, self.munged_is_restarted,
                    seconds=200)

    def munged_is_restarted(self, _):
        self.cluster.stop("munged")
        self.cluster.start_munged()

    def slurmds_are_killed(self, burst):
        victims = self.cluster.nodes[:3]
        for node in victims:
            self.cluster.stop(f"slurmd.{node}", signal.SIGKILL)
        time.sleep(1.0)
        for node in victims:
            self.cluster.start_slurmd(node)
        self.cluster.wait_nodes()
        self.find_lost_launches(burst)

    def find_lost_launches(self, burst):
        """A slurmd says yes to a launch before it begins it, and may be killed in between. slurmctld then takes the job for
        running until the node registers, BatchStartTimeout + MessageTimeout after the start or later."""
        def silent():
            return [job for job, fields in burst.states().items() if fields["JobState"] == "RUNNING"
                    and int(fields["Restarts"]) not in (line["restarts"] for line in self.results(job, "start"))]
        lost = set(silent())
        time.sleep(2)
        if lost & set(silent()):
            time.sleep(20)
            self.cluster.command("scontrol", "reconfigure")

    def agent_does_not_answer(self, burst):
        """Its node's jobs go on; their quotas are pending, which dfrsctl says, and applied when it answers again."""
        node = self.cluster.nodes[0]
        agent = self.cluster.process(f"dfrsd.{node}")
        processes.send(agent, signal.SIGSTOP)
        one, two = self.spinning(node, 2)
        seen = self.wait_agent(node, current=False)
        self.assertFalse(seen["reachable"], seen)
        shown = self.dfrs_jobs()
        self.assertTrue(shown[two]["quota_pending"], shown[two])
        for other in self.cluster.nodes[1:]:
            self.wait_agent(other)
        table = self.cluster.command("dfrsctl", "nodes").stdout
        line = next(line for line in table.splitlines() if node in line.split())
        self.assertRegex(line, r"(?i)pending|unreachable|not reachable|silent|down|behind|late|!", table)
        completed = burst.count("COMPLETED")
        burst.release_next()  # those of before may all have ended by now
        wait_for("the other jobs to go on", lambda: burst.count("COMPLETED") > completed, 60)
        processes.send(agent, signal.SIGCONT)
        self.wait_agent(node)
        wait_for("no quota to be pending", lambda: not any(job["quota_pending"] for job in self.dfrs_jobs().values()), 10)
        self.wait_quotas()
        self.cluster.command("scancel", one, two)

    def test_no_agent_runs(self):
        """Refused connections, as when its port is blocked: jobs start all the same."""
        node = self.cluster.nodes[1]
        self.cluster.stop(f"dfrsd.{node}")
        (job,) = self.spinning(node)
        seen = self.wait_agent(node, current=False)
        self.assertFalse(seen["reachable"], seen)
        self.assertIn(str(self.cluster.node_port(node, agent=True)), seen["error"])
        self.cluster.start_agent(node)
        self.wait_agent(node)
        self.wait_quotas()
        self.assertEqual(set(cgroups.quotas(self.cluster.cgroup_tree, node)), {f"job_{job}"})

    off = {}

    def clocks_of_nodes_are_wrong(self, _):
        """By 10 s, ahead and behind; the whole node has that clock: its munged and its agent."""
        library = next(iter(sorted(Path("/").glob("usr/lib*/**/faketime/libfaketimeMT.so.1"))), None)
        if library is None:
            self.skipTest("libfaketime is not installed")
        self.off = off = {self.cluster.nodes[0]: "+10s", self.cluster.nodes[1]: "-10s"}
        for number, (node, offset) in enumerate(off.items()):
            clock = ["env", f"LD_PRELOAD={library}", f"FAKETIME={offset}"]  # the daemon itself, no process above it
            socket = self.munged_of_a_node(f"munged.{number}", clock)
            self.assertAlmostEqual(self.clock_of(socket) - time.time(), float(offset[:-1]), delta=3)
            self.cluster.stop(f"dfrsd.{node}")
            self.cluster.start_agent(node, wrapper=clock, key_socket=socket)
        for node in off:
            self.wait_agent(node)
        extra = [job for node in off for job in self.spinning(node, 2)]
        for node in off:
            self.wait_agent(node)
        self.wait_quotas()
        self.cluster.command("scancel", *extra)

    def munged_of_a_node(self, name, wrapper):
        """One more munged, with the cluster's key."""
        folder = self.cluster.folder / name
        folder.mkdir(exist_ok=True)
        shutil.copy2(self.cluster.folder / "munge/key", folder / "key")
        return self.cluster.start_munged(name, name, wrapper)

    def clock_of(self, munge_socket):
        """The time by which this munged marks credentials."""
        credential = self.cluster.command("munge", "-n", "-S", munge_socket).stdout
        shown = self.cluster.command("unmunge", "-S", munge_socket, text_input=credential, check=False).stdout
        line = next(line for line in shown.splitlines() if line.startswith("ENCODE_TIME:"))
        return float(line.partition("(")[2].partition(")")[0])


class Intruders(FaultTest):
    def test_wrong_keys_other_users_and_replays(self):
        self.strike(Burst(self, JOBS, 301, waves=4), self.agent_with_another_key, self.requests_of_other_users_are_refused,
                    self.replayed_requests_are_refused_and_change_nothing)

    def agent_with_another_key(self, _):
        """Neither believes the other; jobs go on, and dfrsctl says what is wrong."""
        node = self.cluster.nodes[0]
        socket = self.cluster.start_munged("munged.other", "munge.other")
        self.cluster.stop(f"dfrsd.{node}")
        self.cluster.start_agent(node, key_socket=socket)
        (job,) = self.spinning(node)
        seen = self.wait_agent(node, current=False)
        self.assertRegex(seen["error"], r"(?i)key")
        self.assertTrue(self.dfrs_jobs()[job]["quota_pending"])
        self.cluster.stop(f"dfrsd.{node}")
        self.cluster.start_agent(node)
        self.wait_agent(node)
        self.wait_quotas()
        self.cluster.command("scancel", job)
        self.cluster.stop("munged.other")

    def replayed_requests_are_refused_and_change_nothing(self, burst):
        node = self.cluster.nodes[0]
        official, hidden = self.cluster.node_port(node, agent=True), ports.block(1, str(self.folder))
        self.cluster.stop(f"dfrsd.{node}")
        self.cluster.start_agent(node, port=hidden)
        with wire.RecordingProxy(official, hidden) as proxy:
            self.wait_agent(node)
            first = self.spinning(node)
            self.wait_quotas()
            wait_for("a request about the first job",
                     lambda: [request for request in proxy.requests() if job_in(request, first[0])], 10)
            second = self.spinning(node)
            wait_for("a request about both jobs",
                     lambda: [request for request in proxy.requests() if job_in(request, second[0])], 10)
            burst.wait_ended()
            self.wait_agent(node)
            self.wait_quotas()
            captured = proxy.requests()
            before = cgroups.quotas(self.cluster.cgroup_tree, node)
            self.assertEqual(set(before), {f"job_{job}" for job in first + second})
            # A credential began a session, to which the others belong.
            old = [request for request in captured if wire.header(request, wire.CREDENTIAL)][-1]
            self.assertFalse(job_in(old, second[0]))
            newest = wire.header(captured[-1], wire.SESSION)
            self.assertTrue(newest, captured[-1])
            session = [request for request in captured if wire.header(request, wire.SESSION).split()[:1] == newest.split()[:1]]
            for request in (captured[-1], session[0], old):
                status, answer = wire.exchange(hidden, request)
                self.assertEqual((status, answer.get("reason")), (401, "replayed"), answer)
            # A munged that was restarted has forgotten what it has seen: then the order of states tells.
            self.cluster.stop("munged")
            self.cluster.start_munged()
            status, answer = wire.exchange(hidden, old)
            self.assertEqual(status, 409, answer)
            status, answer = wire.exchange(hidden, captured[-1])
            self.assertEqual((status, answer.get("reason")), (401, "replayed"), answer)
            # The same credential with another body.
            head, mark, body = old.partition(b"\r\n\r\n")
            state = json.loads(body)
            changed = json.dumps({**state, "sequence": state.get("sequence", 0) + 1000, "jobs": []}).encode()
            head = b"\r\n".join(b"Content-Length: %d" % len(changed) if line.lower().startswith(b"content-length:") else line
                                for line in head.split(b"\r\n"))
            self.cluster.stop("munged")
            self.cluster.start_munged()
            status, answer = wire.exchange(hidden, head + mark + changed)
            self.assertEqual((status, answer.get("reason")), (401, "other_message"), answer)
            self.assertEqual(cgroups.quotas(self.cluster.cgroup_tree, node), before)
            self.wait_agent(node)
            self.cluster.command("scancel", *first, *second)
            burst.check()  # while its agent can be reached
            # And has heard that no job is left: until then it makes a group again that the job's end has removed. An agent is
            # current, too, before the controller has a new state for it.
            wait_for("dfrs to see that no job is left", lambda: not self.dfrs_jobs(), 10)
            wait_for("the agent to hear of it", lambda: not jobs_in(proxy.requests()), 10)
            self.wait_agent(node)
        self.cluster.stop(f"dfrsd.{node}")

    def requests_of_other_users_are_refused(self, _):
        node = self.cluster.nodes[3]
        (job,) = self.spinning(node)
        port = self.cluster.node_port(node, agent=True)
        state = {"version": 1, "node": node, "epoch": 2**52, "sequence": 1, "jobs": []}
        body = json.dumps(state).encode()
        for request, words in (
                (wire.signed(self.cluster, "POST", "/v1/desired", node, body, user="nobody"), "unauthorised"),
                (wire.signed(self.cluster, "GET", "/v1/report", node, user="nobody"), "unauthorised"),
                (wire.signed(self.cluster, "POST", "/v1/desired", self.cluster.nodes[4], body), "other_message"),
                (body_without_credential(body), "no_credential")):
            status, answer = wire.exchange(port, request)
            self.assertIn(status, (401, 403), answer)
            self.assertEqual(answer.get("reason"), words, answer)
        # What makes the difference is the user: SlurmUser may ask.
        status, answer = wire.exchange(port, wire.signed(self.cluster, "GET", "/v1/report", node,
                                                         user=self.cluster.slurm_user))
        self.assertEqual((status, answer.get("node")), (200, node), answer)
        self.assertIn(f"job_{job}", cgroups.quotas(self.cluster.cgroup_tree, node))
        refused = self.cluster.command("dfrsctl", "record", "on", "/tmp/never", user="nobody", check=False)
        self.assertNotEqual(refused.returncode, 0, refused)
        self.assertFalse(os.path.exists("/tmp/never"))
        self.cluster.command("scancel", job)


def jobs_in(requests):
    """The jobs of the newest state that was sent."""
    states = [body for body in map(wire.body_of, requests) if "sequence" in body]
    return max(states, key=lambda state: (state["epoch"], state["sequence"]))["jobs"]


def job_in(request, job):
    return any(item["job_id"] == job for item in wire.body_of(request).get("jobs", []))


def body_without_credential(body):
    return (f"POST /v1/desired HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n").encode() + body
