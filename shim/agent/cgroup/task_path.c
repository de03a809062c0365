/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shim/agent/cgroup/task_path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool copy(char* out, size_t size, const char* text, size_t length) {
  if (length >= size) return false;
  memcpy(out, text, length);
  out[length] = '\0';
  return true;
}

/* Whether a list of words with commas has the word. */
static bool has_word(const char* list, size_t length, const char* word) {
  const size_t wanted = strlen(word);
  while (true) {
    const char* comma = memchr(list, ',', length);
    const size_t first = comma ? (size_t)(comma - list) : length;
    if (first == wanted && !memcmp(list, word, wanted)) return true;
    if (!comma) return false;
    list += first + 1;
    length -= first + 1;
  }
}

/* Lines of "number:controllers:path". */
bool dfrs_task_path(const char* text, const char* controller, char* path, size_t size) {
  for (const char* line = text; *line;) {
    const size_t length = strcspn(line, "\n");
    const char* controllers = memchr(line, ':', length);
    const char* place = controllers ? memchr(controllers + 1, ':', length - (size_t)(controllers + 1 - line)) : NULL;
    if (place && has_word(controllers + 1, (size_t)(place - controllers - 1), controller))
      return place[1] == '/' && copy(path, size, place + 1, length - (size_t)(place + 1 - line));
    line += length;
    if (*line) ++line;
  }
  return false;
}

/* The length of the mount point if the folder is it or below it, else 0. */
static size_t covers(const char* mount_point, const char* folder) {
  size_t length = strlen(mount_point);
  if (length == 1) length = 0; /* "/" */
  return !strncmp(folder, mount_point, length) && (folder[length] == '/' || !folder[length]) ? length + 1 : 0;
}

/* Lines of "id parent device root mount-point options ...". The deepest mount counts, and the last one where several
 * cover each other. */
bool dfrs_folder_root(const char* mountinfo, const char* folder, char* root, size_t size) {
  FILE* const file = fopen(mountinfo, "re");
  char* line = NULL;
  size_t room = 0;
  size_t best = 0;
  bool fits = false;
  if (!file) return false;
  while (getline(&line, &room, file) > 0) {
    char* words[5];
    char* rest = NULL;
    int count = 0;
    for (char* word = strtok_r(line, " ", &rest); word && count < 5; word = strtok_r(NULL, " ", &rest))
      words[count++] = word;
    const size_t covered = count == 5 ? covers(words[4], folder) : 0;
    if (covered == 0 || covered < best) continue;
    best = covered;
    const char* const below = folder + covered - 1;
    const char* const top = words[3][1] ? words[3] : "";
    const int length = snprintf(root, size, "%s%s", top, below);
    fits = length >= 0 && (size_t)length < size;
    if (fits && length == 0) fits = copy(root, size, "/", 1);
  }
  free(line);
  fclose(file);
  return fits;
}

const char* dfrs_path_below(const char* path, const char* root) {
  size_t length = strlen(root);
  while (length > 0 && root[length - 1] == '/') --length;
  if (strncmp(path, root, length) != 0 || (path[length] != '/' && path[length])) return NULL;
  path += length;
  while (*path == '/') ++path;
  return path;
}

static bool is_scope(const char* name, size_t length, const char* node) {
  static const char kScope[] = "slurmstepd.scope";
  const size_t scope = sizeof(kScope) - 1;
  const size_t prefix = strlen(node);
  if (length == scope) return !memcmp(name, kScope, scope);
  return length == prefix + 1 + scope && !memcmp(name, node, prefix) && name[prefix] == '_' &&
         !memcmp(name + prefix + 1, kScope, scope);
}

size_t dfrs_scope_length(const char* path, const char* node) {
  size_t found = 0;
  for (size_t at = 0; path[at];) {
    const size_t length = strcspn(path + at, "/");
    if ((length == 1 && path[at] == '.') || (length == 2 && !memcmp(path + at, "..", 2))) return 0;
    if (is_scope(path + at, length, node)) found = at + length;
    at += length;
    while (path[at] == '/') ++at;
  }
  return found;
}

size_t dfrs_job_group_length(const char* path, const char* node) {
  const size_t scope = dfrs_scope_length(path, node);
  if (scope == 0 || path[scope] != '/') return 0;
  const size_t job = strcspn(path + scope + 1, "/");
  const size_t end = scope + 1 + job;
  return job > 0 && !strncmp(path + end, "/step_", 6) ? end : 0;
}

size_t dfrs_v1_job_group_length(const char* path, const char* node, uint32_t job) {
  char folder[32];
  const int wanted = snprintf(folder, sizeof(folder), "job_%lu", (unsigned long)job);
  const size_t prefix = strlen(node);
  size_t length = 0;
  /* The names of the folder at hand, of its parent and of that one's. */
  const char* user = NULL;
  const char* top = NULL;
  for (const char* at = path; *at; at += length + (at[length] == '/')) {
    length = strcspn(at, "/");
    if ((length == 1 && *at == '.') || (length == 2 && !memcmp(at, "..", 2))) return 0;
    const bool slurms = top && !strncmp(top, "slurm", 5) &&
                        (top[5] == '/' || (top[5] == '_' && !strncmp(top + 6, node, prefix) && top[6 + prefix] == '/'));
    if (slurms && !strncmp(user, "uid_", 4) && length == (size_t)wanted && !memcmp(at, folder, length))
      return (size_t)(at - path) + length;
    top = user;
    user = at;
  }
  return 0;
}

uint32_t dfrs_job_of_command(const char* command) {
  static const char kTitle[] = "slurmstepd: [";
  char* end = NULL;
  if (strncmp(command, kTitle, sizeof(kTitle) - 1) != 0) return 0;
  command += sizeof(kTitle) - 1;
  if (*command < '0' || *command > '9') return 0;
  errno = 0;
  const unsigned long job = strtoul(command, &end, 10);
  return !errno && *end == '.' && job <= UINT32_MAX ? (uint32_t)job : 0;
}
