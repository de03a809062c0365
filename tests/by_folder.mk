# SPDX-License-Identifier: GPL-2.0-or-later
# For the builds of ./quickstart, which reads it as GNUmakefile of their build folders: libraries, subcommands and tests
# compiled a folder at a time, each folder as one source that includes the others. Reading headers, and the code of
# templates that every file has again, are most of what a build costs. Builds by hand (./configure && make) compile file by
# file.
COPIES = dfrs_sim libbase_a libpolicy_a libsim_a libstudies_a libdfrs_control_a libdfrs_conf_a libdfrs_record_a libshimnet_a libagent_a \
	libdfrsctl_a tests_oracle_liboracle_a tests_policy_tests tests_sim_tests tests_thread_tests tests_node_tests \
	tests_node_thread_tests tests_shim_tests tests_shim_thread_tests tests_cli_tests

# Sources that use a name for something else than another source of their folder does, which g++ then says, are compiled
# by themselves; so is the registry, which a test links with another table.
ALONE = policy/core/registry.cc policy/batch/conservative_family.cc policy/batch/shared_nodes.cc \
	studies/divisible/command.cc sim/cli/main.cc \
	sim/bound/ls1.cc sim/bound/rate_limited_set.cc sim/report/page.cc \
	studies/gang/gang_cloud.cc sim/reproduce/ipdps2010.cc sim/reproduce/render.cc studies/divisible/rr5724.cc \
	sim/reproduce/rr7659_tables.cc sim/reproduce/triage/sensitivity_part.cc \
	shim/agent/cgroup/v2.cc shim/conf/slurm_conf.cc shim/controller/reconciler.cc shim/controller/state_file.cc \
	tests/cli/golden_test.cc tests/cli/run_test.cc tests/cli/store_test.cc \
	tests/policy/rr7659/greedy_test.cc tests/policy/rr7659/priority_test.cc tests/policy/yield/max_min_test.cc \
	tests/shim/controller/offers_test.cc tests/shim/controller/pause_costs_test.cc tests/shim/controller/quotas_test.cc \
	tests/shim/controller/rules_test.cc tests/shim/controller/smoke_test.cc tests/sim/host/needs_test.cc \
	tests/sim/host/simulation_cases_test.cc \
	tests/sim/bound/interval_schedule_test.cc tests/sim/workload/streit_test.cc

# $(call together,COPY): its sources in C++ that are compiled by folder; $(call folders,COPY): these folders
together = $(filter-out $(ALONE),$(filter %.cc,$($1_SOURCES)))
folders = $(sort $(dir $(call together,$1)))
apart = $(filter %.c,$($1_SOURCES)) $(filter $(ALONE),$(filter %.cc,$($1_SOURCES)))
objects = $(foreach folder,$(call folders,$1),$(call place,$1,$(folder))/$(folder:/=).o) \
	$(foreach source,$(apart),$(call place,$1,$(source))/$(source).o)

# A build with AddressSanitizer may take most of its tests as they are compiled without, from another build folder (PLAIN):
# the code under test is instrumented, and what a test hands to it. Not so what plays slurmctld, and what is in C: these
# hold pointers of the other side.
TAKEN = tests_oracle_liboracle_a tests_policy_tests tests_sim_tests tests_thread_tests tests_node_tests \
	tests_node_thread_tests tests_shim_tests tests_shim_thread_tests
NOT_TAKEN = %.c tests/shim/ tests/shim/fake_slurm/
taken = $(and $(filter $1,$(TAKEN)),$(filter-out $(NOT_TAKEN),$2))
# $(call place,COPY,FOLDER-OR-SOURCE): the folder of its object. Two programs have the same simulated slurmctld.
place = $(and $(PLAIN),$(taken),$(PLAIN)/)by_folder/$(if $(filter tests/shim/fake_slurm/,$2),tests_shim_tests,$1)
here = $(filter by_folder/$1,$(place))

