# SPDX-License-Identifier: GPL-2.0-or-later
# Documentation: what is installed, manual pages and completions, and the reference that is made from --help.
nobase_dist_doc_DATA = \
	CHANGELOG.md \
	CONTRIBUTING.md \
	README.md \
	docs/README.md \
	docs/administrator-guide.md \
	docs/compatibility.md \
	docs/contributor-guide.md \
	docs/history/README.md \
	docs/images/advice.png \
	docs/images/demo-degradation.svg \
	docs/images/rivals-gain.svg \
	docs/images/rivals-stability.svg \
	docs/images/rivals-stable.svg \
	docs/images/timeline.png \
	docs/images/triage-mixed.svg \
	docs/images/web.png \
	docs/live/cgroup-v2.md \
	docs/live/live-validation.md \
	docs/live/soak.md \
	docs/reference/accounting.md \
	docs/reference/algorithms.md \
	docs/reference/building.md \
	docs/reference/checkpoints.md \
	docs/reference/cluster.md \
	docs/reference/csv-maps.md \
	docs/reference/dfrs-check-config.md \
	docs/reference/dfrs-run.md \
	docs/reference/dfrs-sim.md \
	docs/reference/dfrs.conf.md \
	docs/reference/dfrsctl.md \
	docs/reference/dfrsd.md \
	docs/reference/exit-codes.md \
	docs/reference/explain.md \
	docs/reference/glossary.md \
	docs/reference/metrics.md \
	docs/reference/packages.md \
	docs/reference/paper-map.md \
	docs/reference/record-format.md \
	docs/reference/security.md \
	docs/reference/semantics.md \
	docs/reference/slurm.md \
	docs/reference/timeline.md \
	docs/reference/trace-format.md \
	docs/reference/triage.md \
	docs/researcher-guide.md \
	docs/results/dynp.md \
	docs/results/gang-cloud.md \
	docs/results/ipdps2010.md \
	docs/results/performance.md \
	docs/results/reproduction.md \
	docs/results/rivals-tables.md \
	docs/results/rivals.md \
	docs/results/rr5724.md \
	docs/results/rr7659.md \
	docs/results/sc15.md \
	docs/results/triage.md \
	etc/dfrs.conf.example \
	examples/dfrs.conf.lab \
	examples/dfrs.conf.production \
	examples/dfrs.conf.teaching \
	examples/host.cc \
	examples/ondemand-cluster.yml \
	examples/shared_fcfs.cc \
	examples/shared_fcfs_test.cc \
	examples/slurm.conf.teaching

# Manual pages: of dfrs-sim and its commands from --help, the others from their reference pages by pandoc.
DFRS_SIM_MANS = \
	man/dfrs-sim-advise.1 \
	man/dfrs-sim-analyse.1 \
	man/dfrs-sim-annotate.1 \
	man/dfrs-sim-bound.1 \
	man/dfrs-sim-compare.1 \
	man/dfrs-sim-demo.1 \
	man/dfrs-sim-divisible.1 \
	man/dfrs-sim-fetch.1 \
	man/dfrs-sim-gang.1 \
	man/dfrs-sim-generate.1 \
	man/dfrs-sim-import.1 \
	man/dfrs-sim-list.1 \
	man/dfrs-sim-replay.1 \
	man/dfrs-sim-report.1 \
	man/dfrs-sim-reproduce.1 \
	man/dfrs-sim-run.1 \
	man/dfrs-sim.1
PANDOC_MANS = \
	man/dfrs-check-config.1 \
	man/dfrs-run.1 \
	man/dfrs.conf.5 \
	man/dfrsctl.1 \
	man/dfrsd.8
BASH_COMPLETIONS = \
	completions/bash/dfrs-check-config \
	completions/bash/dfrs-run \
	completions/bash/dfrs-sim \
	completions/bash/dfrsctl \
	completions/bash/dfrsd
ZSH_COMPLETIONS = \
	completions/zsh/_dfrs-check-config \
	completions/zsh/_dfrs-run \
	completions/zsh/_dfrs-sim \
	completions/zsh/_dfrsctl \
	completions/zsh/_dfrsd
