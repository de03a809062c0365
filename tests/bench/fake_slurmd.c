/* SPDX-License-Identifier: GPL-2.0-or-later
 * Many nodes in one process, for measuring slurmctld with its plugins at a scale that no test machine has: registers
 * every node of a list, again whenever slurmctld asks, says yes to each launch, suspend and signal, and reports the
 * epilog of each job that slurmctld ends. No job is ever run: one whose script says `sleep N` ends N seconds after its
 * launch, less the time for which it is suspended; others end only when slurmctld says so.
 *
 *   fake_slurmd PORT NODES CPUS MEMORY_MIB      (NODES as in slurm.conf, for example f[1-2000])
 *
 * All nodes have one port. Node number i of the list (from 0) has the address 127.1.(i / 250).(i % 250 + 1), by which
 * a request is known to be for it. TreeWidth=65533 lets slurmctld send each message straight to its node. Prints
 * "ready" when all nodes are registered, then a line for each event, with the time in seconds since the epoch:
 *
 *   launch JOB TIME
 *   end JOB TIME         it has ended by itself, and slurmctld knows
 */
#include "config.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <slurm/slurm_version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "plugin/compat.h"
#if COMPAT_SINCE(23, 11)
#include "src/interfaces/acct_gather_energy.h"
#include "src/interfaces/auth.h"
#include "src/interfaces/gres.h"
#else
#include "src/common/gres.h"
#include "src/common/slurm_acct_gather_energy.h"
#endif

enum {
  NODES_OF_A_BLOCK = 250,
  MOST_NODES = NODES_OF_A_BLOCK * 256,
  MOST_JOBS = 1 << 20,
  REGISTERING_THREADS = 4,
  ENDING_THREADS = 8,
};

struct job {
  int node;    /* + 1; 0: not running here */
  int next;    /* the next job of its node */
  double due;  /* when it ends by itself; INFINITY: never, or suspended */
  double left; /* s; while it is suspended */
  bool suspended;
};

static char* names[MOST_NODES];
static int node_count;
static int first_job[MOST_NODES]; /* 0: none */
static struct job* jobs;          /* by number */
static uint32_t highest_job;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the jobs */
static uint16_t cpus;
static uint64_t memory;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- jobs ------------------------------------------------------------------------------------------------------- */

/* Needs the lock. */
static void forget(uint32_t id) {
  struct job* const job = &jobs[id];
  if (job->node == 0) return;
  for (int* at = &first_job[job->node - 1]; *at != 0; at = &jobs[*at].next) {
    if ((uint32_t)*at != id) continue;
    *at = job->next;
    break;
  }
  memset(job, 0, sizeof(*job));
}

static void launched(uint32_t id, int node, const char* script) {
  if (id >= MOST_JOBS) return;
  const char* const sleeps = script ? strstr(script, "sleep ") : NULL;
  pthread_mutex_lock(&lock);
  forget(id);
  jobs[id] = (struct job){
      .node = node + 1, .next = first_job[node], .due = sleeps ? now() + strtod(sleeps + 6, NULL) : INFINITY};
  first_job[node] = (int)id;
  if (id > highest_job) highest_job = id;
  pthread_mutex_unlock(&lock);
  printf("launch %u %.4f\n", id, now());
  fflush(stdout);
}

static void suspend_or_resume(uint32_t id, bool suspend) {
  if (id >= MOST_JOBS) return;
  pthread_mutex_lock(&lock);
  struct job* const job = &jobs[id];
  if (job->node != 0 && suspend != job->suspended) {
    job->suspended = suspend;
    if (suspend) job->left = job->due - now();
    job->due = suspend ? INFINITY : now() + job->left;
  }
  pthread_mutex_unlock(&lock);
}

static int send_to_slurmctld(uint16_t type, void* body) {
  slurm_msg_t message;
  slurm_msg_t_init(&message);
  message.msg_type = type;
  message.data = body;
  slurm_msg_set_r_uid(&message, slurm_conf.slurm_user_id);
  int rc = 0;
  return slurm_send_recv_controller_rc_msg(&message, &rc, working_cluster_rec) != 0 ? -1 : rc;
}

static void report_end(uint32_t id, int node) {
  complete_batch_script_msg_t body = {.node_name = names[node]};
#if COMPAT_SINCE(25, 11)
  body.step_id = (slurm_step_id_t){.job_id = id, .step_id = SLURM_BATCH_SCRIPT, .step_het_comp = NO_VAL};
#else
  body.job_id = id;
#endif
  while (send_to_slurmctld(REQUEST_COMPLETE_BATCH_SCRIPT, &body) < 0) sleep(1); /* slurmctld is being restarted */
  printf("end %u %.4f\n", id, now());
  fflush(stdout);
}

