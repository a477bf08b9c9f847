#include "cli/far/job.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/commands.h"
#include "trammel/control.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INPUT_SIZE = 1 << 14, LOOK_MS = 200 };

/* A signal that was not passed on for so long is not taken any more. */
static const uint64_t deaf_ns = 1000000000;

/* Options that are about this side. */
static bool is_own(const char *name)
{
	static const char *const own[] = {
		"output",        "quiet",        "verbose", "help",    "db",
		"options",       "host",         "pid",     "delay",   "iterations",
		"agent-command", "batch",        "limit",   "by",      "sort",
		"samples",       "command-file", "execute", "gdb",     "on-crash",
		"listen",        "connect",      "token",   "columns", "csv"};

	for (size_t i = 0; i < array_count(own); i++)
		if (!strcmp(own[i], name))
			return true;
	return false;
}

struct far_way far_way_of(const struct option_settings *settings)
{
	return (struct far_way){.hosts = option_settings_find(settings, "host"),
				.command =
					option_settings_find(settings, "agent-command")};
}

static struct trm_error *create_process(const struct option_settings *settings,
					struct trm_engine *engine,
					struct trm_process **ret_process)
{
	const char *pid = option_settings_find(settings, "pid");
	struct VECTOR(const char *) words = {0};

	if (pid)
		return trm_process_attach(engine, atoi(pid), ret_process);
	vector_for_each (&settings->words, word)
		vector_push(&words, *word);
	vector_push(&words, NULL);
	struct trm_error *error = trm_process_create(engine, words.items, ret_process);

	vector_deinit(&words);
	return error;
}

struct trm_error *far_make_process(const struct option_settings *settings,
				   struct trm_engine *engine,
				   struct trm_process **ret_process)
{
	TRM_TRY(create_process(settings, engine, ret_process));
	vector_for_each (&settings->all, setting)
		if (!is_own(setting->row->longName))
			TRM_TRY(trm_process_set(*ret_process, setting->row->longName,
						setting->value ? setting->value
							       : "true"));
	return NULL;
}

static struct trm_error *start_stacks(const struct far_job *job, struct far_host *host)
{
	TRM_TRY(trm_process_attach(host->engine, job->pid, &host->process));
	return trm_process_stacks(host->process, job->json);
}

static struct trm_error *start_host(struct far_host *host)
{
	const struct far_job *job = host->job;

	TRM_TRY(far_open(&job->way, host->name, job->stacks || job->console_fd >= 0,
			 &host->engine));
	if (job->stacks)
		return start_stacks(job, host);
	TRM_TRY(far_make_process(job->settings, host->engine, &host->process));
	if (!job->pid)
		TRM_TRY(trm_process_redirect(host->process, STDIN_FILENO,
					     host->reads ? TRM_RELAY : TRM_NULL, NULL));
	if (job->console_fd >= 0)
		TRM_TRY(trm_process_debug(
			host->process,
			option_settings_find(job->settings, "on-crash") != NULL));
	return trm_process_run(host->process);
}

void far_print_error(const struct far_host *host, struct trm_error *error)
{
	trm_error_print(host->name && host->job->hosts.count > 1
				? trm_error_prefix(error, "%s", host->name)
				: error);
}

static void fail_host(struct far_host *host, struct trm_error *error)
{
	int refused = 0;

	if (host->process && !host->started)
		trm_error_destroy(trm_process_refused(host->process, &refused));
	host->status = refused                          ? refused
		       : error->code == TRM_ERROR_USAGE ? EXIT_USAGE
							: EXIT_FAILED;
	far_print_error(host, error);
}

static void pass_signal(struct far_host *host)
{
	const int number = __atomic_exchange_n(&host->signal, 0, __ATOMIC_ACQ_REL);

	if (number)
		trm_error_destroy(host->job->pid
					  ? trm_process_detach(host->process)
					  : trm_process_signal(host->process, number));
}

/* Sends what was read here; while the other end takes none, it is kept. */
static bool send_input(const struct far_host *host,
		       struct trm_error *(*send)(struct trm_process *, const void *,
						 size_t),
		       const char *bytes, size_t size)
{
	struct trm_error *error = send(host->process, bytes, size);

	while (error && error->code == TRM_ERROR_LIMIT) {
		trm_error_destroy(error);
		error = trm_process_wait(host->process, LOOK_MS, NULL);
		if (!error)
			return false;
		if (error->code == TRM_ERROR_LIMIT) {
			trm_error_destroy(error);
			error = send(host->process, bytes, size);
		}
	}
	const bool sent = !error;

	trm_error_destroy(error);
	return sent;
}

