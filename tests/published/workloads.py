# SPDX-License-Identifier: GPL-2.0-or-later
"""Logs in the Standard Workload Format, for the second simulators of this folder."""
import gzip
import os

# Fields of a line, counted from 0.
NUMBER, SUBMIT, RUN, PROCESSORS, WANTED_PROCESSORS, WANTED_TIME, USER = 0, 1, 3, 4, 7, 8, 11


def path_of(name):
    """Of the log in the folder that DFRS_TRACES names, or None."""
    folder = os.environ.get("DFRS_TRACES")
    for ending in ("", ".swf", ".swf.gz"):
        path = folder and os.path.join(folder, name + ending)
        if path and os.path.exists(path):
            return path
    return None


def read(path, most=None):
    """The header's values by name, and a list of fields for each of the jobs, or of the first `most`."""
    header, jobs = {}, []
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="latin-1") as lines:
        for line in lines:
            if line.startswith(";"):
                name, colon, value = line[1:].partition(":")
                if colon:
                    header.setdefault(name.strip(), value.strip())
            elif line.strip():
                # In these logs only fields that nobody reads here have fractions.
                jobs.append([int(float(field)) for field in line.split()])
                if len(jobs) == most:
                    break
    return header, jobs
