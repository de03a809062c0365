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
THROUGH_US = OURS.replace("saving.c:140 in saving_now",
                          "(/opt/slurm/lib/slurm/libslurmfull.so+0x1f) (BuildId: 12ab) in list_append")


class Reports(unittest.TestCase):
    def test_ours_are_told_and_slurms_are_counted(self):
        self.assertEqual(sanitizer.judge(SLURMS + OURS, set()),
                         (["thread: data race: saving_now"], ["address: heap-use-after-free: _job_timed_out"]))

    def test_those_that_are_known_are_not(self):
        name = "thread: data race: list_append"
        self.assertEqual(sanitizer.judge(THROUGH_US, set()), ([name], []))
        self.assertEqual(sanitizer.judge(THROUGH_US, sanitizer.known(f"# a list's own lock\n\n{name}\n")), ([], [name]))

    def test_a_report_that_was_cut_off_is_told(self):
        self.assertEqual(sanitizer.judge(SLURMS + OURS[:150], set())[0], ["unfinished"])
