# SPDX-License-Identifier: GPL-2.0-or-later
# Schedules as pages: of simulated and recorded runs (dfrs-sim) and of a running cluster (dfrsctl web).
noinst_LIBRARIES += libtimeline.a
libtimeline_a_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS) $(NETTLE_CFLAGS) $(DEFLATE_CFLAGS)
libtimeline_a_SOURCES = \
	timeline/encode.cc \
	timeline/encode.h \
	timeline/observed.cc \
	timeline/observed.h \
	timeline/page.cc \
	timeline/page.h \
	timeline/page_files.h \
	timeline/schedule.h
# The page and its libraries, as strings.
nodist_libtimeline_a_SOURCES = timeline/page_files.cc
CLEANFILES += timeline/page_files.cc
TIMELINE_FILES = \
	$(srcdir)/timeline/lib/d3.min.js \
	$(srcdir)/timeline/lib/uplot.min.css \
	$(srcdir)/timeline/lib/uplot.min.js \
	$(srcdir)/timeline/page/colours.js \
	$(srcdir)/timeline/page/decode.js \
	$(srcdir)/timeline/page/details.js \
	$(srcdir)/timeline/page/main.js \
	$(srcdir)/timeline/page/model.js \
	$(srcdir)/timeline/page/nodes.js \
	$(srcdir)/timeline/page/page.html \
	$(srcdir)/timeline/page/panels.js \
	$(srcdir)/timeline/page/style.css \
	$(srcdir)/timeline/page/view.js
timeline/page_files.cc: timeline/embed.sh $(TIMELINE_FILES)
	$(AM_V_GEN)$(MKDIR_P) timeline && sh $(srcdir)/timeline/embed.sh $(srcdir)/timeline > $@.tmp && mv $@.tmp $@
EXTRA_DIST += \
	timeline/embed.sh \
	timeline/lib/d3.LICENSE \
	timeline/lib/uplot.LICENSE \
	$(TIMELINE_FILES)
