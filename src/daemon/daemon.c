#include "daemon/daemon.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "daemon/control.h"
#include "daemon/gc.h"
#include "daemon/log.h"
#include "daemon/part.h"
#include "daemon/requests.h"
#include "daemon/watch.h"
#include "sample/forget.h"
#include "store/sql/address.h"
#include "store/store.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull

enum {
	TURN_MS = 1000,
	LARGE_BLOCK = 128 << 10, /* bytes */
	/* Bytes that a sum takes with its node and their tables, at most. */
	SUM_BYTES = 256,
	IMAGES_MAX = 8192, /* of processes, with those that have ended */
	RING_BYTES = 512 << 10,
	HOUR = 3600,
};

/* All processes, or those of the user if that is forbidden; the kernel's part is left out
 * by itself where it must be. */
static struct trm_error *begin_sampling(struct daemon *daemon)
{
	const struct daemon_options *options = daemon->options;
	struct sampler_options asked = {.events = options->events, .rate = options->rate};
	struct trm_error *error = NULL;

	asked.rate.kernel = !options->no_kernel;
	for (int all = !options->own_processes; all >= 0; all--) {
		asked.rate.system = all;
		trm_error_destroy(error);
		TRM_TRY(sampler_create(&asked, &daemon->sampler));
		daemon->sampler->source.ring_size = RING_BYTES;
		daemon->sampler->sums.most = options->memory / SUM_BYTES;
		error = watch_begin(&daemon->watch, daemon->sampler, all);
		if (!error)
			return NULL;
		sampler_destroy(take_pointer(daemon->sampler));
		watch_deinit(&daemon->watch);
		if (error->code != TRM_ERROR_UNSUPPORTED)
			break;
	}
	return error;
}

static struct trm_error *take_signals(struct daemon *daemon)
{
	static const int taken[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGCHLD};
	struct epoll_event ready = {.events = EPOLLIN};
	sigset_t signals;

	sigemptyset(&signals);
	for (size_t i = 0; i < array_count(taken); i++)
		sigaddset(&signals, taken[i]);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	daemon->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	daemon->wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (daemon->signal_fd < 0 || daemon->wake_fd < 0 ||
	    epoll_ctl(daemon->wake_fd, EPOLL_CTL_ADD, daemon->signal_fd, &ready) ||
	    epoll_ctl(daemon->wake_fd, EPOLL_CTL_ADD, daemon->control.fd, &ready))
		return trm_error_system(errno, "cannot wait for signals");
	return NULL;
}

void daemon_new_run(struct daemon *daemon)
{
	part_run_begin(&daemon->part);
	daemon->part.epoch = daemon->epoch;
	daemon->part.label = daemon->label;
	daemon->hour = daemon->part.start / HOUR;
}

/* What is there, but could not be written, stays in memory. */
static void note_failure(struct daemon *daemon, struct trm_error *error)
{
	snprintf(daemon->failure, sizeof(daemon->failure), "%s", error->message);
	if (!daemon->failing)
		log_line("cannot write: %s; samples stay in memory, up to %zu MB",
			 error->message, daemon->options->memory >> 20);
	daemon->failing = true;
}

static void note_success(struct daemon *daemon, int64_t numbers)
{
	if (daemon->failing)
		log_line("writes again");
	daemon->failing = false;
	daemon->failure[0] = '\0';
	daemon->numbers += (uint64_t)numbers;
	sample_sums_clear(&daemon->sampler->sums);
}

struct trm_error *daemon_flush(struct daemon *daemon)
{
	int64_t numbers;
	struct trm_error *error;

	sampler_take(daemon->sampler, false);
	watch_scan(&daemon->watch, daemon->sampler);
	sampler_forget(daemon->sampler);
	error = part_save(&daemon->part, daemon->options, daemon->sampler, &numbers);
	daemon->next_ns = clock_now_ns() + daemon->options->flush_ns;
	if (error) {
		note_failure(daemon, error);
		return error;
	}
	note_success(daemon, numbers);
	sampler_forget(daemon->sampler);
	malloc_trim(0);
	daemon->flushes++;
	if (time(NULL) / HOUR != daemon->hour) {
		daemon_new_run(daemon);
		gc_begin(daemon);
	}
	return NULL;
}

struct trm_error *daemon_new_epoch(struct daemon *daemon, const char *name)
{
	char now[32];

	TRM_TRY(daemon_flush(daemon));
	log_time(time(NULL), now, sizeof(now));
	free(daemon->epoch);
	daemon->epoch = memory_copy_string(name && *name ? name : now);
	daemon_new_run(daemon);
	log_line("epoch '%s' begins", daemon->epoch);
	return NULL;
}

/* When memory is nearly full it is written early. While that fails nothing is gained by
 * trying more often: images of one kind become one, and then samples are dropped. */
static void make_room(struct daemon *daemon)
{
	const struct sampler *sampler = daemon->sampler;
	const size_t most = sampler->sums.most;
	const bool many = sampler->processes.images.count > IMAGES_MAX;
	const bool full = sampler->sums.sums.count > most / 4 * 3 ||
			  sampler->sums.nodes.count > most / 4 * 3;

	if (sampler->sums.dropped && !daemon->dropping)
		log_line("memory is full (%zu MB): samples are dropped from now on",
			 daemon->options->memory >> 20);
	daemon->dropping |= sampler->sums.dropped != 0;
	if ((many || full) && !daemon->failing)
		trm_error_destroy(daemon_flush(daemon));
	else if (many)
		sampler_forget(daemon->sampler);
}

