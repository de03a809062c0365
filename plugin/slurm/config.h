/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stands for the config.h that Slurm's own ./configure makes, as far as its headers look at it. What changes the layout
 * of Slurm's structures or the names of its functions must be as in the installed build; of those in use there is one.
 */
#ifndef DFRS_PLUGIN_SLURM_CONFIG_H
#define DFRS_PLUGIN_SLURM_CONFIG_H

/* Debian configures Slurm with --disable-debug. Without this the headers declare checks that slurmctld does not have.
 */
#ifndef NDEBUG
#define NDEBUG 1
#endif

#endif