/* Standard input, or what the prompt says; false: there is no more. */
static bool pass_input(const struct far_host *host, int fd)
{
	char buffer[INPUT_SIZE];
	ssize_t count = read(fd, buffer, sizeof(buffer));

	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	return send_input(host, fd == STDIN_FILENO ? trm_process_write : trm_process_say,
			  buffer, count > 0 ? (size_t)count : 0) &&
	       count > 0;
}

static void write_all(int fd, const char *bytes, size_t count)
{
	while (count) {
		ssize_t written = send(fd, bytes, count, MSG_NOSIGNAL);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return;
		bytes += written;
		count -= (size_t)written;
	}
}

/* What a host has sent that is not for the terminal as it is. */
static void take_event(struct far_host *host, const struct trm_event *event)
{
	enum { CONSOLE = 3 };
	struct trm_context context = {.size = sizeof(context)};
	size_t size;
	const void *data = trm_event_data(event, &size);

	trm_event_context(event, &context);
	if (trm_event_kind(event) != TRM_EVENT_OUTPUT)
		return;
	if (context.value == CONSOLE && host->job->console_fd >= 0)
		write_all(host->job->console_fd, data, size);
	else if (host->job->stacks)
		text_add_bytes(&host->output, data, size);
}

static struct trm_error *take_events(struct far_host *host)
{
	struct trm_event *event = NULL;
	struct trm_error *error;

	do {
		trm_event_release(event);
		event = NULL;
		error = trm_engine_wait(host->engine, 0, &event);
		if (!error && event)
			take_event(host, event);
	} while (!error && event);
	return error;
}

/* Whether it is over. `ret_error`: why it is, if not by the program's end. */
static bool look_at_host(struct far_host *host, struct trm_error **ret_error)
{
	int status = 0;

	*ret_error = take_events(host);
	if (*ret_error)
		return true;
	*ret_error = trm_process_wait(host->process, 0, &status);
	if (*ret_error && (*ret_error)->code == TRM_ERROR_LIMIT) {
		trm_error_destroy(*ret_error);
		return false;
	}
	host->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}

static void follow_host(struct far_host *host)
{
	int console = host->job->console_fd;
	struct trm_error *error = NULL;

	while (!look_at_host(host, &error)) {
		struct pollfd ends[] = {
			{.fd = -1, .events = POLLIN},
			{.fd = host->wake_fd, .events = POLLIN},
			{.fd = host->reads ? STDIN_FILENO : -1, .events = POLLIN},
			{.fd = console, .events = POLLIN},
		};
		uint64_t count;

		trm_error_destroy(trm_engine_descriptor(host->engine, &ends[0].fd));
		if (poll(ends, array_count(ends), LOOK_MS) <= 0)
			continue;
		if (ends[1].revents &&
		    read(host->wake_fd, &count, sizeof(count)) == sizeof(count))
			pass_signal(host);
		if (ends[2].revents)
			host->reads = pass_input(host, STDIN_FILENO);
		if (ends[3].revents && !pass_input(host, console))
			console = -1;
	}
	if (!error)
		return;
	host->status = host->status ? host->status : EXIT_FAILED;
	far_print_error(host, error);
}

static void *serve_host(void *context)
{
	struct far_host *host = context;
	const uint64_t one = 1;
	struct trm_error *error = start_host(host);

	if (error) {
		fail_host(host, error);
	} else {
		__atomic_store_n(&host->started, true, __ATOMIC_RELEASE);
		follow_host(host);
	}
	__atomic_store_n(&host->over, true, __ATOMIC_RELEASE);
	if (write(host->job->done_fd, &one, sizeof(one)) < 0)
		return NULL;
	return NULL;
}

static bool is_over(const struct far_host *host)
{
	return __atomic_load_n(&host->over, __ATOMIC_ACQUIRE);
}