static void take_signal(struct daemon *daemon, int signal)
{
	switch (signal) {
	case SIGTERM:
	case SIGINT:
		daemon->stop = true;
		break;
	case SIGHUP:
		daemon_new_epoch(daemon, NULL);
		break;
	case SIGUSR1:
		trm_error_destroy(daemon_flush(daemon));
		break;
	default:
		gc_reap(daemon);
	}
}

static void take_turn(struct daemon *daemon)
{
	struct signalfd_siginfo info;
	const uint64_t now = clock_now_ns();
	const uint64_t left = daemon->next_ns > now ? daemon->next_ns - now : 0;
	const uint64_t left_ms = left / 1000000 + 1;

	sample_source_wait(&daemon->sampler->source, daemon->wake_fd,
			   left_ms < TURN_MS ? (int)left_ms : TURN_MS);
	sampler_take(daemon->sampler, false);
	watch_scan(&daemon->watch, daemon->sampler);
	while (read(daemon->signal_fd, &info, sizeof(info)) == sizeof(info))
		take_signal(daemon, (int)info.ssi_signo);
	requests_serve(daemon);
	make_room(daemon);
	if (clock_now_ns() >= daemon->next_ns)
		trm_error_destroy(daemon_flush(daemon));
}

static void describe_begin(const struct daemon *daemon)
{
	const struct sampler *sampler = daemon->sampler;
	struct text events = {0};

	for (size_t i = 0; i < sampler->events.count; i++)
		text_format(&events, "%s%s", i ? "," : "", sampler->events.items[i].name);
	log_line("samples %s%s: %s at %lu Hz, written to '%s' every %g s",
		 daemon->watch.all ? "all processes" : "the processes of this user",
		 sampler->source.kernel ? " and the kernel" : "", events.data,
		 (unsigned long)sampler->options.rate.frequency, daemon->shown,
		 (double)daemon->options->flush_ns / 1e9);
	text_deinit(&events);
}

static void describe_end(const struct daemon *daemon)
{
	const struct sampler *sampler = daemon->sampler;
	uint64_t taken = 0;

	for (size_t i = 0; i < sampler->events.count; i++)
		taken += sampler->taken[i];
	log_line("ends: %lu numbers in %lu parts, of %lu samples; %lu were lost, %lu "
		 "dropped",
		 (unsigned long)daemon->numbers, (unsigned long)daemon->flushes,
		 (unsigned long)taken, (unsigned long)sampler->lost,
		 (unsigned long)sampler->sums.dropped);
}

static struct trm_error *run_until_end(struct daemon *daemon)
{
	struct trm_error *error;

	TRM_TRY(take_signals(daemon));
	TRM_TRY(begin_sampling(daemon));
	describe_begin(daemon);
	daemon_new_run(daemon);
	daemon->next_ns = clock_now_ns() + daemon->options->flush_ns;
	gc_begin(daemon);
	while (!daemon->stop)
		take_turn(daemon);
	error = daemon_flush(daemon);
	if (error)
		return error;
	describe_end(daemon);
	return NULL;
}

static void deinit_daemon(struct daemon *daemon)
{
	gc_end(daemon);
	if (daemon->signal_fd >= 0)
		close(daemon->signal_fd);
	if (daemon->wake_fd >= 0)
		close(daemon->wake_fd);
	sampler_destroy(daemon->sampler);
	watch_deinit(&daemon->watch);
	part_run_deinit(&daemon->part);
	if (daemon->part.doubt_fd >= 0)
		close(daemon->part.doubt_fd);
	free(daemon->epoch);
	free(daemon->label);
	free(daemon->shown);
}

/* What is used for a moment goes back at once: large blocks of memory are mappings of
 * their own, also when such ones have come and gone, and none becomes a huge page. */
static void keep_memory_small(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	mallopt(M_TRIM_THRESHOLD, LARGE_BLOCK);
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

struct trm_error *daemon_run(const struct daemon_options *options)
{
	struct daemon daemon = {
		.options = options,
		.signal_fd = -1,
		.wake_fd = -1,
		.begin = time(NULL),
		.part.doubt_fd = -1,
	};
	scoped_store struct sql *sql = NULL;
	struct trm_error *error;

	keep_memory_small();
	/* A limit on the size of files is like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	if (options->log && !log_open(options->log))
		return trm_error_system(errno, "cannot open '%s'", options->log);
	TRM_TRY(store_open(options->database, SQL_CREATE, &sql));
	sql_close(take_pointer(sql));
	TRM_TRY(control_begin(&daemon.control, options->database));
	daemon.shown = address_show(options->database);
	daemon.epoch = options->epoch ? memory_copy_string(options->epoch) : NULL;
	daemon.label = options->label ? memory_copy_string(options->label) : NULL;
	error = run_until_end(&daemon);
	/* Who asked that it ends hears of it when all is written. */
	if (daemon.control.asker_fd >= 0)
		control_answer(&daemon.control, "ended\n", NULL);
	control_end(&daemon.control);
	deinit_daemon(&daemon);
	return error;
}
