# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts the ticks of an interval timer, and signals to itself, while it computes."""
import hashlib
import os
import signal
import time

counted = {signal.SIGALRM: 0, signal.SIGUSR1: 0}


def count(number, _frame):
    counted[number] += 1
    if number == signal.SIGALRM:
        os.kill(os.getpid(), signal.SIGUSR1)


for number in counted:
    signal.signal(number, count)
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
text = b""
for _ in range(7_200_000):
    text = hashlib.sha256(text).digest()
while counted[signal.SIGALRM] < 40:
    time.sleep(0.1)
signal.setitimer(signal.ITIMER_REAL, 0)
time.sleep(0.1)
equal = counted[signal.SIGUSR1] == counted[signal.SIGALRM] >= 40
print("timers", "equal" if equal else counted, text.hex()[:16])