/* Ends jobs that are due, of those whose number is `share` modulo the number of threads. */
static void* end_jobs(void* arg) {
  const uint32_t share = (uint32_t)(long)arg;
  for (;;) {
    usleep(20000);
    for (uint32_t id = share; id <= __atomic_load_n(&highest_job, __ATOMIC_RELAXED); id += ENDING_THREADS) {
      pthread_mutex_lock(&lock);
      const bool due = jobs[id].node != 0 && jobs[id].due <= now();
      const int node = jobs[id].node - 1;
      if (due) jobs[id].due = INFINITY;
      pthread_mutex_unlock(&lock);
      if (due) report_end(id, node);
    }
  }
  return NULL;
}

static void report_epilog(uint32_t id, const char* nodes) {
  compat_hostlist list = hostlist_create(nodes);
  for (char* name; (name = hostlist_shift(list));) {
    epilog_complete_msg_t body = {.return_code = 0, .node_name = name};
#if COMPAT_SINCE(25, 11)
    body.step_id = (slurm_step_id_t){.job_id = id, .step_id = NO_VAL, .step_het_comp = NO_VAL};
#else
    body.job_id = id;
#endif
    slurm_msg_t message;
    slurm_msg_t_init(&message);
    message.msg_type = MESSAGE_EPILOG_COMPLETE;
    message.data = &body;
    slurm_msg_set_r_uid(&message, slurm_conf.slurm_user_id);
    (void)slurm_send_only_controller_msg(&message, working_cluster_rec);
    free(name);
  }
  hostlist_destroy(list);
}

/* ---- registration ----------------------------------------------------------------------------------------------- */

/* The batch steps of the node's jobs; to be freed. */
static slurm_step_id_t* steps_of(int node, uint32_t* count) {
  pthread_mutex_lock(&lock);
  *count = 0;
  for (int id = first_job[node]; id != 0; id = jobs[id].next) ++*count;
  slurm_step_id_t* const steps = xcalloc(*count + 1, sizeof(*steps));
  uint32_t at = 0;
  for (int id = first_job[node]; id != 0; id = jobs[id].next)
    steps[at++] = (slurm_step_id_t){.job_id = (uint32_t)id, .step_id = SLURM_BATCH_SCRIPT, .step_het_comp = NO_VAL};
  pthread_mutex_unlock(&lock);
  return steps;
}

static int register_node(int node) {
  slurm_node_registration_status_msg_t body = {0};
  body.hostname = xstrdup("localhost");
  body.node_name = xstrdup(names[node]);
  body.version = xstrdup_printf("%d.%02d.%d", SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER),
                                SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER), SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER));
  body.cpus = cpus;
  body.boards = 1;
  body.sockets = 1;
  body.cores = cpus;
  body.threads = 1;
  body.real_memory = memory;
  body.tmp_disk = 100000;
  body.hash_val = slurm_conf.hash_val;
  body.free_mem = memory;
  body.up_time = 1000;
  body.slurmd_start_time = body.timestamp = time(NULL);
  body.arch = xstrdup("x86_64");
  body.os = xstrdup("Linux");
  body.gres_info = init_buf(1024);
  (void)gres_node_config_pack(body.gres_info);
  body.energy = acct_gather_energy_alloc(1);
  body.step_id = steps_of(node, &body.job_count);
  slurm_msg_t message;
  slurm_msg_t_init(&message);
  message.msg_type = MESSAGE_NODE_REGISTRATION_STATUS;
  message.data = &body;
  slurm_msg_set_r_uid(&message, slurm_conf.slurm_user_id);
  slurm_msg_t answer;
  slurm_msg_t_init(&answer);
  int rc = slurm_send_recv_controller_msg(&message, &answer, working_cluster_rec);
  if (rc == 0 && answer.msg_type == RESPONSE_SLURM_RC) rc = ((return_code_msg_t*)answer.data)->return_code;
  xfree(body.hostname);
  xfree(body.node_name);
  xfree(body.version);
  xfree(body.arch);
  xfree(body.os);
  xfree(body.step_id);
  FREE_NULL_BUFFER(body.gres_info);
  acct_gather_energy_destroy(body.energy);
  return rc;
}

static int registered; /* nodes that have been taken by a thread */

