# SPDX-License-Identifier: GPL-2.0-or-later
"""Which reports of a sanitizer are of dfrs."""
import unittest

from . import sanitizer

SLURMS = """=================================================================
==41==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x55 bp 0x7f sp 0x7f
READ of size 8 at 0x60 thread T3
    #0 _job_timed_out job_mgr.c:8100 /opt/slurm/sbin/slurmctld
    #1 start_thread (/lib/libc.so.6+0x8f) /lib/libc.so.6
SUMMARY: AddressSanitizer: heap-use-after-free job_mgr.c:8100 in _job_timed_out
"""
OURS = """WARNING: ThreadSanitizer: data race (pid=41)
  Write of size 4 at 0x7b by thread T9:
    #0 saving_now saving.c:140 /tmp/soak/0/plugins/other/slurm/sched_dfrs.so
  Previous read of size 4 at 0x7b by thread T1:
    #0 main controller.c:100 /opt/slurm/sbin/slurmctld
SUMMARY: ThreadSanitizer: data race saving.c:140 in saving_now
"""
# Of a file that was loaded later no function is known, neither in the stack nor in the summary.
OF_A_GLOBAL = """WARNING: ThreadSanitizer: data race (pid=41)
  Read of size 8 at 0x55 by thread T12:
    #0 <null> <null> /tmp/soak/0/plugins/other/slurm/sched_dfrs.so
  Previous write of size 8 at 0x55 by thread T36 (mutexes: read M10, write M11):
    #0 validate_node_specs node_mgr.c:3431 /opt/slurm/sbin/slurmctld

  Location is global 'last_node_update' of size 8 at 0x55 (slurmctld+0x1a)
SUMMARY: ThreadSanitizer: data race (/tmp/soak/0/plugins/other/slurm/sched_dfrs.so+0xb8) (BuildId: 12ab)
"""
# Both sides are Slurm's; only one of the threads was begun by us.
OF_OUR_THREAD = """WARNING: ThreadSanitizer: data race (pid=41)
  Write of size 8 at 0x7b by thread T39:
    #0 list_append list.c:100 /opt/slurm/lib/slurm/libslurmfull.so
  Previous read of size 8 at 0x7b by thread T11:
    #0 list_count list.c:50 /opt/slurm/lib/slurm/libslurmfull.so

  Mutex M345 (0x56) created at:
    #0 lock_slurmctld locks.c:137 /opt/slurm/sbin/slurmctld
    #1 <null> <null> /tmp/soak/0/plugins/other/slurm/sched_dfrs.so
  Thread T11 (tid=7, running) created by main thread at:
    #0 <null> <null> /tmp/soak/0/plugins/other/slurm/sched_dfrs.so
SUMMARY: ThreadSanitizer: data race list.c:100 in list_append
"""
THROUGH_US = OF_OUR_THREAD.replace("/opt/slurm/lib/slurm/libslurmfull.so\n\n", "/opt/slurm/lib/slurm/libslurmfull.so\n"
                                   "    #1 <null> <null> /tmp/soak/0/plugins/other/slurm/sched_dfrs.so\n\n")
LOCKS = """WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=41)
  Cycle in lock order graph: M1 (0x1) => M2 (0x2) => M1

  Mutex M2 acquired here while holding mutex M1 in main thread:
    #0 pthread_rwlock_rdlock tsan.cpp:1 /lib/libtsan.so.2
    #1 <null> <null> /tmp/soak/0/plugins/other/slurm/sched_dfrs.so

  Mutex M1 acquired here while holding mutex M2 in thread T1:
    #0 pthread_rwlock_wrlock tsan.cpp:2 /lib/libtsan.so.2

  Thread T1 (tid=8, running) created by main thread at:
    #0 pthread_create tsan.cpp:3 /lib/libtsan.so.2
SUMMARY: ThreadSanitizer: lock-order-inversion (potential deadlock) assoc_mgr.c:2431 in assoc_mgr_lock
"""


class Reports(unittest.TestCase):
    def test_ours_are_told_and_slurms_are_counted(self):
        self.assertEqual(sanitizer.judge(SLURMS + OURS, set()),
                         (["thread: data race: main, saving_now"], ["address: heap-use-after-free: _job_timed_out"]))

    def test_a_race_about_a_global_has_its_name(self):
        self.assertEqual(sanitizer.judge(OF_A_GLOBAL + SLURMS, set()),
                         (["thread: data race: global last_node_update"], ["address: heap-use-after-free: _job_timed_out"]))

    def test_a_function_that_is_not_known_has_the_name_of_its_file(self):
        report = OF_A_GLOBAL.replace("Location is global 'last_node_update'", "Location is heap block").replace("dfrs.so\n",
                                                                                                            "dfrs.so+0xb8\n")
        self.assertEqual(sanitizer.judge(report, set()), (["thread: data race: sched_dfrs.so, validate_node_specs"], []))

    def test_where_a_thread_or_a_lock_is_from_does_not_matter(self):
        name = "thread: data race: list_append, list_count"
        self.assertEqual(sanitizer.judge(OF_OUR_THREAD, set()), ([], [name]))
        self.assertEqual(sanitizer.judge(THROUGH_US, set()), ([name], []))

    def test_all_stacks_of_locks_count(self):
        name = "thread: lock-order-inversion (potential deadlock): assoc_mgr_lock"
        self.assertEqual(sanitizer.judge(LOCKS, set()), ([name], []))
        self.assertEqual(sanitizer.judge(LOCKS.replace("sched_dfrs.so", "sched_other"), set()), ([], [name]))

    def test_those_that_are_known_are_not(self):
        ignored = sanitizer.known("# a list's own lock\n\nthread: data race: list_append, list_count\n")
        self.assertEqual(sanitizer.judge(THROUGH_US, ignored), ([], ["thread: data race: list_append, list_count"]))

    def test_an_end_by_the_sanitizer_is_told_whichever_it_is(self):
        crash = "==41==ERROR: ThreadSanitizer: SEGV on unknown address (pc 0x7f bp 0x7f sp 0x7f T12)\n"
        end = "SUMMARY: ThreadSanitizer: SEGV saving.c:3 in flush\n"
        stack = "    #0 flush saving.c:3 /tmp/soak/0/plugins/other/slurm/sched_dfrs.so+0x3\n"
        self.assertEqual(sanitizer.judge(crash + stack + end, set())[0], ["thread: SEGV: flush"])
        self.assertEqual(sanitizer.judge("FATAL: ThreadSanitizer: unexpected memory mapping\n", set())[0], ["unfinished"])

    def test_a_report_that_was_cut_off_is_told(self):
        self.assertEqual(sanitizer.judge(SLURMS + OURS[:150], set())[0], ["unfinished"])
        self.assertEqual(sanitizer.judge(OURS[:150] + SLURMS, set())[0], ["unfinished"])
        self.assertEqual(sanitizer.judge("==================\n", set()), ([], []))

    def test_each_known_one_says_why(self):
        text = sanitizer.KNOWN.read_text(encoding="utf-8")
        self.assertTrue(sanitizer.known(text))
        for block in text.strip().split("\n\n"):
            self.assertTrue(block.startswith("# "), block)
