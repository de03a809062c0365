# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run did, from the decisions that `dfrs-sim run --log` writes. The page is compared with this."""
import bisect
import json


class RunLog:
    def __init__(self, path):
        self.counts = {"starts": 0, "pauses": 0, "moves": 0, "resumes": 0, "completed": 0}
        self.instants = []
        self.states = []  # after all steps of an instant: (running {job: (yield, nodes)}, waiting, paused)
        self.first, self.pausing, self.moving = {}, set(), set()
        self.penalties = {}  # job -> begins of its penalties, ascending
        self.marks = []  # (time, kind, job, lowest node), as the page marks them
        running, waiting, paused = {}, set(), set()
        for line in open(path, encoding="utf-8"):
            step = json.loads(line)
            time = step["t"]
            for job in step.get("completed", []):
                self.counts["completed"] += 1
                running.pop(job, None)
            waiting |= set(step.get("submitted", []))
            for job in step.get("paused", []):
                self.counts["pauses"] += 1
                self.pausing.add(job)
                self.marks.append((time, "pause", job, running.pop(job)[1][0]))
                paused.add(job)
            for kind, count in (("moved", "moves"), ("resumed", "resumes"), ("started", "starts")):
                for name, nodes in step.get(kind, {}).items():
                    job = int(name)
                    self.counts[count] += 1
                    self.marks.append((time, {"moved": "move", "resumed": "resume", "started": "start"}[kind], job, min(nodes)))
                    if kind != "started":
                        self.penalties.setdefault(job, []).append(time)
                    if kind == "moved":
                        self.moving.add(job)
                    if kind == "started":
                        self.first[job] = time
                    waiting.discard(job)
                    paused.discard(job)
                    running[job] = (running.get(job, (0, []))[0], sorted(nodes))
            for name, value in step.get("yields", {}).items():
                running[int(name)] = (value, running[int(name)][1])
            state = (dict(running), set(waiting), set(paused))
            if self.instants and self.instants[-1] == time:
                self.states[-1] = state
            else:
                self.instants.append(time)
                self.states.append(state)

    def at(self, time):
        return self.states[bisect.bisect_right(self.instants, time) - 1]

    def serving(self, time, penalty=300):
        """Jobs on nodes that serve a penalty."""
        return {job for job in self.at(time)[0] if any(begin <= time < begin + penalty for begin in self.penalties.get(job, ()))}

    def between(self, count):
        """Instants in the middle of intervals, so that rounding times to ms does not matter."""
        wide = [k for k in range(len(self.instants) - 1) if self.instants[k + 1] - self.instants[k] > 0.01]
        return [(self.instants[k] + self.instants[k + 1]) / 2 for k in wide[::max(1, len(wide) // count)]]

    def intervals(self, count):
        """Some of the intervals without events that last a second."""
        wide = [(a, b) for a, b in zip(self.instants, self.instants[1:]) if b - a > 1]
        return wide[::max(1, len(wide) // count)]
