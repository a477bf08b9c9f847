#include "session/state/descriptors.h"

#include "base/array.h"
#include "session/state/session.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

void session_watch(struct session *session, int fd, session_serve *serve, void *context)
{
	vector_push(&session->descriptors,
		    ((struct session_descriptor){fd, serve, context}));
}

void session_unwatch(struct session *session, int fd)
{
	vector_for_each (&session->descriptors, row)
		if (row->fd == fd)
			row->fd = -1;
}

static void forget_unwatched(struct session *session)
{
	for (size_t i = session->descriptors.count; i-- > 0;)
		if (session->descriptors.items[i].fd < 0)
			vector_remove_swap(&session->descriptors, i);
}

/* Asks which descriptors can be read; `ends`: room for them, and for `signals_fd`, which
 * comes first. */
static int poll_all(const struct session *session, struct pollfd *ends, int signals_fd,
		    uint64_t limit_ns)
{
	const struct timespec pause = {(time_t)(limit_ns / 1000000000),
				       (long)(limit_ns % 1000000000)};

	ends[0] = (struct pollfd){.fd = signals_fd, .events = POLLIN};
	for (size_t i = 0; i < session->descriptors.count; i++)
		ends[i + 1] = (struct pollfd){.fd = session->descriptors.items[i].fd,
					      .events = POLLIN};
	return ppoll(ends, session->descriptors.count + 1, &pause, NULL);
}

int session_wait_descriptors(struct session *session, const sigset_t *signals,
			     uint64_t limit_ns)
{
	struct signalfd_siginfo info;
	struct VECTOR(struct pollfd) ends = {0};
	int signal = 0;

	if (session->signals_fd <= 0)
		session->signals_fd = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
	vector_reserve(&ends, session->descriptors.count + 1);
	if (poll_all(session, ends.items, session->signals_fd, limit_ns) > 0 &&
	    read(session->signals_fd, &info, sizeof(info)) == sizeof(info))
		signal = (int)info.ssi_signo;
	vector_deinit(&ends);
	return signal;
}

void session_serve_descriptors(struct session *session)
{
	struct VECTOR(struct pollfd) ends = {0};
	const size_t count = session->descriptors.count;

	if (!count)
		return;
	vector_reserve(&ends, count + 1);
	if (poll_all(session, ends.items, -1, 0) > 0)
		for (size_t i = 0; i < count; i++) {
			/* A server may end the watch of another one. */
			const struct session_descriptor row =
				session->descriptors.items[i];

			if (row.fd >= 0 && row.fd == ends.items[i + 1].fd &&
			    ends.items[i + 1].revents)
				row.serve(session, row.fd, row.context);
		}
	vector_deinit(&ends);
	forget_unwatched(session);
}
