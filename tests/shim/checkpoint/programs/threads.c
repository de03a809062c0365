/* SPDX-License-Identifier: GPL-2.0-or-later
 * Four threads that add to one sum under a lock, and wait for each other after each round. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { kThreads = 4, kRounds = 20000, kSteps = 20000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static uint64_t sum;
static __thread uint64_t own;

static void* work(void* argument) {
  const uint64_t number = (uint64_t)(uintptr_t)argument;
  for (int round = 0; round < kRounds; ++round) {
    for (int step = 0; step < kSteps; ++step) own = own * 6364136223846793005ULL + number;
    pthread_mutex_lock(&lock);
    sum += own;
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  pthread_barrier_init(&barrier, NULL, kThreads);
  for (uintptr_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)(i + 1));
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  printf("threads %llu\n", (unsigned long long)sum);
  return 0;
}
