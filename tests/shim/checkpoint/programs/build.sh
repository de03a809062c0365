#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compiles a small program with make -j.
set -e
i=0
echo 'int main(void) { return 0' > main.c
while [ $i -lt 60 ]; do
  echo "int part$i(int x) { int s = 0; for (int i = 0; i < x; ++i) s += i * $i; return s; }" > "part$i.c"
  echo "+ part$i(10) * 0" >> main.c
  sed -i "1i int part$i(int);" main.c
  parts="$parts part$i.o"
  i=$((i + 1))
done
echo '; }' >> main.c
printf 'all: main.o %s\n\t$(CC) -o all $^\n' "$parts" > Makefile
unset MAKEFLAGS MFLAGS MAKELEVEL # of a make that runs the tests: it would warn of -j4
make -s -j4 CFLAGS=-O2
./all && echo build ok
