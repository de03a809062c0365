# SPDX-License-Identifier: GPL-2.0-or-later
"""What the actions of a plan do. A fault returns what mends it, which the player calls when the fault has lasted."""
import json
import os
import signal
import threading
import time

from live import processes, wire
from live.backup import Backup, impossible
from live.errors import ClusterError
from live.waiting import wait_for

NODE_BACK = 60.0  # s until a node that was started again is up
TAKEOVER = 60.0   # s until a controller is in charge


class Faults:
    def __init__(self, world):
        self.world, self.cluster = world, world.cluster
        self.broken = []  # what a fault itself found wrong
        self.backup = Backup(self.cluster)

    def begin(self, action):
        """The function that ends the fault, or None."""
        arguments = {name: value for name, value in action.arguments.items() if name != "seconds"}
        return getattr(self, action.kind)(**arguments)

    # ---- slurmctld ----

    def slurmctld_term(self):
        self.cluster.stop("slurmctld", seconds=60)
        return self.cluster.start_slurmctld

    def slurmctld_kill(self, wait_saved):
        state = self.world.folder / "state/job_state"
        if wait_saved:
            self._wait_saved(state)
        saved = state.stat().st_mtime if state.exists() else 0.0
        begun = time.time()
        self.cluster.stop("slurmctld", signal.SIGKILL)

        def again():
            self.cluster.start_slurmctld()
            self.world.event("slurmctld_killed", begun, saved=saved)
        return again

    def takeover(self):
        """The primary is killed and a backup takes over; then the primary is back, and the backup gives control back."""
        why = impossible()
        if why:
            self.world.say(f"no takeover: {why}")
            return None
        self.backup.start()
        standby = self.backup.times_on_standby()
        state = self.world.folder / "state/job_state"
        saved = state.stat().st_mtime if state.exists() else 0.0
        begun = time.time()
        self.cluster.stop("slurmctld", signal.SIGKILL)
        self.world.ask("scontrol", "takeover")
        wait_for("the backup to answer", self._answered, TAKEOVER, interval=0.5)
        self.world.event("slurmctld_killed", begun, saved=saved)

        def back():
            self.cluster.start_slurmctld()
            self.backup.wait_standby(standby + 1, TAKEOVER)
            wait_for("the primary to answer", self._answered, TAKEOVER, interval=0.5)
            self.backup.stop()
        return back

    def _answered(self):
        return self.world.ask("sinfo", "-h")[0]

    def clock_step(self, daemon, by):
        """The clock of slurmctld, or of one node's agent, jumps; later it jumps back."""
        if daemon == "slurmctld" and self.world.sanitized:
            return None  # it keeps its clock
        begun = time.time()
        self.world.clocks.set(daemon, by)

        def back():
            self.world.clocks.set(daemon, 0)
            if daemon == "slurmctld":  # an agent's clock excuses nothing
                self.world.event("clock_step", begun, back=max(0, by))
        return back

    @staticmethod
    def _wait_saved(state):
        """Waits until slurmctld has written all jobs as they are now. It writes within 5 s, if there is anything new."""
        begun = time.time()
        try:
            wait_for("slurmctld to save its jobs", lambda: state.exists() and state.stat().st_mtime > begun, 8)
        except ClusterError:
            pass

    def reconfigure(self):
        self.world.insist("scontrol", "reconfigure")

    # ---- daemons of nodes, munged ----

    def slurmd_kill(self, node, number=signal.SIGKILL):
        self.cluster.stop(f"slurmd.{node}", number)
        return lambda: self.cluster.start_slurmd(node)

    def slurmd_term(self, node):
        return self.slurmd_kill(node, signal.SIGTERM)

    def agent_kill(self, node):
        self.cluster.stop(f"dfrsd.{node}", signal.SIGKILL)
        return lambda: self._start_agent(node)

    def _start_agent(self, node):
        if self.cluster.has_agents:
            self.cluster.start_agent(node)

    def agent_deaf(self, node):
        return self.freeze(f"dfrsd.{node}")

    def freeze(self, daemon):
        process = self.cluster.process(daemon)
        processes.send(process, signal.SIGSTOP)
        return lambda: processes.send(process, signal.SIGCONT)

    def munged_restart(self):
        self.cluster.stop("munged")
        return self.cluster.start_munged

    def node_lost(self, node):
        """Everything on the node ends at once, and it stays away until slurmctld has given it up."""
        begun = time.time()
        for daemon in (f"slurmd.{node}", f"dfrsd.{node}"):
            self.cluster.stop(daemon, signal.SIGKILL)
        for _ in range(3):  # a step may have been about to begin
            found = self.processes_of(node)
            for number in (signal.SIGSTOP, signal.SIGKILL):  # at once: no slurmstepd sees its tasks end and tells of it
                for process in found:
                    processes.send(process, number)
            time.sleep(0.05)

        def back():
            self._start_agent(node)
            self.cluster.start_slurmd(node)
            self.world.event("node_lost", begun, node=node)
            self.wait_up(node)
        return back

    def processes_of(self, node):
        """slurmstepds of a node, and then what they have started."""
        steps, others = [], []
        for process in processes.marked(self.world.folder):
            words = processes.command_line(process.pid)
            if words and words[0].startswith("slurmstepd"):
                # Its title has taken the place of its environment; its log is that of its slurmd.
                if str(self.cluster.log(f"slurmd.{node}")) in _open_files(process.pid):
                    steps.append(process)
            elif processes.environment_of(process.pid).get("SLURMD_NODENAME") == node:
                others.append(process)
        return steps + others

    def wait_up(self, node):
        def up():
            state = self.cluster.node_states().get(node, "")
            return state.rstrip("*~#$@") in ("idle", "mixed", "allocated", "completing", "reserved")
        wait_for(f"{node} to be up", up, NODE_BACK, interval=0.5)

    # ---- administrators ----

    def drain(self, node):
        self.world.insist("scontrol", "update", f"NodeName={node}", "State=DRAIN", "Reason=soak")
        return lambda: self.undrain(node)

    def undrain(self, node):
        """A slurmctld that was killed may have forgotten the drain."""
        end = time.monotonic() + NODE_BACK
        while "drain" in self.cluster.node_states().get(node, "drain"):
            self.world.ask("scontrol", "update", f"NodeName={node}", "State=RESUME")
            if time.monotonic() > end:
                raise ClusterError(f"{node} stays drained")
            time.sleep(0.3)

    def partition_down(self):
        self.world.insist("scontrol", "update", "PartitionName=dfrs", "State=DOWN")
        return lambda: self.world.insist("scontrol", "update", "PartitionName=dfrs", "State=UP")

    def reservation(self, node):
        self.world.ask("scontrol", "create", "reservation", "ReservationName=soak", "StartTime=now", "Duration=10",
                       "Users=nobody", f"Nodes={node}", "Flags=IGNORE_JOBS")
        return lambda: self.world.ask("scontrol", "delete", "ReservationName=soak")

    # ---- disks ----

    def state_full(self):
        return self.fill("state")

    def record_full(self):
        return self.fill("record")

    def fill(self, name):
        filler = self.world.disks[name] / "filler"
        file = os.open(filler, os.O_WRONLY | os.O_CREAT)
        try:
            while True:
                os.write(file, bytes(1 << 16))
        except OSError:
            os.close(file)
        return lambda: filler.unlink(missing_ok=True)

    # ---- people of bad will ----

    def forged(self, node):
        """Requests to a node's agent and to the control port by those who may not; each must be refused."""
        port = self.cluster.node_port(node, agent=True)
        state = json.dumps({"version": 1, "node": node, "epoch": 2**52, "sequence": 1, "jobs": []}).encode()
        bare = (f"POST /v1/desired HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(state)}\r\nConnection: close\r\n\r\n").encode() + state
        other = wire.signed(self.cluster, "POST", "/v1/desired", node, state, user="nobody")
        elsewhere = wire.signed(self.cluster, "POST", "/v1/desired", "elsewhere", state)
        session = bare.replace(b"Host:", f"{wire.SESSION}: {'0' * 32} 1 {'0' * 64} {'0' * 64}\r\nHost:".encode(), 1)
        for what, request in (("of another user", other), ("for another node", elsewhere), ("without a credential", bare),
                              ("of a session that never was", session)):
            self._refused(port, what, request)
        report = wire.signed(self.cluster, "GET", "/v1/report", node, user=self.cluster.slurm_user)
        status, answer = wire.exchange(port, report)
        if status != 200:
            self.broken.append(f"the agent of {node} refused SlurmUser: {status} {answer}")
        self._refused(port, "that was seen before", report)
        self._refused(self.cluster.ports["control"], "without a credential to the control port", bare)
        worked, _ = self.world.ask("dfrsctl", "record", "off", user="nobody")
        if worked:
            self.broken.append("nobody was allowed to end the record")

    def _refused(self, port, what, request):
        try:
            status, answer = wire.exchange(port, request)
        except (OSError, IndexError, ValueError):
            return  # the connection was closed without an answer
        if status < 400:
            self.broken.append(f"a request {what} was answered {status}: {answer}")

    def flood(self):
        """A user who asks without end."""
        end = threading.Event()

        def ask():
            while not end.is_set():
                self.world.ask("dfrsctl", "status", user="nobody")
        threads = [threading.Thread(target=ask, daemon=True) for _ in range(3)]
        for thread in threads:
            thread.start()

        def stop():
            end.set()
            for thread in threads:
                thread.join()
        return stop

    # ---- after a fault, and at the end ----

    def mend_all(self):
        """Whatever was in force, so that every job can end."""
        for name in self.cluster.daemons():
            process = self.cluster.process(name)
            if process:
                processes.send(process, signal.SIGCONT)
        for name in self.world.disks.values():
            (name / "filler").unlink(missing_ok=True)
        self.cluster.start_munged()
        self.cluster.start_slurmctld()
        self.backup.stop()
        if self.world.clocks:
            for name in ("slurmctld", *(f"dfrsd.{node}" for node in self.cluster.nodes)):
                self.world.clocks.set(name, 0)
        for node in self.cluster.nodes:
            self._start_agent(node)
            self.cluster.start_slurmd(node)
        self.world.insist("scontrol", "update", "PartitionName=dfrs", "State=UP")
        self.world.ask("scontrol", "delete", "ReservationName=soak")
        for node, state in self.cluster.node_states().items():
            if "drain" in state or "down" in state:
                self.world.ask("scontrol", "update", f"NodeName={node}", "State=RESUME")


def _open_files(pid):
    try:
        return {os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")}
    except OSError:
        return set()  # it has just ended
