#include "session/state/session.h"

uint64_t session_wall_ns(const struct session *session)
{
	const struct timespec start = session->start, end = session->end;

	return (uint64_t)((end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec -
			  start.tv_nsec);
}

uint32_t session_slice(const struct session *session)
{
	size_t intervals = session->window.intervals.count;

	if (session->window.state != WINDOW_OPEN)
		return 0;
	return intervals ? (uint32_t)intervals : 1;
}

void session_note_change(struct session *session)
{
	struct guardian_shared *shared = session->guardian.shared;

	if (shared)
		__atomic_add_fetch(&shared->version, 1, __ATOMIC_SEQ_CST);
}