/* A host that does not answer is not waited for by who wants to end. */
static void abandon_host(struct far_host *host)
{
	host->abandoned = true;
	host->status = EXIT_FAILED;
	far_print_error(
		host,
		trm_error_create(TRM_ERROR_GONE,
				 __atomic_load_n(&host->started, __ATOMIC_ACQUIRE)
					 ? "it is out of reach: what is measured there "
					   "goes on, and its profile stays there"
					 : "interrupted before anything was started"));
}

/* Signals are for the programs; one of a host that has not begun, or that has not taken
 * the last one, ends the wait for it. */
static void take_signal(const struct far_job *job)
{
	struct signalfd_siginfo info;
	const uint64_t one = 1;

	if (read(job->signals_fd, &info, sizeof(info)) != sizeof(info))
		return;
	vector_for_each (&job->hosts, host) {
		if (is_over(host) || host->abandoned)
			continue;
		const bool waits = __atomic_exchange_n(&host->signal, (int)info.ssi_signo,
						       __ATOMIC_ACQ_REL);
		const bool deaf = waits && clock_now_ns() - host->signalled_ns > deaf_ns;

		if (!waits)
			host->signalled_ns = clock_now_ns();
		if (deaf || !__atomic_load_n(&host->started, __ATOMIC_ACQUIRE))
			abandon_host(host);
		else if (write(host->wake_fd, &one, sizeof(one)) < 0)
			continue;
	}
}

static struct trm_error *watch_signals(struct far_job *job)
{
	static const int passed[] = {SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
				     SIGUSR2, SIGALRM, SIGINT};
	sigset_t signals;

	sigemptyset(&signals);
	for (size_t i = 0; i < array_count(passed); i++)
		sigaddset(&signals, passed[i]);
	signal(SIGPIPE, SIG_IGN);
	/* At a debugger's prompt Ctrl-C is the prompt's. */
	if (job->console_fd >= 0) {
		sigdelset(&signals, SIGINT);
		signal(SIGINT, SIG_IGN);
	}
	/* Threads that are made get no signals then. */
	sigprocmask(SIG_BLOCK, &signals, NULL);
	job->signals_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	job->done_fd = eventfd(0, EFD_CLOEXEC);
	return job->signals_fd < 0 || job->done_fd < 0
		       ? trm_error_system(errno, "cannot make descriptors")
		       : NULL;
}

static bool any_goes_on(const struct far_job *job)
{
	vector_for_each (&job->hosts, host)
		if (host->threaded && !host->abandoned && !is_over(host))
			return true;
	return false;
}

static void start_threads(struct far_job *job)
{
	vector_for_each (&job->hosts, host) {
		host->job = job;
		host->reads = job->reads && job->hosts.count == 1;
		host->wake_fd = eventfd(0, EFD_CLOEXEC);
	}
	vector_for_each (&job->hosts, host) {
		int why = pthread_create(&host->thread, NULL, serve_host, host);

		host->threaded = !why;
		if (why)
			fail_host(host, trm_error_system(why, "cannot make a thread"));
	}
}

struct trm_error *far_job_do(struct far_job *job)
{
	struct far_names names;
	uint64_t count;

	TRM_TRY(far_names_read(&job->way, &names));
	vector_for_each (&names, name)
		vector_push(&job->hosts, ((struct far_host){.name = *name}));
	vector_deinit(&names);
	TRM_TRY(watch_signals(job));
	start_threads(job);
	while (any_goes_on(job)) {
		struct pollfd ends[] = {{.fd = job->signals_fd, .events = POLLIN},
					{.fd = job->done_fd, .events = POLLIN}};

		poll(ends, array_count(ends), -1);
		if (ends[0].revents)
			take_signal(job);
		if (ends[1].revents &&
		    read(job->done_fd, &count, sizeof(count)) != sizeof(count))
			break;
	}
	vector_for_each (&job->hosts, host)
		if (host->threaded && !host->abandoned)
			pthread_join(host->thread, NULL);
	return NULL;
}

void far_job_deinit(struct far_job *job)
{
	vector_for_each (&job->hosts, host) {
		/* It is gone with this process. */
		if (host->abandoned)
			return;
		trm_engine_release(host->engine);
		close(host->wake_fd);
		free(host->name);
		free(host->profile);
		text_deinit(&host->output);
	}
	vector_deinit(&job->hosts);
	close(job->signals_fd);
	close(job->done_fd);
}
