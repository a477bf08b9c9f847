/* The tables of threads, processes and program images. */
#ifndef TRAMMEL_SESSION_STATE_TABLES_H
#define TRAMMEL_SESSION_STATE_TABLES_H

#include "session/state/session.h"

struct thread *session_find_thread(const struct session *session, pid_t tid);

struct process *session_find_process(const struct session *session, pid_t pid);

struct thread *session_add_thread(struct session *session, pid_t tid);

struct image_run *session_add_image(struct session *session, pid_t pid, pid_t parent,
				    const char *program);

struct process *session_add_process(struct session *session, pid_t pid, pid_t parent,
				    const char *program);

void session_remove_process(struct session *session, struct process *process);

#endif
