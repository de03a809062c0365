# SPDX-License-Identifier: GPL-2.0-or-later
"""A comparison as a table, as CSV and as JSON."""
import csv
import json
import statistics
from dataclasses import dataclass

from .measure import Run, StartUp
from .simulate import VARIATION, VARIED, Prediction

# What is compared, in the order of the report: key -> name.
SIDES = {"backfill": "sched/backfill", "dfrs": "sched/dfrs", "triage": "sched/dfrs, Triage",
         "force": "sched/backfill, FORCE:4", "gang": "sched/backfill, gang", "suspend": "Triage, suspended to swap",
         "lost": "Triage, work lost", "none": "Triage, no pauses", "checkpoint": "Triage, checkpoints"}
CLOSE = 0.2        # within which a prediction of the mean stretch is called right
HOST_BUSY = 0.97   # of the host's cores: beyond it jobs may have had to wait for a core


@dataclass
class Side:
    """One scheduler with one algorithm."""
    scheduler: str  # key of SIDES
    simulated_as: str
    live: Run
    simulated: Prediction
    start_up: StartUp

    @property
    def name(self):
        return SIDES[self.scheduler]


class Comparison:
    def __init__(self, workload, setting, sides, exact):
        self.workload, self.setting, self.sides, self.exact = workload, setting, sides, exact

    def stretches(self, flow):
        return stretches(self.workload, flow, self.setting.floor)

    def figures(self, side):
        live = {number: one.flow for number, one in side.live.jobs.items()}
        simulated = [self._figures_of(one.flow) for one in side.simulated.all()]
        made = {"live": self._figures_of(live),
                "simulated": {name: statistics.fmean(one[name] for one in simulated) for name in simulated[0]}}
        for name in ("max_stretch", "mean_stretch"):
            made["simulated"][f"{name}_range"] = [of(one[name] for one in simulated) for of in (min, max)]
        # A suspended job is not requeued: what the policy decided counts.
        made["live"]["requeues"] = (sum(side.live.decided.values()) if side.scheduler == "suspend"
                                    else sum(one.requeues for one in side.live.jobs.values()))
        # Of all work; a live run is told in seconds of virtual time at full speed.
        made["live"]["work_lost"] = (side.live.checkpoints.get("lost_work_s", 0.0)
                                     / sum(job.run_time for job in self.workload.jobs))
        totals = [one.totals for one in side.simulated.all()]
        made["simulated"]["work_lost"] = statistics.fmean(one["work_lost"] for one in totals)
        made["simulated"]["requeues"] = round(len(self.workload.jobs) * statistics.fmean(
            one["pauses_per_job"] + one["moves_per_job"] for one in totals))
        gaps = [gap for one in side.live.jobs.values() for gap in one.requeue_seconds]
        made["live"]["shortest_requeue"] = min(gaps) if gaps else None
        made["live"]["median_requeue"] = statistics.median(gaps) if gaps else None
        return made

    def _figures_of(self, flow):
        stretches = self.stretches(flow)
        return {"max_stretch": max(stretches), "mean_stretch": statistics.fmean(stretches),
                "mean_flow": statistics.fmean(flow.values()),
                "makespan": max(job.submit + flow[job.number] for job in self.workload.jobs)}

    # ---- for people ----

    def text(self):
        workload, setting = self.workload, self.setting
        lines = [f"{len(workload.jobs)} jobs ({workload.name}) on {workload.nodes} nodes of {workload.cpus} CPUs, "
                 f"{setting.cores:g} real cores each; offered load {workload.load:.2f}",
                 f"stretch bounded at {setting.floor:g} s; run times are those at full speed on a node of its own", "",
                 f"{'':34}{'max stretch':^20}{'mean stretch':^28}{'pauses and moves':^18}",
                 f"{'':34}{'live':>8}{'simulated':>12}{'live':>8}{'simulated':>12}{'':8}{'live':>8}{'simulated':>11}"]
        wide = len(lines[-1])
        lines.append("-" * wide)
        figures = {side.scheduler: self.figures(side) for side in self.sides}
        for side in self.sides:
            live, simulated = figures[side.scheduler]["live"], figures[side.scheduler]["simulated"]
            off = simulated["mean_stretch"] / live["mean_stretch"] - 1
            lines.append(f"{side.name:34}{live['max_stretch']:8.2f}{simulated['max_stretch']:12.2f}"
                         f"{live['mean_stretch']:8.2f}{simulated['mean_stretch']:12.2f}{off:+8.0%}"
                         f"{live['requeues']:8}{simulated['requeues']:11}")
            lines.append(f"  {'simulated as ' + side.simulated_as}")
        lines.append("-" * wide)
        lines += self._verdict(figures)
        lines += ["", *self._notes(figures)]
        return "\n".join(lines) + "\n"

    def _verdict(self, figures):
        batch = figures["backfill"]["live"]
        lines = []
        for side in self.sides:
            if side.scheduler == "backfill":
                continue
            under = {"dfrs": "DFRS", "triage": "Triage"}.get(side.scheduler, side.name)
            for what, key in (("worst-served job", "max_stretch"), ("average job", "mean_stretch")):
                ratio = batch[key] / figures[side.scheduler]["live"][key]
                lines.append(f"The {what} fares {max(ratio, 1 / ratio):.1f} times {'better' if ratio >= 1 else 'worse'} "
                             f"under {under}.")
        for side in self.sides:
            live, simulated = (figures[side.scheduler][name]["mean_stretch"] for name in ("live", "simulated"))
            close = abs(simulated / live - 1) <= CLOSE
            lines.append(f"The simulator's mean stretch of {side.name} is {'' if close else 'NOT '}within "
                         f"{CLOSE:.0%} of the live one.")
        return lines

    def _notes(self, figures):
        lines = []
        exact = self.stretches(self.exact.flow)
        lines.append(f"Had users known their run times, sched/backfill would have had a max stretch of {max(exact):.2f} "
                     f"and a mean of {statistics.fmean(exact):.2f} (simulated).")
        if any(side.simulated.varied for side in self.sides):
            lines.append(f"Simulated figures are means of {VARIED} simulations with run times that differ by up to "
                         f"{VARIATION:g} s. The least and the most:")
            lines += [f"  {side.name}: max stretch {_range(figures[side.scheduler], 'max_stretch')}, "
                      f"mean stretch {_range(figures[side.scheduler], 'mean_stretch')}" for side in self.sides]
        for side in self.sides:
            lines.append(f"{side.name}: on the idle cluster {overheads(side.start_up)}; the simulator was told "
                         "so.")
        for side in self.sides:
            live = figures[side.scheduler]["live"]
            if live["median_requeue"] is None:
                continue
            lines.append(f"{side.name}: from the end of a run to the start of the next one {live['shortest_requeue']:.1f} s "
                         f"at least, {live['median_requeue']:.1f} s in the median; the simulator was told "
                         f"{' '.join(self.setting.simulation(side.scheduler, side.live))}.")
        for side in self.sides:
            run = side.live
            if side.scheduler == "suspend":
                lines.append(f"{side.name}: {_pause_cost(run.pause_cost)}.")
            if side.scheduler in ("lost", "checkpoint") and run.checkpoints:
                lines += _work_lost(side, figures[side.scheduler])
            lines.append(f"{side.name}: {run.busy:.2f} of this host's {run.host_cores} cores were busy; the latest "
                         f"submission was {run.behind:.2f} s late.")
            if run.busy > HOST_BUSY * run.host_cores:
                lines.append("WARNING: the host had no core to spare, so jobs may not have had their share; run it "
                             "again on a quiet host, or with fewer --cores.")
            lines += [f"WARNING: {side.name}: {what}" for what in run.wrong]
        return lines

    # ---- for programs ----

    def to_json(self):
        return {
            "workload": {"name": self.workload.name, "nodes": self.workload.nodes, "cpus": self.workload.cpus,
                         "memory": self.workload.memory, "load": self.workload.load, "span": self.workload.span,
                         "jobs": [vars(job) for job in self.workload.jobs]},
            "setting": vars(self.setting),
            "schedulers": {side.scheduler: {
                **self.figures(side), "simulated_as": side.simulated_as, "command": side.simulated.command,
                "start_up": [{"cpus": cpus, "tasks": tasks, **vars(overhead)}
                             for (cpus, tasks), overhead in sorted(side.start_up.points.items())],
                "run": side.live.to_json(), "simulated_flow": side.simulated.flow} for side in self.sides},
            "simulated_with_exact_estimates": {"max_stretch": max(self.stretches(self.exact.flow)),
                                               "mean_stretch": statistics.fmean(self.stretches(self.exact.flow))},
        }

    def rows(self):
        floor = self.setting.floor
        for job in self.workload.jobs:
            row = {"job": job.number, "submit": job.submit, "tasks": job.tasks, "cpus": job.cpus, "memory": job.memory,
                   "run_time": job.run_time, "limit": job.limit}
            for side in self.sides:
                one = side.live.jobs[job.number]
                for name, flow in (("live", one.flow), ("simulated", side.simulated.flow[job.number])):
                    row[f"{side.scheduler}_{name}_flow"] = round(flow, 3)
                    row[f"{side.scheduler}_{name}_stretch"] = round(max(flow, floor) / max(job.run_time, floor), 4)
                row[f"{side.scheduler}_wait"] = round(one.started - one.submitted, 3)
                row[f"{side.scheduler}_requeues"] = one.requeues
            yield row

    def write(self, folder, text):
        replace(folder / "results.txt", text)
        replace(folder / "results.json", json.dumps(self.to_json(), indent=1) + "\n")
        rows = list(self.rows())
        temporary = folder / "jobs.csv.new"
        with open(temporary, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        temporary.rename(folder / "jobs.csv")


def stretches(workload, flow, floor):
    """Of all jobs, by their run times at full speed; `flow`: job number -> s."""
    return [max(flow[job.number], floor) / max(job.run_time, floor) for job in workload.jobs]


def expected(workload, setting, sides):
    """The table of a simulation alone; `sides`: of (name, algorithm, Prediction)."""
    lines = [f"{len(workload.jobs)} jobs ({workload.name}) on {workload.nodes} nodes, submitted within {workload.span:.0f} s; "
             f"offered load {workload.load:.2f}; simulated, without what Slurm takes for starts", "",
             f"{'':50}{'max stretch':>12}{'mean stretch':>14}"]
    for name, algorithm, prediction in sides:
        all_of_them = stretches(workload, prediction.flow, setting.floor)
        lines.append(f"{name + ' as ' + algorithm:50}{max(all_of_them):12.2f}"
                     f"{statistics.fmean(all_of_them):14.2f}")
    return "\n".join(lines) + "\n"


def _work_lost(side, figures):
    known, again = side.live.checkpoints, side.live.begun_again
    lines = [f"{side.name}: {known['lost_runs']} runs with {known['lost_work_s']:.1f} s of virtual time were lost "
             f"({figures['live']['work_lost']:.1%} of that of all jobs; simulated: {figures['simulated']['work_lost']:.1%} of "
             f"all work); {again} tasks began once more from nothing."]
    if known["attempts"]:
        lines.append(f"{side.name}: of {known['attempts']} attempts {known['completed']} were completed, with "
                     f"{known['bytes'] / known['completed'] / 2**20 if known['completed'] else 0:.0f} MiB in the mean, "
                     f"{known['failed']} failed and {known['given_up']} were given up; {known['restored']} restores. "
                     f"Images were written at {known['write_mib_per_s']:.0f} MiB/s and read at "
                     f"{known['read_mib_per_s']:.0f} MiB/s.")
    return lines


def _pause_cost(known):
    if known is None:
        return "too few pauses to tell what one costs; the simulator was told what is assumed"
    return (f"a pause cost {known.seconds:.2f} s (standard error {known.error:.2f}) of a job's time, on average of "
            f"{known.pauses}; the simulator was told so")


def overheads(start_up):
    """Those measured, in words."""
    return ", ".join(f"a job of {tasks} task{'s' if tasks > 1 else ''} x {cpus} CPUs begins {overhead.delay:.2f} s late and "
                     f"holds its nodes {overhead.cost:.2f} s longer"
                     for (cpus, tasks), overhead in sorted(start_up.points.items()))


def _range(figures, name):
    least, most = figures["simulated"][f"{name}_range"]
    return f"{least:.2f} to {most:.2f}"


def replace(path, text):
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(text, encoding="utf-8")
    temporary.rename(path)
