/* SPDX-License-Identifier: GPL-2.0-or-later
 * A job for tests: does a given amount of CPU work by its own CPU clock, holds memory whose contents it checks at the
 * end, and can continue from a checkpoint. What happened goes to a file, a line of JSON at the start and at the end of
 * each run, so that a test can tell that every job did the work that it was asked for, once, and where.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const char* const kUsage =
    "usage: burn --work SECONDS [OPTION...]\n"
    "  --work SECONDS          CPU time to use, of all threads together\n"
    "  --threads N             threads that use it (1)\n"
    "  --memory MIB            memory to hold, touched, checked at the end (0)\n"
    "  --result FILE           append a line of JSON at the start and at the end\n"
    "  --checkpoint FILE       write progress there, and continue from it when it exists\n"
    "  --checkpoint-every S    of CPU time (0.1)\n"
    "  --ignore-sigterm        go on after SIGTERM\n"
    "exit: 0 done, 1 error, 2 usage, 3 the memory was not what was written, 143 ended by SIGTERM\n";

enum { kStride = 512, kChunk = 20000 };

static atomic_bool stop_threads;
static double work_of_this_run; /* s of CPU */
static volatile sig_atomic_t terminated;

static void on_sigterm(int number) {
  (void)number;
  terminated = 1;
}

static double clock_seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

/* CPU time of this process. A restore by CRIU sets the process's clock to 0: what it showed before counts, too. */
static double cpu_seconds(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static double before_restores, last;
  pthread_mutex_lock(&mutex);
  const double now = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  if (now < last) before_restores += last;
  last = now;
  const double sum = before_restores + now;
  pthread_mutex_unlock(&mutex);
  return sum;
}

static uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

static void spin(void) {
  static _Atomic uint64_t sink;
  uint64_t value = sink;
  for (int i = 0; i < kChunk; ++i) value = mix(value);
  sink = value;
}

/* Each thread looks for itself whether the work is done: where cores are short the others would go on for as long as
 * the one that told them to stop waits for its turn. */
static void* help(void* unused) {
  (void)unused;
  while (!atomic_load_explicit(&stop_threads, memory_order_relaxed) && cpu_seconds() < work_of_this_run) spin();
  return NULL;
}

static unsigned char* hold(size_t bytes) {
  if (bytes == 0) return NULL;
  unsigned char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    perror("burn: cannot have that much memory");
    exit(1);
  }
  for (size_t at = 0; at + sizeof(uint64_t) <= bytes; at += kStride) {
    uint64_t word = mix(at);
    memcpy(memory + at, &word, sizeof word);
  }
  return memory;
}

static bool intact(const unsigned char* memory, size_t bytes) {
  for (size_t at = 0; at + sizeof(uint64_t) <= bytes; at += kStride) {
    uint64_t word;
    memcpy(&word, memory + at, sizeof word);
    if (word != mix(at)) return false;
  }
  return true;
}

static double number(const char* text, const char* option, double least) {
  char* end = NULL;
  errno = 0;
  double value = strtod(text, &end);
  if (errno != 0 || end == text || *end != '\0' || !(value >= least)) {
    fprintf(stderr, "burn: %s takes a number of %g or more, not '%s'\n", option, least, text);
    exit(2);
  }
  return value;
}

static const char* environment(const char* name, const char* otherwise) {
  const char* value = getenv(name);
  return value != NULL ? value : otherwise;
}

/* One write, so that lines of tasks that share the file do not mix. */
static void report(const char* path, const char* event, double done, double before, double begun, const char* more) {
  char line[1024];
  if (path == NULL) return;
  int length = snprintf(line, sizeof line,
                        "{\"event\":\"%s\",\"job\":%s,\"restarts\":%s,\"task\":%s,\"node\":\"%s\",\"pid\":%d,"
                        "\"begun\":%.6f,\"now\":%.6f,\"from\":%.6f,\"cpu\":%.6f%s}\n",
                        event, environment("SLURM_JOB_ID", "0"), environment("SLURM_RESTART_COUNT", "0"),
                        environment("SLURM_PROCID", "0"), environment("SLURMD_NODENAME", ""), (int)getpid(), begun,
                        clock_seconds(CLOCK_REALTIME), before, done, more);
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0 || length <= 0 || write(file, line, length) != length) {
    fprintf(stderr, "burn: cannot write %s: %s\n", path, strerror(errno));
    exit(1);
  }
  close(file);
}

