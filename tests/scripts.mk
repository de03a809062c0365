# SPDX-License-Identifier: GPL-2.0-or-later
# Tests that are shell scripts. They need only the compiler and what `make` built, so they run without GoogleTest too. The
# longest begins.
SCRIPT_TESTS = \
	tests/plugin/configure.sh \
	tests/cli/exit_codes.sh \
	$(DOCS_TESTS) \
	tests/duplicate_symbols.sh \
	tests/plugin/install.sh \
	tests/policy/purity.sh \
	tests/policy/purity_selftest.sh
dist_check_SCRIPTS += $(SCRIPT_TESTS)
TESTS += $(SCRIPT_TESTS)