CLEANFILES += $(DFRS_SIM_MANS) $(PANDOC_MANS) $(BASH_COMPLETIONS) $(ZSH_COMPLETIONS)
FROM_HELP = $(PERL) $(top_srcdir)/docs/from_help.pl

man_MANS =
if HAVE_HELP_PAGES
man_MANS += $(DFRS_SIM_MANS)
bashcompletiondir = $(datadir)/bash-completion/completions
bashcompletion_DATA = $(BASH_COMPLETIONS)
zshcompletiondir = $(datadir)/zsh/site-functions
zshcompletion_DATA = $(ZSH_COMPLETIONS)
endif
if HAVE_PANDOC
man_MANS += $(PANDOC_MANS)
endif

$(DFRS_SIM_MANS): dfrs-sim$(EXEEXT) docs/from_help.pl
	$(AM_V_GEN)$(MKDIR_P) man && command=`basename $@ .1 | sed 's/^dfrs-sim-*//'` && \
	  $(FROM_HELP) man ./dfrs-sim$(EXEEXT) $$command > $@.tmp && mv -f $@.tmp $@
$(PANDOC_MANS): docs/man.lua docs/reference/dfrs-check-config.md docs/reference/dfrs-run.md docs/reference/dfrs.conf.md \
		docs/reference/dfrsctl.md docs/reference/dfrsd.md
	$(AM_V_GEN)$(MKDIR_P) man && page=`basename $@` && name=`echo $$page | sed 's/\.[0-9]$$//'` && \
	  $(PANDOC) --standalone --from gfm --to man --shift-heading-level-by=-1 --lua-filter $(top_srcdir)/docs/man.lua \
	  --metadata section=`echo $$page | sed 's/.*\.//'` --metadata footer='dfrs $(VERSION)' --metadata header=dfrs \
	  $(top_srcdir)/docs/reference/$$name.md > $@.tmp && mv -f $@.tmp $@
$(BASH_COMPLETIONS) $(ZSH_COMPLETIONS): dfrs-check-config$(EXEEXT) dfrs-run$(EXEEXT) dfrs-sim$(EXEEXT) dfrsctl$(EXEEXT) \
		dfrsd$(EXEEXT) docs/from_help.pl
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(FROM_HELP) `basename $(@D)` ./`basename $@ | sed 's/^_//'`$(EXEEXT) > $@.tmp && \
	  mv -f $@.tmp $@

# What the reference takes from --help. tests/docs/reference.sh compares it with the programs.
.PHONY: update-reference
update-reference: dfrs-sim$(EXEEXT) dfrs-check-config$(EXEEXT) dfrs-run$(EXEEXT) dfrsctl$(EXEEXT) dfrsd$(EXEEXT)
	$(PERL) $(top_srcdir)/tests/docs/reference.pl --update $(top_srcdir) .

# The figures of docs/results: `make results RESULTS=dynp` runs what has no results yet in results-runs, then writes the
# data and the pages; without RESULTS, all. RESULTS='ipdps2010 --instances 10' runs a subset. Logs are found by
# DFRS_TRACES or in the cache of `dfrs-sim fetch`.
.PHONY: results results-pages
results: dfrs-sim$(EXEEXT)
	python3 $(top_srcdir)/docs/results/regenerate.py run $(RESULTS) --program ./dfrs-sim$(EXEEXT) --work results-runs
results-pages:
	python3 $(top_srcdir)/docs/results/regenerate.py pages

# Examples: the host is built and run, the policy is part of tests/page_tests, the settings are checked.
EXTRA_PROGRAMS += examples/host
CLEANFILES += examples/host
examples_host_SOURCES = examples/host.cc
examples_host_LDADD = libpolicy.a
tests/docs/examples.log: examples/host$(EXEEXT)

DOCS_TESTS = \
	tests/docs/completions.sh \
	tests/docs/dashboard.sh \
	tests/docs/doxygen.sh \
	tests/docs/examples.sh \
	tests/docs/man.sh \
	tests/docs/reference.sh \
	tests/docs/reference_selftest.sh \
	tests/docs/results.sh
EXTRA_DIST += packaging/grafana/dfrs.json tests/docs/check_dashboard.py tests/docs/reference.pl
