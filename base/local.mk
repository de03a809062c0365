# SPDX-License-Identifier: GPL-2.0-or-later
# Helpers that several parts share and no library provides.
noinst_LIBRARIES += libbase.a
libbase_a_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS) $(NETTLE_CFLAGS) $(UTF8PROC_CFLAGS)
libbase_a_SOURCES = \
	base/command_line.cc \
	base/command_line.h \
	base/counted.h \
	base/exit_code.h \
	base/files.cc \
	base/files.h \
	base/hmac_sha256.cc \
	base/hmac_sha256.h \
	base/html.cc \
	base/html.h \
	base/process.cc \
	base/process.h \
	base/random.cc \
	base/random.h \
	base/sha256.cc \
	base/sha256.h \
	base/signals.h \
	base/text_table.cc \
	base/text_table.h \
	base/utf8.cc \
	base/utf8.h
# At the end of a program's libraries.
BASE_LIBS = libbase.a $(FMT_LIBS) $(NETTLE_LIBS) $(UTF8PROC_LIBS)
