/* Processes come, change and go. */
#ifndef TRAMMEL_SESSION_FOLLOW_FOLLOW_H
#define TRAMMEL_SESSION_FOLLOW_FOLLOW_H

#include "session/state/session.h"

void follow_event(struct session *session, const struct event *event);

void follow_first(struct session *session, pid_t pid, const char *program);

/* Makes the arena of a space in a thread of it that stands outside of a system call. */
struct trm_error *space_make_arena(struct session *session, struct thread *thread,
				   struct space *space);

bool process_shares_memory(pid_t a, pid_t b);

/* Counts of the process so far into its image, state "exited 0" or the like; the image
 * ends. */
void follow_end_image(struct session *session, struct process *process,
		      const char *state);

void follow_watched(struct session *session);

/* A thread made another, or a process, `tid`: it is followed from now on. The thread
 * stays stopped. */
void follow_child(struct session *session, struct thread *parent, pid_t tid);

/* A child that a stopped thread has just made is known from now on, before its event is
 * acted on. False if the thread did not stop for one; else it is to be resumed. */
bool follow_made_child(struct session *session, struct thread *thread);

/* Threads that wait for plans go on, as far as theirs are done. */
void follow_planned(struct session *session);

#endif