static void* register_nodes(void* unused) {
  (void)unused;
  for (int node; (node = __atomic_fetch_add(&registered, 1, __ATOMIC_RELAXED)) < node_count;) {
    const int rc = register_node(node);
    if (rc == 0) continue;
    fprintf(stderr, "fake_slurmd: slurmctld does not take %s: %s\n", names[node], slurm_strerror(rc));
    exit(1);
  }
  return NULL;
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

/* The node that a connection is meant for. Negative: none. */
static int node_of(int fd) {
  struct sockaddr_in to = {0};
  socklen_t size = sizeof(to);
  if (getsockname(fd, (struct sockaddr*)&to, &size) != 0 || to.sin_family != AF_INET) return -1;
  const uint32_t address = ntohl(to.sin_addr.s_addr);
  const int node = (int)((address >> 8 & 255) * NODES_OF_A_BLOCK + (address & 255)) - 1;
  return address >> 16 == (127u << 8 | 1) && node < node_count ? node : -1;
}

static void act_on(const slurm_msg_t* message, int node) {
  switch (message->msg_type) {
    case REQUEST_BATCH_JOB_LAUNCH: {
      const batch_job_launch_msg_t* const launch = message->data;
#if COMPAT_SINCE(25, 11)
      launched(launch->step_id.job_id, node, launch->script);
#else
      launched(launch->job_id, node, launch->script);
#endif
      break;
    }
    case REQUEST_SUSPEND_INT: {
      const suspend_int_msg_t* const suspend = message->data;
#if COMPAT_SINCE(25, 11)
      suspend_or_resume(suspend->step_id.job_id, suspend->op == SUSPEND_JOB);
#else
      suspend_or_resume(suspend->job_id, suspend->op == SUSPEND_JOB);
#endif
      break;
    }
    case REQUEST_TERMINATE_JOB:
    case REQUEST_KILL_PREEMPTED:
    case REQUEST_KILL_TIMELIMIT:
    case REQUEST_ABORT_JOB: {
      const kill_job_msg_t* const kill = message->data;
      const uint32_t id = kill->step_id.job_id;
      pthread_mutex_lock(&lock);
      if (id < MOST_JOBS) forget(id);
      pthread_mutex_unlock(&lock);
      report_epilog(id, kill->nodes);
      break;
    }
    case REQUEST_NODE_REGISTRATION_STATUS:
      (void)register_node(node);
      break;
    default:
      break;
  }
}

static void* serve(void* arg) {
  const int fd = (int)(long)arg, node = node_of(fd);
  slurm_msg_t* message = xmalloc(sizeof(*message));
  slurm_msg_t_init(message);
  if (node >= 0 && slurm_receive_msg(fd, message, 0) == 0) {
    (void)slurm_send_rc_msg(message, SLURM_SUCCESS);
    act_on(message, node);
  }
  close(fd);
  slurm_free_msg(message);
  return NULL;
}

static void* accept_all(void* arg) {
  const int listening = (int)(long)arg;
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&detached, 256 * 1024);
  for (;;) {
    const int fd = accept(listening, NULL, NULL);
    if (fd < 0) continue;
    pthread_t thread;
    if (pthread_create(&thread, &detached, serve, (void*)(long)fd) != 0) close(fd);
  }
  return NULL;
}

static int listen_on(const char* port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      bind(fd, (struct sockaddr*)&any, sizeof(any)) != 0 || listen(fd, 4096) != 0)
    return -1;
  return fd;
}

static bool name_nodes(const char* list) {
  compat_hostlist nodes = hostlist_create(list);
  for (char* name; (name = hostlist_shift(nodes));) {
    if (node_count == MOST_NODES) return false;
    names[node_count++] = name;
  }
  hostlist_destroy(nodes);
  return true;
}

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: %s PORT NODES CPUS MEMORY_MIB\n", argv[0]);
    return 2;
  }
  cpus = (uint16_t)atoi(argv[3]);
  memory = (uint64_t)atoll(argv[4]);
  slurm_conf_init(NULL);
  log_options_t to_stderr = LOG_OPTS_STDERR_ONLY;
  log_init(argv[0], to_stderr, 0, NULL);
#if COMPAT_SINCE(23, 11)
  (void)auth_g_init();
#else
  (void)slurm_auth_init(NULL);
#endif
  (void)gres_init();
  jobs = calloc(MOST_JOBS, sizeof(*jobs));
  if (!jobs || !name_nodes(argv[2])) {
    fprintf(stderr, "%s: too many nodes\n", argv[0]);
    return 1;
  }
  const int listening = listen_on(argv[1]);
  if (listening < 0) {
    fprintf(stderr, "%s: cannot listen on port %s\n", argv[0], argv[1]);
    return 1;
  }
  pthread_t acceptor, ending, registering[REGISTERING_THREADS];
  if (pthread_create(&acceptor, NULL, accept_all, (void*)(long)listening) != 0) return 1;
  for (long share = 0; share < ENDING_THREADS; ++share)
    if (pthread_create(&ending, NULL, end_jobs, (void*)share) != 0) return 1;
  for (int i = 0; i < REGISTERING_THREADS; ++i)
    if (pthread_create(&registering[i], NULL, register_nodes, NULL) != 0) return 1;
  for (int i = 0; i < REGISTERING_THREADS; ++i) pthread_join(registering[i], NULL);
  printf("ready\n");
  fflush(stdout);
  pthread_join(acceptor, NULL);
  return 0;
}
