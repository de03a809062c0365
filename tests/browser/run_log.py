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
                del running[job]
                paused.add(job)
            for kind, count in (("moved", "moves"), ("resumed", "resumes"), ("started", "starts")):
                for name, nodes in step.get(kind, {}).items():
                    job = int(name)
                    self.counts[count] += 1
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

    def between(self, count):
        """Instants in the middle of intervals, so that rounding times to ms does not matter."""
        wide = [k for k in range(len(self.instants) - 1) if self.instants[k + 1] - self.instants[k] > 0.01]
        return [(self.instants[k] + self.instants[k + 1]) / 2 for k in wide[::max(1, len(wide) // count)]]
