/* SPDX-License-Identifier: GPL-2.0-or-later
 * Settings of slurm.conf that decide whether dfrs can work at all.
 */
#ifndef DFRS_PLUGIN_SLURM_SETTINGS_H
#define DFRS_PLUGIN_SLURM_SETTINGS_H

/* Logs one sentence for each setting that cannot work, as an error, and for each that costs jobs something, as a
 * warning. SLURM_SUCCESS, or SLURM_ERROR if there was an error. Slurm's configuration must not change meanwhile. */
int slurm_settings_check(void);
/* The same for lines of managed partitions; to be called after the names of these are known to the gate. */
int slurm_settings_check_partitions(void);

#endif
