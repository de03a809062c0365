#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs as root in the image while it is made: what an administrator does by hand.
set -e
echo n1 > /etc/hostname
printf '127.0.0.1 localhost\n10.0.0.1 n1\n' > /etc/hosts
for user in alice bob; do useradd --create-home --shell /bin/bash "$user"; done
passwd -d root
head -c 1024 /dev/zero | tr '\0' k > /etc/munge/munge.key
chown munge: /etc/munge/munge.key
chmod 400 /etc/munge/munge.key
install -d -o slurm -g slurm /var/lib/slurm /var/lib/slurm/slurmctld /var/log/slurm
install -d /var/lib/slurm/slurmd
# Packages put the plugins into a folder of the architecture, and their SPANK plugin into plugstack.conf.d.
plugins=$(dirname /usr/lib/dfrs/slurm/sched_dfrs.so /usr/lib/*/dfrs/slurm/sched_dfrs.so | while read -r each; do
  if [ -e "$each/sched_dfrs.so" ]; then echo "$each"; fi; done)
sed -i "s,^PluginDir=[^:]*,PluginDir=$plugins," /etc/slurm/slurmctld.conf
if [ ! -e /etc/slurm/plugstack.conf.d/dfrs.conf ]; then echo "required $plugins/spank_dfrs.so" > /etc/slurm/plugstack.conf; fi
systemctl enable systemd-networkd munge slurmctld slurmd dfrsd dfrs-test
systemctl mask serial-getty@ttyS0 getty@tty1 apt-daily.timer apt-daily-upgrade.timer systemd-timesyncd e2scrub_all.timer fstrim.timer
rm -f /etc/resolv.conf
printf '/dev/vda / ext4 defaults 0 1\n/dev/vdb none swap defaults 0 0\n' > /etc/fstab
