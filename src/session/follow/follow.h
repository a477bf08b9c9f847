/* Following of processes as they start, change and end. */
#ifndef TRAMMEL_SESSION_FOLLOW_FOLLOW_H
#define TRAMMEL_SESSION_FOLLOW_FOLLOW_H

#include "session/state/session.h"

void follow_event(struct session *session, const struct event *event);

void follow_first(struct session *session, pid_t pid, const char *program);

/* Makes the arena of a space, using a thread of it that is stopped outside of a system
 * call. */
struct trm_error *space_make_arena(struct session *session, struct thread *thread,
				   struct space *space);

bool process_shares_memory(pid_t a, pid_t b);

/* Takes the counts of the process so far into its image, sets the image's state
 * ("exited 0" or the like) and ends the image. */
void follow_end_image(struct session *session, struct process *process,
		      const char *state);

void follow_watched(struct session *session);

/* Follows the thread or process `tid` that `parent` made. `parent` stays stopped. */
void follow_child(struct session *session, struct thread *parent, pid_t tid);

/* Registers a child that a stopped thread has just made, before its event is acted on.
 * Returns false if the thread did not stop for a new child; otherwise the thread is to
 * be resumed. */
bool follow_made_child(struct session *session, struct thread *thread);

/* Resumes threads that wait for plans, as far as their plans are done. */
void follow_planned(struct session *session);

#endif
