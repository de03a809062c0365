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

# Records of live runs: written by the controller, read by dfrs-sim.
noinst_LIBRARIES += libdfrs_record.a
libdfrs_record_a_CPPFLAGS = $(SHIM_CPPFLAGS) $(ZLIB_CFLAGS)
libdfrs_record_a_SOURCES = \
	shim/record/line_source.cc \
	shim/record/line_source.h \
	shim/record/line_writer.cc \
	shim/record/line_writer.h \
	shim/record/record_error.h \
	shim/record/record_reader.cc \
	shim/record/record_reader.h \
	shim/record/recorder.cc \
	shim/record/recorder.h \
	shim/record/replay.cc \
	shim/record/replay.h \
	shim/record/step_lines.cc \
	shim/record/step_lines.h
