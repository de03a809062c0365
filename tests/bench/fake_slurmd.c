/* SPDX-License-Identifier: GPL-2.0-or-later
 * Many nodes in one process, for measuring slurmctld with its plugins at a scale that no test machine has: registers
 * every node of a list, says yes to each launch, suspend and signal, and reports the epilog of each job that slurmctld
 * ends. No job is ever run.
 *
 *   fake_slurmd PORT NODES CPUS MEMORY_MIB      (NODES as in slurm.conf, for example f[1-2000])
 *
 * slurm.conf names the nodes with NodeAddr=127.0.0.1, that one Port, and TreeWidth=65533 so that slurmctld sends each
 * message straight to its node. Prints "ready" when all nodes are registered.
 */
#include "config.h"

#include <pthread.h>
#include <slurm/slurm_version.h>
#include <stdio.h>
#include <stdlib.h>

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"

#include "src/common/gres.h"
#include "src/common/hostlist.h"
#include "src/common/log.h"
#include "src/common/read_config.h"
#include "src/common/slurm_acct_gather_energy.h"
#include "src/common/slurm_protocol_api.h"
#include "src/common/slurm_protocol_defs.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

static int register_node(const char* name, uint16_t cpus, uint64_t memory) {
  slurm_node_registration_status_msg_t body = {0};
  body.hostname = xstrdup("localhost");
  body.node_name = xstrdup(name);
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
  slurm_msg_t message;
  slurm_msg_t_init(&message);
  message.msg_type = MESSAGE_NODE_REGISTRATION_STATUS;
  message.data = &body;
  slurm_msg_set_r_uid(&message, slurm_conf.slurm_user_id);
  slurm_msg_t answer;
  slurm_msg_t_init(&answer);
  int rc = slurm_send_recv_controller_msg(&message, &answer, working_cluster_rec);
  if (rc == 0 && answer.msg_type == RESPONSE_SLURM_RC) rc = ((return_code_msg_t*)answer.data)->return_code;
  return rc;
}

static void report_epilog(uint32_t job_id, const char* nodes) {
  hostlist_t list = hostlist_create(nodes);
  for (char* name; (name = hostlist_shift(list));) {
    epilog_complete_msg_t body = {.job_id = job_id, .return_code = 0, .node_name = name};
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

static void* serve(void* arg) {
  const int fd = (int)(long)arg;
  slurm_msg_t* message = xmalloc(sizeof(*message));
  slurm_msg_t_init(message);
  if (slurm_receive_msg(fd, message, 0) == 0) {
    (void)slurm_send_rc_msg(message, SLURM_SUCCESS);
    if (message->msg_type == REQUEST_TERMINATE_JOB || message->msg_type == REQUEST_KILL_PREEMPTED ||
        message->msg_type == REQUEST_KILL_TIMELIMIT || message->msg_type == REQUEST_ABORT_JOB) {
      const kill_job_msg_t* kill = message->data;
      report_epilog(kill->step_id.job_id, kill->nodes);
    }
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
  for (;;) {
    slurm_addr_t from;
    const int fd = slurm_accept_msg_conn(listening, &from);
    if (fd < 0) continue;
    pthread_t thread;
    if (pthread_create(&thread, &detached, serve, (void*)(long)fd) != 0) close(fd);
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: %s PORT NODES CPUS MEMORY_MIB\n", argv[0]);
    return 2;
  }
  slurm_conf_init(NULL);
  log_options_t to_stderr = LOG_OPTS_STDERR_ONLY;
  log_init(argv[0], to_stderr, 0, NULL);
  (void)slurm_auth_init(NULL);
  (void)gres_init();
  const int listening = slurm_init_msg_engine_port((uint16_t)atoi(argv[1]));
  if (listening < 0) {
    fprintf(stderr, "%s: cannot listen on port %s\n", argv[0], argv[1]);
    return 1;
  }
  pthread_t acceptor;
  if (pthread_create(&acceptor, NULL, accept_all, (void*)(long)listening) != 0) return 1;
  hostlist_t nodes = hostlist_create(argv[2]);
  for (char* name; (name = hostlist_shift(nodes));) {
    const int rc = register_node(name, (uint16_t)atoi(argv[3]), (uint64_t)atoll(argv[4]));
    if (rc != 0) {
      fprintf(stderr, "%s: slurmctld does not take %s: %s\n", argv[0], name, slurm_strerror(rc));
      return 1;
    }
    free(name);
  }
  printf("ready\n");
  fflush(stdout);
  pthread_join(acceptor, NULL);
  return 0;
}
