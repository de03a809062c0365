# SPDX-License-Identifier: GPL-2.0-or-later
# The registry of policies: one line per family, in the order of `dfrs-sim list`. A file defines its families as
# `extern const PolicyFamily NAME{...}` (policy/core/registry.h). docs/contributor-guide.md shows how to add one.
POLICY_FAMILIES = \
	policy/batch/family.cc \
	policy/batch/shared_nodes.cc \
	policy/rr7659/family.cc \
	policy/triage/family.cc \
	policy/ipdps2010/family.cc \
	policy/batch/conservative_family.cc \
	policy/batch/ranked_family.cc \
	policy/pausing/family.cc \
	policy/pausing/gang.cc \
	policy/triage/clairvoyant.cc \
	policy/dynp/family.cc
