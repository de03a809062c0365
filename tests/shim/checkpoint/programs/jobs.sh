#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Background jobs, a trap and a file that grows.
trap 'echo got USR1 >> jobs.txt' USR1
for i in 1 2 3; do
  (for j in $(seq 1 12); do
    echo "$i $j" >> "part$i.txt"
    for ((k = 0; k < 50000; ++k)); do :; done
    sleep 0.02
  done) &
done
wait
kill -USR1 $$
cat part?.txt jobs.txt | sha256sum | cut -c1-16
