# SPDX-License-Identifier: GPL-2.0-or-later
"""The plan of a soak: what happens when. A seed gives the same plan each time; a plan can be written and read."""
import json
import random
from dataclasses import asdict, dataclass, field

WARM_UP = 5.0  # s with users alone
GAP = 6.0      # s from the end of a fault to the next one, at the mean

CROWD = 50     # jobs of an array of empty jobs

ALGORITHMS = ("Triage", "GreedyPM*/per/OPT=MIN/MINVT=3", "EASY")
STOCK = "sched/backfill"  # in place of an algorithm: the same day without dfrs

# Kind of fault -> (weight, least and most seconds that it lasts).
FAULTS = {
    "slurmctld_term": (2, 0.2, 3.0),
    "slurmctld_kill": (2, 0.2, 3.0),
    "takeover": (1, 3.0, 8.0),
    "clock_step": (2, 2.0, 6.0),
    "reconfigure": (2, 0.0, 0.0),
    "slurmd_kill": (3, 0.3, 3.0),
    "slurmd_term": (2, 0.3, 3.0),
    "agent_kill": (3, 0.3, 4.0),
    "agent_deaf": (2, 3.0, 8.0),
    "freeze": (3, 0.5, 1.5),
    "munged_restart": (2, 0.2, 1.0),
    "node_lost": (2, 26.0, 32.0),
    "drain": (2, 2.0, 8.0),
    "partition_down": (2, 1.0, 5.0),
    "reservation": (2, 3.0, 8.0),
    "state_full": (2, 2.0, 6.0),
    "record_full": (1, 2.0, 6.0),
    "forged": (2, 0.0, 0.0),
    "flood": (2, 2.0, 4.0),
}
ONE_NODE = ("slurmd_kill", "slurmd_term", "agent_kill", "agent_deaf", "node_lost", "drain", "reservation", "forged")
# Faults during which agents may not be told of new quotas.
AGENT_AWAY = ("agent_kill", "agent_deaf", "freeze", "munged_restart", "slurmctld_term", "slurmctld_kill", "takeover",
              "clock_step")
# Faults that need dfrs, as do those of its agents' daemons.
OF_DFRS = ("agent_kill", "agent_deaf", "record_full", "forged", "flood")
# Faults that end a daemon whose memory and descriptors are watched. Plans of 20 minutes and more leave these daemons
# alone in their last 60 %.
ENDS_WATCHED = ("slurmctld_term", "slurmctld_kill", "takeover", "agent_kill", "node_lost")
LONG = 1200.0

# What a user does to a job of his -> weight.
CHANGES = {"cancel": 3, "hold": 3, "suspend": 3, "limit": 2, "nice": 2, "priority": 1, "nodes": 1, "resize": 2,
           "requeue": 1}


@dataclass
class Action:
    at: float  # s after the start of the plan
    kind: str
    arguments: dict = field(default_factory=dict)

    def __str__(self):
        words = " ".join(f"{name}={value}" for name, value in self.arguments.items())
        return f"{self.at:8.1f} {self.kind} {words}".rstrip()


@dataclass
class Plan:
    seed: int
    seconds: float
    nodes: int
    algorithm: str
    actions: list

    def write(self, path):
        head = {"seed": self.seed, "seconds": self.seconds, "nodes": self.nodes, "algorithm": self.algorithm}
        rows = [head, *(asdict(action) for action in self.actions)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="ascii")

    @property
    def stock(self):
        return self.algorithm == STOCK

    def has(self, kind):
        return any(action.kind == kind for action in self.actions)

    def with_actions(self, actions):
        return Plan(self.seed, self.seconds, self.nodes, self.algorithm, list(actions))


def read(path):
    head, *rows = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    return Plan(**head, actions=[Action(**row) for row in rows])


def make(seed, seconds, nodes, cpus, memory, algorithm="", only=(), starts=0):
    """`only`: kinds of faults; empty: all. `starts`: of empty jobs in an hour, in arrays, beside what users do."""
    dice = random.Random(f"soak {seed}")  # of neighbouring numbers alone the first values are alike
    algorithm = algorithm or dice.choice(ALGORITHMS)
    actions = _users(dice, seconds, nodes, cpus, memory) + _faults(dice, seconds, nodes, only)
    actions += _crowd(seconds, memory, starts)
    if algorithm == STOCK:
        actions = [action for action in actions
                   if action.kind not in OF_DFRS and not action.arguments.get("daemon", "").startswith("dfrsd")]
    return Plan(seed, seconds, nodes, algorithm, sorted(actions, key=lambda action: action.at))


