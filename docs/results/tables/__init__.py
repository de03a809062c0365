# SPDX-License-Identifier: GPL-2.0-or-later
"""What regenerate.py makes of the data: the experiments, and a file of tables for each page."""
