#include "cli/far/far.h"

#include "base/error.h"
#include "cli/commands.h"

#ifdef TRAMMEL_CONTROL

#include "base/array.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/saving.h"
#include "report/text/report.h"
#include "trammel/control.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINGER_SECONDS = 60, INPUT_SIZE = 1 << 14, LOOK_MS = 200 };

/* A host, and what runs there. */
struct far_host {
	char *name; /* NULL: the one behind --agent-command */
	struct trm_engine *engine;
	struct trm_process *process;
	char *profile; /* path here; NULL: there is none */
	int status;    /* of the command */
	bool started, over;
};

struct far {
	const struct option_settings *settings;
	struct VECTOR(struct far_host) hosts;
	int signals_fd;
	bool reads; /* standard input goes to the program */
	bool attached;
};

/* Options that are about this side. */
static bool is_own(const char *name)
{
	static const char *const own[] = {"output", "quiet",   "verbose", "help",
					  "db",     "options", "host",    "agent-command",
					  "pid"};

	for (size_t i = 0; i < array_count(own); i++)
		if (!strcmp(own[i], name))
			return true;
	return false;
}

static void add_hosts(struct far *far)
{
	const char *given = option_settings_find(far->settings, "host");
	scoped_free char *copy = memory_copy_string(given ? given : "");
	char *rest = copy, *name;

	while ((name = strsep(&rest, ",")))
		if (*name)
			vector_push(
				&far->hosts,
				((struct far_host){.name = memory_copy_string(name)}));
	if (!far->hosts.count)
		vector_push(&far->hosts, (struct far_host){0});
}

/* The command of --agent-command for a host: `%h` is its name, `%%` a percent sign. */
static char *make_command(const struct far *far, const struct far_host *host)
{
	const char *given = option_settings_find(far->settings, "agent-command");
	struct text command = {0};

	for (const char *at = given; at && *at; at++) {
		const bool mark = *at == '%' && (at[1] == 'h' || at[1] == '%');

		if (mark && *++at == 'h')
			text_add(&command, host->name ? host->name : "");
		else
			text_add_bytes(&command, at, 1);
	}
	return command.data;
}

static struct trm_error *open_host(const struct far *far, struct far_host *host)
{
	scoped_free char *command = make_command(far, host);
	const struct trm_engine_options options = {
		.size = sizeof(options),
		.host = command ? NULL : host->name,
		.command = command,
		.name = host->name,
		.linger_seconds = LINGER_SECONDS,
	};

	return trm_engine_open(&options, &host->engine);
}

static struct trm_error *create_process(const struct far *far, struct far_host *host)
{
	const struct option_settings *settings = far->settings;
	const char *pid = option_settings_find(settings, "pid");

	if (far->attached)
		return trm_process_attach(host->engine, pid ? atoi(pid) : 0,
					  &host->process);
	struct VECTOR(const char *) words = {0};

	vector_for_each (&settings->words, word)
		vector_push(&words, *word);
	vector_push(&words, NULL);
	struct trm_error *error =
		trm_process_create(host->engine, words.items, &host->process);

	vector_deinit(&words);
	if (!error)
		error = trm_process_redirect(host->process, 0,
					     far->reads ? TRM_RELAY : TRM_NULL, NULL);
	return error;
}

static struct trm_error *start_host(const struct far *far, struct far_host *host)
{
	TRM_TRY(open_host(far, host));
	TRM_TRY(create_process(far, host));
	vector_for_each (&far->settings->all, setting)
		if (!is_own(setting->row->longName))
			TRM_TRY(trm_process_set(host->process, setting->row->longName,
						setting->value ? setting->value
							       : "true"));
	TRM_TRY(trm_process_run(host->process));
	host->started = true;
	return NULL;
}

/* What a host says goes before its name, if there are several. */
static void print_error(const struct far *far, const struct far_host *host,
			struct trm_error *error)
{
	trm_error_print(host->name && far->hosts.count > 1
				? trm_error_prefix(error, "%s", host->name)
				: error);
}

static void fail_host(const struct far *far, struct far_host *host,
		      struct trm_error *error)
{
	int refused = 0;

