#include "session/run/guardian.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "session/profile/profile_writer.h"
#include "session/run/run.h"
#include "session/state/debugging.h"
#include "session/state/session.h"
#include "wire/bank.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Time in nanoseconds before the first guardian: short runs have none. */
#define FIRST_NS 20000000

/* Least time in nanoseconds before a guardian is replaced, limited by the time since
 * guardians began; and least multiple of the time it took to make it. */
#define LEAST_NS  100000000
#define LEAST_FOR 64

/* Most seconds that a guardian may take to write the profile. */
#define SECONDS_MAX 300

void guardian_begin(struct session *session, int status_fd)
{
	struct guardian *guardian = &session->guardian;
	struct guardian_shared *shared =
		mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return;
	if (pipe2(guardian->alive, O_CLOEXEC)) {
		munmap(shared, sizeof(*shared));
		return;
	}
	guardian->shared = shared;
	guardian->status_fd = status_fd;
	guardian->began_ns = clock_now_ns();
	guardian->next_ns = guardian->began_ns + FIRST_NS;
	session_note_change(session);
}

/* Drops banks that are no longer as the guardian knows them: the tracer may have given
 * them to other processes since, or used their place for something else. */
static void drop_banks_of_others(const struct session *session)
{
	vector_for_each (&session->families, family) {
		vector_for_each (&(*family)->arena->banks, item) {
			struct bank *bank = *item;

			if (bank->owner <= 0)
				continue;
			if (bank->shared->self != bank->address ||
			    bank->shared->owner != (uint32_t)bank->owner)
				bank->owner = 0;
		}
	}
}

/* Returns a text that says what the profile contains and lacks; the caller frees it. */
static char *describe_death(const struct session *session, uint64_t died_ns)
{
	const struct guardian *guardian = &session->guardian;
	const bool all = guardian->shared->version == guardian->version;
	char *text = NULL;

	if (asprintf(
		    &text,
		    all ? "the tracer was killed: the profile has what was counted until "
			  "then"
			: "the tracer was killed: the profile has what was counted until "
			  "then, but not of processes, threads and libraries that began "
			  "or ended in the last %.1f s",
		    (double)(died_ns - guardian->made_ns) / 1e9 + 0.05) < 0)
		abort();
	return text;
}

static void tell_front(const struct session *session, const char *text, bool saved)
{
	const int fd = session->guardian.status_fd;
	const char letter = saved ? STATUS_RESCUED : STATUS_FAILED;

	if (fd >= 0 && write(fd, &letter, 1) == 1 && write(fd, text, strlen(text)) >= 0)
		return;
	fprintf(stderr, "trammel: %s\n", text);
}

static void rescue_counts(struct session *session, uint64_t died_ns)
{
	scoped_free char *text = describe_death(session, died_ns);

	session->incomplete = text;
	drop_banks_of_others(session);
	if (!session->first_ended)
		clock_gettime(CLOCK_MONOTONIC, &session->end);
	struct trm_error *error = profile_writer_save(session, session->options->output);

	tell_front(session, error ? error->message : text, !error);
	trm_error_destroy(error);
}

_Noreturn static void watch(struct session *session)
{
	struct guardian *guardian = &session->guardian;
	char byte;

	/* A signal that ends the tracer's process group must not end this process. */
	setpgid(0, 0);
	close(guardian->alive[1]);
	while (read(guardian->alive[0], &byte, 1) < 0 && errno == EINTR)
		;
	if (session->debug_calls && !guardian->shared->done)
		session->debug_calls->rescue(session);
	uint64_t died_ns = clock_now_ns();

	if (guardian->shared->done ||
	    __atomic_exchange_n(&guardian->shared->claimed, 1, __ATOMIC_SEQ_CST))
		_exit(0);
	alarm(SECONDS_MAX);
	rescue_counts(session, died_ns);
	_exit(0);
}

static void dismiss_guardian(struct guardian *guardian)
{
	if (guardian->pid > 0)
		kill(guardian->pid, SIGKILL);
	guardian->pid = 0;
}

/* Returns the time at which the guardian just made may be replaced. */
static uint64_t next_after(const struct guardian *guardian)
{
	const uint64_t now = clock_now_ns(), age = now - guardian->began_ns;
	const uint64_t least = age < LEAST_NS ? age : LEAST_NS;
	const uint64_t pause = (now - guardian->made_ns) * LEAST_FOR;

	return now + (pause > least ? pause : least);
}

uint64_t guardian_act(struct session *session)
{
	struct guardian *guardian = &session->guardian;
	const uint64_t now = clock_now_ns();

	if (!guardian->shared || guardian->version == guardian->shared->version ||
	    !session->images.items[0]->started)
		return UINT64_MAX;
	if (now < guardian->next_ns)
		return guardian->next_ns - now;
	guardian->version = guardian->shared->version;
	guardian->made_ns = now;
	pid_t pid = fork();

	if (!pid)
		watch(session);
	/* The old guardian stays until the new one exists. */
	dismiss_guardian(guardian);
	guardian->pid = pid;
	guardian->next_ns = next_after(guardian);
	return UINT64_MAX;
}

void guardian_leave_front(struct session *session)
{
	dismiss_guardian(&session->guardian);
	session->guardian.status_fd = -1;
	session_note_change(session);
}

void guardian_end(struct session *session)
{
	if (session->guardian.shared)
		session->guardian.shared->done = 1;
	dismiss_guardian(&session->guardian);
}