def _users(dice, seconds, nodes, cpus, memory):
    actions, tags, single, wide, work, now, number = [], [], set(), [], 0.0, 0.0, 0
    while True:
        now += dice.expovariate(2.0)
        if now >= seconds:
            return actions
        if tags and dice.random() < 0.2:
            actions.append(_change(dice, now, tags, single, wide))
            continue
        if work > 0.5 * nodes * cpus * (now + 10):
            continue  # more than the cluster can do: jobs would only wait
        burst = dice.choice((1, 1, 1, 1, 3, 6))
        for _ in range(burst):
            number += 1
            arguments = _job(dice, f"j{number:05}", nodes, cpus, memory, tags)
            work += 0.5 * arguments["units"] * arguments["array"] * arguments["cpus"] * arguments["ntasks"]
            actions.append(Action(round(now, 2), "submit", arguments))
            tags.append(arguments["tag"])
            if arguments["ntasks"] == 1:
                single.add(arguments["tag"])
            elif arguments["ntasks"] * arguments["cpus"] <= cpus:
                wide.append(arguments["tag"])


def _job(dice, tag, nodes, cpus, memory, tags):
    ntasks = dice.choice((1, 1, 1, 1, 1, 2, 3))
    array = dice.choice((2, 5, 10, 20)) if ntasks == 1 and dice.random() < 0.15 else 1
    units = dice.choice((1, 1, 2, 2, 4)) if array > 1 else min(60, int(1 + 3 * dice.paretovariate(1.1)))
    return {"tag": tag, "units": units, "array": array, "ntasks": min(ntasks, nodes),
            "cpus": dice.choice((1, 1, 2, cpus)), "memory": int(memory * dice.choice((0.05, 0.1, 0.1, 0.3, 0.6))),
            "checkpoint": dice.random() < 0.5, "exclusive": array == 1 and dice.random() < 0.05,
            "after": dice.choice(tags[-5:]) if tags and dice.random() < 0.1 else ""}


def _crowd(seconds, memory, starts):
    """Arrays of jobs that end as soon as they have begun, evenly."""
    job = {"units": 0, "array": CROWD, "ntasks": 1, "cpus": 1, "memory": memory // 40, "checkpoint": False,
           "exclusive": False, "after": ""}
    count = int(starts * seconds / 3600 / CROWD)
    return [Action(round(k * seconds / count, 2), "submit", {"tag": f"c{k:05}", **job}) for k in range(count)]


def _change(dice, now, tags, single, wide):
    """`single`: jobs of one task, which have room on one node whatever the algorithm; `wide`: jobs of several tasks that
    would have, too."""
    kind = dice.choices(list(CHANGES), list(CHANGES.values()))[0]
    if kind == "resize" and not wide:
        kind = "nice"
    arguments = {"tag": dice.choice(wide[-4:] if kind == "resize" else tags[-12:])}
    if kind == "nodes" and arguments["tag"] not in single:
        kind = "cancel"
    if kind in ("hold", "suspend"):
        arguments["seconds"] = round(dice.uniform(0.5, 6.0), 2)
    elif kind == "limit":
        arguments["minutes"] = dice.randint(10, 60)
    elif kind == "priority":
        arguments["priority"] = dice.randint(1, 100000)
    elif kind == "nice":
        arguments["nice"] = dice.randint(-100, 100)
    return Action(round(now, 2), kind, arguments)


def _faults(dice, seconds, nodes, only):
    kinds = {kind: weight for kind, (weight, _, _) in FAULTS.items() if not only or kind in only}
    calm = {kind: weight for kind, weight in kinds.items() if kind not in ENDS_WATCHED}
    actions, now = [], WARM_UP
    while kinds:
        now += 1.0 + dice.expovariate(1.0 / (GAP - 1.0))
        late = seconds >= LONG and now > 0.4 * seconds
        possible = calm if late else kinds
        if not possible:
            break
        kind = dice.choices(list(possible), list(possible.values()))[0]
        least, most = FAULTS[kind][1:]
        arguments = {"seconds": round(dice.uniform(least, most), 2)}
        if now + arguments["seconds"] >= seconds:
            break
        if kind in ONE_NODE:
            arguments["node"] = f"n{dice.randint(1, nodes)}"
        elif kind == "clock_step":
            arguments["daemon"] = dice.choice(("slurmctld", f"dfrsd.n{dice.randint(1, nodes)}"))
            arguments["by"] = dice.choice((-60, -5, -1, 1, 5, 60))
        elif kind == "freeze":
            daemon = dice.choice(("slurmctld", "munged", "slurmd", "dfrsd"))
            arguments["daemon"] = daemon if daemon in ("slurmctld", "munged") else f"{daemon}.n{dice.randint(1, nodes)}"
        elif kind == "slurmctld_kill":
            arguments["wait_saved"] = dice.random() < 0.5
        actions.append(Action(round(now, 2), kind, arguments))
        now += arguments["seconds"]
    return actions
