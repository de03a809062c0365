# SPDX-License-Identifier: GPL-2.0-or-later
# Packages: debian/ for Debian, packaging/dfrs.spec for distributions with rpm. docs/reference/packages.md says how.
EXTRA_DIST += \
	debian/changelog \
	debian/clean \
	debian/control \
	debian/copyright \
	debian/dfrs-sim.install \
	debian/dfrs-slurmctld.examples \
	debian/dfrs-slurmctld.install \
	debian/dfrs-slurmctld.postinst \
	debian/dfrsctl.install \
	debian/dfrsd.install \
	debian/dfrsd.postrm \
	debian/dfrsd.prerm \
	debian/not-installed \
	debian/rules \
	debian/source/format \
	packaging/dfrs.spec \
	plugin/fetch_slurm_source.sh \
	tests/packages \
	tests/slurm
