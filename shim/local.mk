# SPDX-License-Identifier: GPL-2.0-or-later
# Connects the policy core to a live cluster.
#   controller.mk  beside slurmctld: configuration, controller, state file, record, control port, dfrsctl
#   gate.mk        what the plugins in slurmctld share: managed partitions, plans, the wake-up
#   node.mk        on the nodes: dfrsd and its cgroups; authenticated HTTP and the delivery of quotas
SHIM_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS) $(CURL_CFLAGS) $(MHD_CFLAGS) $(MUNGE_CFLAGS) $(NETTLE_CFLAGS)
SHIM_LIBS = libbase.a $(FMT_LIBS) $(CURL_LIBS) $(MHD_LIBS) $(MUNGE_LIBS) $(NETTLE_LIBS) $(ZLIB_LIBS) $(PTHREAD_LIBS)
# The libraries that make up libdfrs_controller.so, which slurmctld's plugins link (plugin/local.mk).
CONTROLLER_PARTS =
include shim/gate.mk
include shim/controller.mk
include shim/node.mk