static double read_checkpoint(const char* path) {
  double done = 0;
  FILE* file = path != NULL ? fopen(path, "re") : NULL;
  if (file == NULL) return 0;
  if (fscanf(file, "%lf", &done) != 1 || !(done >= 0)) {
    fprintf(stderr, "burn: %s is not a checkpoint\n", path);
    exit(1);
  }
  fclose(file);
  return done;
}

static void write_checkpoint(const char* path, double done) {
  char temporary[4096];
  if (path == NULL) return;
  snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
  FILE* file = fopen(temporary, "we");
  if (file == NULL || fprintf(file, "%.6f\n", done) < 0 || fclose(file) != 0 || rename(temporary, path) != 0) {
    fprintf(stderr, "burn: cannot write %s: %s\n", path, strerror(errno));
    exit(1);
  }
}

struct settings {
  double work, threads, memory, every;
  const char *result, *checkpoint;
  bool ignore;
};

/* The exit code of a call that only asks for help or is wrong; negative: go ahead. */
static int read_options(int argc, char** argv, struct settings* to) {
  enum { kWork = 1, kThreads, kMemory, kResult, kCheckpoint, kEvery, kIgnore, kHelp };
  static const struct option options[] = {{"work", required_argument, NULL, kWork},
                                          {"threads", required_argument, NULL, kThreads},
                                          {"memory", required_argument, NULL, kMemory},
                                          {"result", required_argument, NULL, kResult},
                                          {"checkpoint", required_argument, NULL, kCheckpoint},
                                          {"checkpoint-every", required_argument, NULL, kEvery},
                                          {"ignore-sigterm", no_argument, NULL, kIgnore},
                                          {"help", no_argument, NULL, kHelp},
                                          {NULL, 0, NULL, 0}};
  for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
    switch (option) {
      case kWork:
        to->work = number(optarg, "--work", 0);
        break;
      case kThreads:
        to->threads = number(optarg, "--threads", 1);
        break;
      case kMemory:
        to->memory = number(optarg, "--memory", 0);
        break;
      case kResult:
        to->result = optarg;
        break;
      case kCheckpoint:
        to->checkpoint = optarg;
        break;
      case kEvery:
        to->every = number(optarg, "--checkpoint-every", 0);
        break;
      case kIgnore:
        to->ignore = true;
        break;
      case kHelp:
        fputs(kUsage, stdout);
        return 0;
      default:
        fputs(kUsage, stderr);
        return 2;
    }
  }
  if (to->work < 0 || optind != argc || to->threads > 256) {
    fputs(kUsage, stderr);
    return 2;
  }
  return -1;
}

int main(int argc, char** argv) {
  const double begun = clock_seconds(CLOCK_REALTIME);
  struct settings set = {.work = -1, .threads = 1, .every = 0.1};
  const int status = read_options(argc, argv, &set);
  if (status >= 0) return status;
  struct sigaction action = {.sa_handler = set.ignore ? SIG_IGN : on_sigterm};
  sigaction(SIGTERM, &action, NULL);

  const double before = read_checkpoint(set.checkpoint);
  double done = before, written = before;
  work_of_this_run = set.work - before;
  report(set.result, "start", done, before, begun, "");
  const size_t bytes = (size_t)(set.memory * 1024 * 1024);
  unsigned char* held = hold(bytes);
  for (int i = 1; i < (int)set.threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, help, NULL) != 0) {
      fputs("burn: cannot start a thread\n", stderr);
      return 1;
    }
    pthread_detach(thread);
  }
  while (!terminated && (done = before + cpu_seconds()) < set.work) {
    if (set.checkpoint != NULL && done - written >= set.every) {
      write_checkpoint(set.checkpoint, done);
      written = done;
    }
    spin();
  }
  atomic_store(&stop_threads, true);
  done = before + cpu_seconds();
  write_checkpoint(set.checkpoint, done);
  if (terminated) {
    report(set.result, "terminated", done, before, begun, "");
    return 143;
  }
  const bool good = intact(held, bytes);
  char more[64];
  snprintf(more, sizeof more, ",\"work\":%.6f,\"memory_ok\":%s", set.work, good ? "true" : "false");
  report(set.result, "end", done, before, begun, more);
  return good ? 0 : 3;
}
