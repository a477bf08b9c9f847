/* Letting processes go. */
#ifndef TRAMMEL_SESSION_FOLLOW_RELEASE_H
#define TRAMMEL_SESSION_FOLLOW_RELEASE_H

#include "session/state/session.h"

void release_process(struct session *session, struct process *process, bool restore,
		     const char *reason, ...) __attribute__((format(printf, 4, 5)));

/* Lets all processes go that share memory with `process`, with their text restored. */
void release_space(struct session *session, struct process *process, const char *reason,
		   ...) __attribute__((format(printf, 3, 4)));

/* Lets a process go if a module of it sets the GS base, or walks stacks by itself
 * while calls are made in relocated code. */
bool release_if_foreign(struct session *session, struct process *process);

/* Lets all processes go that can be stopped, with their text restored: the measurement
 * is over. */
void release_all(struct session *session);

#endif
