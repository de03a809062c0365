# SPDX-License-Identifier: GPL-2.0-or-later
"""A private Slurm cluster on this host, the tests that run on it, and the comparison of two schedulers.

Only the standard library of Python 3.9 or newer is used. `python3 -m live --help` (with tests/ in PYTHONPATH) is what
`./quickstart cluster` calls.
"""
