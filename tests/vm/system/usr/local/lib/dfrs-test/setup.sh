#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs as root in the image while it is made: what an administrator does by hand.
set -e
echo n1 > /etc/hostname
printf '127.0.0.1 localhost\n10.0.0.1 n1\n10.0.0.2 n2\n' > /etc/hosts
for user in alice bob; do useradd --create-home --shell /bin/bash "$user"; done
passwd -d root
head -c 1024 /dev/zero | tr '\0' k > /etc/munge/munge.key
chown munge: /etc/munge/munge.key
chmod 400 /etc/munge/munge.key
install -d -o slurm -g slurm /var/lib/slurm /var/lib/slurm/slurmctld /var/log/slurm
install -d /var/lib/slurm/slurmd.n1 /var/lib/slurm/slurmd.n2
# PMIx names folders by job alone: nodes on one host need one each.
install -d -m 1777 /var/tmp/n1 /var/tmp/n2
dfrs-check-config /etc/slurm/dfrs.conf
# The second node, on the same host: the units of the packages with other options.
for name in slurmd dfrsd; do
  sed "s,/etc/default/$name,&-n2," "/usr/lib/systemd/system/$name.service" > "/etc/systemd/system/$name-n2.service"
done
# The packages have enabled their own services.
for name in munge slurmctld slurmd dfrsd; do systemctl is-enabled "$name"; done
systemctl enable systemd-networkd slurmd-n2 dfrsd-n2 dfrs-test
systemctl mask serial-getty@ttyS0 getty@tty1 apt-daily.timer apt-daily-upgrade.timer systemd-timesyncd e2scrub_all.timer fstrim.timer
rm -f /etc/resolv.conf
printf '/dev/vda / ext4 defaults 0 1\n/dev/vdb none swap defaults 0 0\n' > /etc/fstab
