/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

int main(void) {
  unsigned long long sum = 0;
  for (int round = 0; round < 6000; ++round) {
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 400000; ++i) sum += ((unsigned long long)i * 2654435761U + (unsigned)round) % 1000003U;
  }
  printf("openmp %llu\n", sum);
  return 0;
}
