/* SPDX-License-Identifier: GPL-2.0-or-later
 * Replaces the config.h that Slurm's own ./configure makes, as far as Slurm's headers use it. Options that change the
 * layout of Slurm's structures or the names of its functions must be as in the installed build; there is one of them.
 */
#ifndef DFRS_PLUGIN_SLURM_CONFIG_H
#define DFRS_PLUGIN_SLURM_CONFIG_H

/* Debian configures Slurm with --disable-debug. Without this the headers declare checks that slurmctld does not have.
 */
#ifndef NDEBUG
#define NDEBUG 1
#endif

#endif
