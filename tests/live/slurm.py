# SPDX-License-Identifier: GPL-2.0-or-later
"""The Slurm that clusters are made of: the installed one, or a build of another version below DFRS_SLURM_PREFIX."""
import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

from .errors import Unavailable

DAEMONS = ("munged", "slurmctld", "slurmd")
COMMANDS = ("sbatch", "srun", "squeue", "sinfo", "scontrol", "scancel", "munge")
PLUGIN_FOLDERS = ("usr/lib/x86_64-linux-gnu/slurm-wlm", "usr/lib/*/slurm-wlm", "usr/lib*/slurm", "usr/local/lib/slurm")


def _prefix():
    return os.environ.get("DFRS_SLURM_PREFIX", "")


def own_path():
    """What goes before PATH: nothing for the installed Slurm."""
    return f"{_prefix()}/bin:{_prefix()}/sbin:" if _prefix() else ""


def path():
    """Of the programs, as PATH has it."""
    return f"{own_path()}{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin:/usr/bin:/bin"


def find_program(name):
    return shutil.which(name, path=path())


def plugin_folder():
    if _prefix():
        places = [Path(_prefix()) / "lib/slurm"]
    else:
        places = [folder for pattern in PLUGIN_FOLDERS for folder in sorted(Path("/").glob(pattern))]
    for folder in places:
        if (folder / "select_cons_tres.so").exists():
            return folder
    raise Unavailable("Slurm's plugins (select_cons_tres.so) are not installed; on Debian: "
                      "apt-get install slurm-wlm-basic-plugins")


@functools.lru_cache(maxsize=None)
def version():
    """(major, minor, micro)"""
    result = subprocess.run([find_program("slurmctld"), "-V"], check=False, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, universal_newlines=True)
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", result.stdout)
    if not found:
        raise Unavailable(f"slurmctld -V does not say a version: {result.stdout.strip()}")
    return tuple(int(number) for number in found.groups())


def since(major, minor):
    return version() >= (major, minor, 0)


def check_host():
    """Raises Unavailable, naming what is missing, if Slurm is not here."""
    missing = [name for name in DAEMONS + COMMANDS if not find_program(name)]
    if missing:
        raise Unavailable(f"Slurm is not installed ({', '.join(missing)} not found); on Debian: "
                          "apt-get install slurmctld slurmd slurm-client munge")
    plugin_folder()
