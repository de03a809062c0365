# SPDX-License-Identifier: GPL-2.0-or-later
# Recorded runs: written by both hosts, read and replayed by dfrs-sim.
noinst_LIBRARIES += libdfrs_record.a
libdfrs_record_a_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS) $(ZLIB_CFLAGS)
libdfrs_record_a_SOURCES = \
	record/engine_setup.cc \
	record/engine_setup.h \
	record/json_text.cc \
	record/json_text.h \
	record/json_values.cc \
	record/json_values.h \
	record/line_source.cc \
	record/line_source.h \
	record/line_writer.cc \
	record/line_writer.h \
	record/pause_world.cc \
	record/pause_world.h \
	record/swap_size.cc \
	record/swap_size.h \
	record/record_error.h \
	record/record_reader.cc \
	record/record_reader.h \
	record/recorder.cc \
	record/recorder.h \
	record/replay.cc \
	record/replay.h \
	record/setup_reader.cc \
	record/setup_reader.h \
	record/step_lines.cc \
	record/step_lines.h \
	record/story/json.cc \
	record/story/json.h \
	record/story/story.cc \
	record/story/story.h \
	record/story/surroundings.cc \
	record/story/surroundings.h \
	record/story/words.cc \
	record/story/words.h
