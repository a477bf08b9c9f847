/*
 * Where threads are on the paths of functions: words of functions that are away, in calls
 * or behind a signal, in banks (struct wire_paths). A path that is not at its end counts
 * as far as it came: +1 where counting ends, -1 where it begins.
 */
#ifndef TRAMMEL_SESSION_POSITION_PATH_FRAMES_H
#define TRAMMEL_SESSION_POSITION_PATH_FRAMES_H

#include "session/state/session.h"

#include <sys/user.h>

/* Makes an empty bank ready; for struct collector_ops. What is put into it was counted in
 * another bank. */
void path_frames_begin(const struct session *session, const struct bank *old,
		       struct bank *bank, const struct thread_calls *calls);

/* Lists the functions of a bank that are away, in a form for path_frames_begin. */
void path_frames_note(const struct session *session, const struct bank *bank,
		      struct thread_calls *calls);

/* Notes how far the paths of a stopped thread came, which is led to an instruction of the
 * program for that: `by` 1 at the end of counting, -1 at its beginning. */
void path_frames_stand(struct thread *thread, int by);

/* Notes how far they came when the thread is gone, and empties its bank of them. */
void path_frames_end(struct thread *thread);

/* Has the function be away whose relocated code a thread runs that is about to handle a
 * signal, shown at a link-time address; so the handler may call it. Returns the
 * displacement of its words; 0: paths of this function are not counted, or it is away
 * anyway. */
uint64_t path_frames_leave(const struct thread *thread, const struct module *module,
			   uint64_t address, uint64_t rsp);

#endif