	if (host->process && !host->started)
		trm_error_destroy(trm_process_refused(host->process, &refused));
	host->status = refused                          ? refused
		       : error->code == TRM_ERROR_USAGE ? EXIT_USAGE
							: EXIT_FAILED;
	host->over = true;
	print_error(far, host, error);
}

/* Signals for the program, which may be on another host. */
static void watch_signals(struct far *far)
{
	static const int passed[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
				     SIGUSR1, SIGUSR2, SIGALRM};
	sigset_t signals;

	sigemptyset(&signals);
	for (size_t i = 0; i < array_count(passed); i++)
		sigaddset(&signals, passed[i]);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	far->signals_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void pass_signal(struct far *far)
{
	struct signalfd_siginfo info;

	if (read(far->signals_fd, &info, sizeof(info)) != sizeof(info))
		return;
	vector_for_each (&far->hosts, host)
		if (!host->over)
			trm_error_destroy(
				far->attached ? trm_process_detach(host->process)
					      : trm_process_signal(host->process,
								   (int)info.ssi_signo));
}

/* Standard input is for one program. */
static void pass_input(struct far *far)
{
	char buffer[INPUT_SIZE];
	struct far_host *host = &far->hosts.items[0];
	ssize_t count = read(STDIN_FILENO, buffer, sizeof(buffer));

	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	size_t size = count > 0 ? (size_t)count : 0;
	struct trm_error *error = trm_process_write(host->process, buffer, size);

	/* It does not read yet: what was read here is kept until it does. */
	while (error && error->code == TRM_ERROR_LIMIT && !host->over) {
		trm_error_destroy(error);
		trm_error_destroy(trm_process_wait(host->process, LOOK_MS, NULL));
		error = trm_process_write(host->process, buffer, size);
	}
	far->reads = size && !error;
	trm_error_destroy(error);
}

/* Takes what a host has sent; whether its measurement is over. */
static void look_at_host(const struct far *far, struct far_host *host)
{
	int status = 0;
	struct trm_event *event = NULL;
	struct trm_error *error;

	if (host->over)
		return;
	do {
		trm_event_release(event);
		event = NULL;
		error = trm_engine_wait(host->engine, 0, &event);
	} while (!error && event);
	if (error) {
		fail_host(far, host, error);
		return;
	}
	error = trm_process_wait(host->process, 0, &status);
	if (error && error->code == TRM_ERROR_LIMIT) {
		trm_error_destroy(error);
		return;
	}
	host->over = true;
	host->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (error) {
		host->status = host->status ? host->status : EXIT_FAILED;
		print_error(far, host, error);
	}
}

static bool all_over(const struct far *far)
{
	vector_for_each (&far->hosts, host)
		if (!host->over)
			return false;
	return true;
}

static void follow_hosts(struct far *far)
{
	struct VECTOR(struct pollfd) ends = {0};

	while (!all_over(far)) {
		ends.count = 0;
		vector_push(&ends,
			    ((struct pollfd){.fd = far->signals_fd, .events = POLLIN}));
		vector_push(&ends, ((struct pollfd){.fd = far->reads ? STDIN_FILENO : -1,
						    .events = POLLIN}));
		vector_for_each (&far->hosts, host) {
			struct pollfd end = {.fd = -1, .events = POLLIN};

			if (!host->over)
				trm_error_destroy(
					trm_engine_descriptor(host->engine, &end.fd));
			vector_push(&ends, end);
		}
		poll(ends.items, ends.count, LOOK_MS);
		if (ends.items[0].revents)
			pass_signal(far);
		if (ends.items[1].revents)
			pass_input(far);
		vector_for_each (&far->hosts, host)
			look_at_host(far, host);
	}
	vector_deinit(&ends);
}

/* The path of the profile, as of a local run. */
static char *choose_output(const struct far *far)
{
	const char *given = option_settings_find(far->settings, "output");
	const char *program = far->attached ? "process" : far->settings->words.items[0];
	struct text path = {0};
	struct stat status;

	if (given && (stat(given, &status) || !S_ISDIR(status.st_mode)))
		return memory_copy_string(given);
	text_format(&path, "%s%s%s.trm", given ? given : "", given ? "/" : "",
		    path_name(program));
	return path.data;
}

/* Brings a profile here; of several hosts each gets a name of its own. */
static struct trm_error *bring_profile(const struct far *far, struct far_host *host,
				       const char *output)
{
	struct text path = {0};

	if (far->hosts.count > 1)
		text_format(&path, "%s.%zu", output,
			    (size_t)(host - far->hosts.items) + 1);
	else
		text_add(&path, output);
	struct trm_error *error = trm_process_save(host->process, path.data);

	if (error)
		text_deinit(&path);
	else
		host->profile = path.data;
	return error;
}

static struct trm_error *merge_profiles(const struct far *far, const char *output)
{
	struct VECTOR(const char *) paths = {0};

	vector_for_each (&far->hosts, host)
		if (host->profile)
			vector_push(&paths, host->profile);
	vector_push(&paths, NULL);
	struct trm_error *error = paths.count > 1 && far->hosts.count > 1
					  ? trm_profiles_merge(paths.items, output)
					  : NULL;

	vector_deinit(&paths);
	if (!error && far->hosts.count > 1)
		vector_for_each (&far->hosts, host)
			if (host->profile)
				unlink(host->profile);
	return error;
}

static int finish_far(const struct far *far)
{
	scoped_free char *output = choose_output(far);
	const struct report_options report = {
		.verbose = option_settings_find(far->settings, "verbose") != NULL};
	const char *database = saving_database(option_settings_find(far->settings, "db"));
	bool any = false;
	int status = 0;

	vector_for_each (&far->hosts, host) {
		struct trm_error *error =
			host->started ? bring_profile(far, host, output) : NULL;

		if (error)
			print_error(far, host, error);
		any = any || host->profile;
		status = status ? status : host->status;
	}
	struct trm_error *error = any ? merge_profiles(far, output) : NULL;

	if (!error && any && !option_settings_find(far->settings, "quiet"))
		error = report_text_summary(stderr, output, &report);
	if (error) {
		trm_error_print(error);
		return EXIT_FAILED;
	}
	if (any && !saving_finish(database, output) && !status)
		return EXIT_FAILED;
	return status;
}

static int use_hosts(struct far *far)
{
	add_hosts(far);
	far->reads = far->reads && far->hosts.count == 1;
	watch_signals(far);
	vector_for_each (&far->hosts, host) {
		struct trm_error *error = start_host(far, host);

		if (error)
			fail_host(far, host, error);
	}
	follow_hosts(far);
	int status = finish_far(far);

	vector_for_each (&far->hosts, host) {
		trm_engine_release(host->engine);
		free(host->name);
		free(host->profile);
	}
	vector_deinit(&far->hosts);
	close(far->signals_fd);
	return status;
}

int far_run(const struct option_settings *settings)
{
	struct far far = {.settings = settings, .reads = true};

	if (!settings->words.count) {
		trm_error_print(trm_error_create(
			TRM_ERROR_USAGE,
			"no program to run. Try: trammel run --host HOST -- ls"));
		return EXIT_USAGE;
	}
	return use_hosts(&far);
}

int far_attach(const struct option_settings *settings)
{
	struct far far = {.settings = settings, .attached = true};

	if (!option_settings_find(settings, "pid") || settings->words.count) {
		trm_error_print(trm_error_create(
			TRM_ERROR_USAGE,
			"no process: trammel attach --host HOST -p PID --for 10s"));
		return EXIT_USAGE;
	}
	return use_hosts(&far);
}

#else

static int tell_missing(void)
{
	trm_error_print(trm_error_create(
		TRM_ERROR_UNSUPPORTED,
		"this trammel cannot reach others: it was built without protobuf-c. "
		"Install libprotobuf-c-dev and protobuf-c-compiler, and build it again"));
	return EXIT_FAILED;
}

int far_run(const struct option_settings *settings)
{
	(void)settings;
	return tell_missing();
}

int far_attach(const struct option_settings *settings)
{
	(void)settings;
	return tell_missing();
}

#endif
