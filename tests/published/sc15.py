# SPDX-License-Identifier: GPL-2.0-or-later
"""EASY and EASY++ by the rules of the simulator of Gaussier, Glesser, Reis and Trystram (SC'15), as far as nothing is
learnt: a second implementation, beside which docs/results/sc15.md shows dfrs-sim's figures.

What the paper leaves open, their simulator decides so:

1. What happens at an instant is handled one by one: first predictions that run out, then submissions, then ends of
   jobs, each kind in the order in which it was planned (ends: in the order of the starts). A pass follows each
   submission and each end.
2. The policy counts processors by predictions. A job whose prediction runs out now counts as gone. A job that ends now,
   before its prediction, holds its processors until its end is handled: while the ends before it in the same instant
   are handled, they are taken until its predicted end.
3. EASY makes no pass after a submission unless the new job's processors are free; EASY++ always makes one.
4. A job that outlives its prediction gets another: its request; or the last one and the next of the steps, each step
   once, at most the request; or twice the last one, be it longer than the request.
5. A job is ended at its request. Jobs without a run time, a request or processors are left out.
"""
import heapq
from bisect import bisect_right, insort
from collections import namedtuple
from itertools import accumulate, count

import workloads

STEPS = [60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000]
RUNS_OUT, ARRIVES, ENDS = range(3)
SHORTEST = 10  # seconds, in the bounded slowdown

Result = namedtuple("Result", "jobs mean_flow mean_slowdown max_slowdown")


class Job:
    def __init__(self, submit, run, request, processors, user):
        self.submit, self.run, self.request, self.processors, self.user = submit, run, request, processors, user
        self.start = self.end = self.predicted = None
        self.steps_taken = 0


def jobs_of(rows, processors):
    jobs = []
    for row in rows:
        if min(row[workloads.RUN], row[workloads.WANTED_TIME], row[workloads.PROCESSORS]) <= 0:
            continue
        wanted = row[workloads.WANTED_PROCESSORS]
        width = min(wanted if wanted > 0 else row[workloads.PROCESSORS], processors)
        request = row[workloads.WANTED_TIME]
        jobs.append(Job(row[workloads.SUBMIT], min(row[workloads.RUN], request), request, width, row[workloads.USER]))
    return jobs