# Before the Makefile, whose rules are to see these instead of its own. Its variables come before its rules.
$(foreach copy,$(COPIES),$(eval override am_$(copy)_OBJECTS = $$(call objects,$(copy))))
include Makefile

# What nearly every library includes, compiled once where `make by_folder/headers.h.gch` is made first, with the same flags.
# g++ 12 then warns falsely of the standard library's own memset (-Wno-stringop-overflow, -Wno-array-bounds).
by_folder/headers.h.gch: tests/by_folder.h
	@mkdir -p $(@D)
	@printf '#include "%s"\n' $< > by_folder/headers.h
	$(AM_V_GEN)$(CXX) $(DEFS) $(DEFAULT_INCLUDES) $(SHIM_CPPFLAGS) $(CPPFLAGS) $(AM_CXXFLAGS) $(CXXFLAGS) -x c++-header -o $@ $<
headers = $(if $(filter lib%,$1),$(and $(wildcard by_folder/headers.h.gch),-include by_folder/headers.h -Wno-stringop-overflow -Wno-array-bounds))

# $(call compiled,COPY,OBJECT,SOURCES). To g++ a source that is included by another one seems to be a header, which had better have
# nothing anonymous (-Wno-subobject-linkage).
define compiled
by_folder/$1/$2.o: $3 | policy/core/registry_table.h
	@mkdir -p $$(@D)
	@printf '#include "%s"\n' $3 > by_folder/$1/$2$$(suffix $(firstword $3))
	$$(if $$(filter %.c,$3),$$(AM_V_CC)$$(CC),$$(AM_V_CXX)$$(CXX)) $$(DEFS) $$(DEFAULT_INCLUDES) $$(or $$($1_CPPFLAGS),$$(AM_CPPFLAGS)) $$(CPPFLAGS) \
	  $$(if $$(filter %.c,$3),$$(AM_CFLAGS) $$(CFLAGS),$$(AM_CXXFLAGS) $$(CXXFLAGS) -Wno-subobject-linkage $$(call headers,$1)) -MD -MP -c -o $$@ \
	  by_folder/$1/$2$$(suffix $(firstword $3))
endef
$(foreach copy,$(COPIES),\
  $(foreach folder,$(call folders,$(copy)),$(if $(call here,$(copy),$(folder)),\
    $(eval $(call compiled,$(copy),$(folder:/=),$(sort $(filter $(addprefix $(folder),$(notdir $(call together,$(copy)))),$(call together,$(copy))))))))\
  $(foreach source,$(call apart,$(copy)),$(if $(call here,$(copy),$(source)),$(eval $(call compiled,$(copy),$(source),$(source))))))
-include $(shell find by_folder -name '*.d' 2> /dev/null)

# Nearly all of these programs is the library that parses their options: see make_programs in ./quickstart.
shim/agent/dfrsd-main.o shim/admin/dfrsctl-dfrsctl_main.o shim/conf/dfrs_check_config-check_config_main.o: \
  override CXXFLAGS += -O0 -fno-sanitize=undefined

# What another build takes.
plain-tests: $(foreach copy,$(TAKEN),$(foreach part,$(call folders,$(copy)) $(call apart,$(copy)),\
  $(if $(call taken,$(copy),$(part)),$(call place,$(copy),$(part))/$(part:/=).o)))

ifdef PLAIN
# What computes most is optimised, with AddressSanitizer's code in place instead of calls.
by_folder/libpolicy_a/% by_folder/libsim_a/sim.o by_folder/libsim_a/sim/bound.o: CXXFLAGS += -O1 --param=asan-instrumentation-with-call-threshold=7000
$(PLAIN)/%.o: ;  # made there
# Of an inline function that a plain test and an instrumented library both have, the linker keeps the one it sees first.
$(foreach copy,$(filter-out %_a,$(TAKEN)),$(eval $(subst tests_,tests/,$(copy)): private LDFLAGS += \
  -Wl,--whole-archive $(sort $(filter-out tests/%,$(filter %.a,$($(copy)_LDADD)))) -Wl,--no-whole-archive))
endif
