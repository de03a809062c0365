# SPDX-License-Identifier: GPL-2.0-or-later
# Everything of dfrs-sim but main(), so that tests link the same objects.
noinst_LIBRARIES += libsim.a
libsim_a_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS) $(ARCHIVE_CFLAGS) $(CURL_CFLAGS) $(NETTLE_CFLAGS)
libsim_a_SOURCES = \
	sim/completion_queue.cc \
	sim/completion_queue.h \
	sim/errors.h \
	sim/glpk_solver.cc \
	sim/glpk_solver.h \
	sim/instance.cc \
	sim/instance.h \
	sim/metrics.cc \
	sim/metrics.h \
	sim/simulation.cc \
	sim/simulation.h
SIM_LIBS = libsim.a libpolicy.a $(FMT_LIBS) $(ARCHIVE_LIBS) $(CURL_LIBS) $(NETTLE_LIBS) $(GLPK_LIBS) $(PTHREAD_LIBS)
