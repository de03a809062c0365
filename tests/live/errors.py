# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors that a user can mend."""


class ClusterError(Exception):
    """A message of one or more lines that says what failed and what to do."""


class Unavailable(ClusterError):
    """This host cannot run a cluster at all (no root, no Slurm): tests are skipped with this reason."""