class Simulator:
    def __init__(self, jobs, processors, shortest_first, predictor, correction):
        self.jobs, self.processors = jobs, processors
        self.shortest_first, self.predictor, self.correction = shortest_first, predictor, correction
        self.now = 0
        self.unheld = processors   # no job runs on them
        self.holds = []            # (predicted end, number of the job) of running jobs, sorted
        self.queue = []            # numbers, in the order of submission
        self.by_length = []        # (prediction, number) of the same
        self.last_runs = {}        # the last two run times of a user
        self.plan_number = count()
        self.events = [(job.submit, ARRIVES, next(self.plan_number), k) for k, job in enumerate(jobs)]
        heapq.heapify(self.events)

    def result(self):
        while self.events:
            self.now = self.events[0][0]
            self.next_events()
        flows = [job.end - job.submit for job in self.jobs]
        slowdowns = [max(1, flow / max(SHORTEST, job.run)) for flow, job in zip(flows, self.jobs)]
        return Result(len(flows), sum(flows) / len(flows), sum(slowdowns) / len(slowdowns), max(slowdowns))

    def next_events(self):
        _, kind, _, number = heapq.heappop(self.events)
        self.handle(kind, number)

    def handle(self, kind, number):
        {RUNS_OUT: self.correct, ARRIVES: self.arrive, ENDS: self.end}[kind](number)

    def plan(self, time, kind, number, plan_number):
        heapq.heappush(self.events, (time, kind, plan_number, number))

    def prediction(self, job):
        if self.predictor == "known":
            return job.run
        if self.predictor == "doubled":
            return 2 * job.request
        runs = self.last_runs.get(job.user, ())
        if self.predictor == "tsafrir" and len(runs) == 2:
            return min(job.request, sum(runs) // 2)
        return job.request

    def arrive(self, number):
        job = self.jobs[number]
        job.predicted = self.prediction(job)
        self.queue.append(number)
        insort(self.by_length, (job.predicted, number))
        if self.shortest_first or job.processors <= self.free():
            self.schedule()

    def end(self, number):
        job = self.jobs[number]
        job.end = self.now
        self.last_runs[job.user] = (*self.last_runs.get(job.user, ()), job.run)[-2:]
        self.holds.remove((job.start + job.predicted, number))
        self.unheld += job.processors
        self.schedule()

    def correct(self, number):
        self.holds.remove((self.now, number))
        self.jobs[number].predicted = self.longer(self.jobs[number], number)
        self.hold(number, next(self.plan_number))

    def longer(self, job, _number):
        """The next prediction of a job that has outlived one."""
        if self.correction == "double":
            return 2 * job.predicted
        if self.correction == "steps" and job.steps_taken < len(STEPS):
            last = STEPS[job.steps_taken - 1] if job.steps_taken else 0
            job.steps_taken += 1
            return min(job.predicted - last + STEPS[job.steps_taken - 1], job.request)
        return job.request

    def hold(self, number, plan_number):
        job = self.jobs[number]
        insort(self.holds, (job.start + job.predicted, number))
        if job.predicted < job.run:
            self.plan(job.start + job.predicted, RUNS_OUT, number, plan_number)

    def free(self):
        """By the predictions."""
        gone = bisect_right(self.holds, (self.now, len(self.jobs)))
        return self.unheld + sum(self.jobs[number].processors for _, number in self.holds[:gone])

    def start(self, number):
        job = self.jobs[number]
        job.start = self.now
        self.unheld -= job.processors
        self.queue.remove(number)
        del self.by_length[bisect_right(self.by_length, (job.predicted, number)) - 1]
        plan_number = next(self.plan_number)
        self.plan(self.now + job.run, ENDS, number, plan_number)
        self.hold(number, plan_number)

    def reservation(self, free):
        """When the first job has its processors, and how many are left then."""
        later = self.holds[bisect_right(self.holds, (self.now, len(self.jobs))):]
        wanted = self.jobs[self.queue[0]].processors
        open_then = list(accumulate((self.jobs[number].processors for _, number in later), initial=free))[1:]
        time = next(end for (end, _), then in zip(later, open_then) if then >= wanted)
        return time, open_then[bisect_right(later, (time, len(self.jobs))) - 1] - wanted

    def schedule(self):
        free = self.free()
        while self.queue and self.jobs[self.queue[0]].processors <= free:
            free -= self.jobs[self.queue[0]].processors
            self.start(self.queue[0])
        if len(self.queue) < 2:
            return
        reserved, spare = self.reservation(free)
        first = self.queue[0]
        others = [number for _, number in self.by_length] if self.shortest_first else list(self.queue)
        for number in others:
            if free <= 0:
                break
            job = self.jobs[number]
            if job.processors > free or number == first:
                continue
            if self.now + job.predicted > reserved:
                if job.processors > spare:
                    continue
                spare -= job.processors
            free -= job.processors
            self.start(number)


class Together(Simulator):
    """By dfrs-sim's rules: at an instant first predictions that run out, then ends by the jobs' places in the log, then
    submissions, and after these one pass. A job that outlives its prediction gets the first prediction and the first of
    the steps that makes it longer than its run; twice the last prediction is at most the request."""

    def __init__(self, jobs, *settings):
        super().__init__(jobs, *settings)
        self.wanted = False  # a pass
        self.first_predictions = {}

    def next_events(self):
        found = []
        while self.events and self.events[0][0] == self.now:
            _, kind, _, number = heapq.heappop(self.events)
            found.append(((RUNS_OUT, ENDS, ARRIVES).index(kind), number, kind))
        for _, number, kind in sorted(found):
            self.handle(kind, number)
        if self.wanted:
            self.wanted = False
            super().schedule()

    def schedule(self):
        self.wanted = True

    def arrive(self, number):
        super().arrive(number)
        self.first_predictions[number] = self.jobs[number].predicted
        self.schedule()

    def longer(self, job, number):
        if self.correction == "steps":
            first, ran = self.first_predictions[number], self.now - job.start
            return min(next((first + step for step in STEPS if first + step > ran), job.request), job.request)
        return min(super().longer(job, number), job.request)


def simulate(rows, processors, shortest_first, predictor, correction, simulator=Simulator):
    """The metrics. The predictor: request, doubled, known or tsafrir; the correction: request, steps or double."""
    return simulator(jobs_of(rows, processors), processors, shortest_first, predictor, correction).result()
