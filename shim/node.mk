# SPDX-License-Identifier: GPL-2.0-or-later
# Authenticated HTTP and what goes over it: used on both sides.
noinst_LIBRARIES += libshimnet.a
libshimnet_a_CPPFLAGS = $(SHIM_CPPFLAGS)
libshimnet_a_SOURCES = \
	shim/auth/authenticator.cc \
	shim/auth/authenticator.h \
	shim/auth/digest.cc \
	shim/auth/digest.h \
	shim/auth/munge.cc \
	shim/auth/munge.h \
	shim/http/client.cc \
	shim/http/client.h \
	shim/http/server.cc \
	shim/http/server.h
