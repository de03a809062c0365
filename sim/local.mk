# SPDX-License-Identifier: GPL-2.0-or-later
# Everything of dfrs-sim but main(), so that tests link the same objects.
noinst_LIBRARIES += libsim.a
libsim_a_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS) $(ARCHIVE_CFLAGS) $(CURL_CFLAGS) $(NETTLE_CFLAGS)
libsim_a_SOURCES = \
	sim/bound/bound.cc \
	sim/bound/bound.h \
	sim/bound/bound_job.cc \
	sim/bound/bound_job.h \
	sim/bound/congestion.cc \
	sim/bound/congestion.h \
	sim/bound/divisible.cc \
	sim/bound/divisible.h \
	sim/bound/edf.cc \
	sim/bound/edf.h \
	sim/bound/ls1.cc \
	sim/bound/ls1.h \
	sim/bound/overload.cc \
	sim/bound/overload.h \
	sim/bound/rate_limited_set.cc \
	sim/bound/rate_limited_set.h \
	sim/errors.h \
	sim/instance.cc \
	sim/instance.h
SIM_LIBS = libsim.a libpolicy.a $(FMT_LIBS) $(ARCHIVE_LIBS) $(CURL_LIBS) $(NETTLE_LIBS) $(GLPK_LIBS) $(PTHREAD_LIBS)
