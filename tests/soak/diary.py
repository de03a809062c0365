# SPDX-License-Identifier: GPL-2.0-or-later
"""What jobs of the soak write of themselves: a file for each task, one line for each thing that happened.

A line is written in one go to a file that is open for appending, so that lines of two runs at once do not mix. Nothing
is fsynced: the plan kills processes, never the host.
"""
from dataclasses import dataclass
from pathlib import Path

UNIT = 0.5  # s of sleep of one unit of work

# start RUN TIME JOB NODE RESTARTS DONE, unit RUN TIME NUMBER, end RUN TIME UNITS
SCRIPT = """export LC_ALL=C
diary={folder}/{tag}.${{SLURM_ARRAY_TASK_ID:-0}} done=0 units={units}
run=$EPOCHREALTIME-$$
if [ {checkpoint} = 1 ] && [ -f "$diary" ]; then
  while read -r what _ _ number _; do
    if [ "$what" = unit ] && [ "$number" -gt "$done" ]; then done=$number; fi
  done < "$diary"
fi
note() {{ printf '%s\\n' "$*" >> "$diary"; }}
note start "$run" "$EPOCHREALTIME" "$SLURM_JOB_ID" "$SLURMD_NODENAME" "${{SLURM_RESTART_COUNT:-0}}" "$done"
while [ "$done" -lt "$units" ]; do
  sleep {unit}
  done=$((done + 1))
  note unit "$run" "$EPOCHREALTIME" "$done"
done
note end "$run" "$EPOCHREALTIME" "$done"
"""


def script(folder, tag, units, checkpoint):
    """The body of a bash script."""
    return SCRIPT.format(folder=folder, tag=tag, units=units, checkpoint=int(checkpoint), unit=UNIT)


@dataclass(frozen=True)
class Line:
    what: str     # start, unit or end
    run: str      # one execution of the script
    time: float   # s since 1970
    number: int   # unit: which; end: how many; start: how many were done before
    job: int = 0  # start: Slurm's number; of an array's task its own
    node: str = ""
    restarts: int = 0


def parse(text):
    """The lines of a diary, in the order in which they were written. ValueError: something else wrote to it."""
    lines = []
    for row in text.splitlines():
        words = row.split()
        try:
            if words[0] == "start":
                _, run, time, job, node, restarts, done = words
                lines.append(Line("start", run, float(time), int(done), int(job), node, int(restarts)))
            else:
                what, run, time, number = words
                if what not in ("unit", "end"):
                    raise ValueError(what)
                lines.append(Line(what, run, float(time), int(number)))
        except (ValueError, IndexError):
            raise ValueError(f"no line of a diary: '{row}'") from None
    return lines


def read_all(folder):
    """(tag, task) -> lines."""
    found = {}
    for path in sorted(Path(folder).iterdir()):
        tag, _, task = path.name.rpartition(".")
        found[tag, int(task)] = parse(path.read_text(encoding="ascii"))
    return found
