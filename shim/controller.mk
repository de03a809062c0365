# SPDX-License-Identifier: GPL-2.0-or-later

# dfrs.conf: what it says, its parser.
noinst_LIBRARIES += libdfrs_conf.a
libdfrs_conf_a_CPPFLAGS = $(SHIM_CPPFLAGS)
libdfrs_conf_a_SOURCES = \
	shim/conf/config.cc \
	shim/conf/config.h \
	shim/conf/read_config.cc \
	shim/conf/read_config.h \
	shim/conf/settings.cc \
	shim/conf/settings.h
EXTRA_DIST += etc/dfrs.conf.example

bin_PROGRAMS += dfrs-check-config
dfrs_check_config_CPPFLAGS = $(SHIM_CPPFLAGS)
dfrs_check_config_LDADD = libdfrs_conf.a libpolicy.a $(FMT_LIBS)
dfrs_check_config_SOURCES = shim/conf/check_config_main.cc
