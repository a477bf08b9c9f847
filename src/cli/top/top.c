/*
 * `trammel top`: see man/trammel-top.1.md. A child is the tracer, as in `trammel attach`:
 * it writes the profile again and again, and this process shows it. So nothing that is
 * drawn holds up the program.
 */
#include "cli/top/view.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/far/watch.h"
#include "cli/measuring.h"
#include "cli/options/configured.h"
#include "cli/options/words.h"
#include "cli/top/launch.h"
#include "cli/top/screen.h"
#include "report/text/choice.h"
#include "report/text/report.h"
#include "session/run/attach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <popt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HELP_LINE                                                                        \
	"q quit  f functions m modules p processes h threads  r rate t calls n name"
#define FOLDER_PREFIX "trammel-top-"

enum { LEFT_AGE_MIN_S = 60 };

struct top {
	struct measuring given;
	char *pid_word, *delay_word, *iterations_word, *by_word, *sort_word, *limit_word;
	char *columns;
	int batch, samples, csv;
	struct trm_error *error; /* of the rows that were printed */
	pid_t pid;
	uint64_t delay_ns, iterations, limit;
	const char *const *program;        /* NULL: a process that runs already */
	const struct option_settings *far; /* NULL: it is on this host */
	struct top_view view;
	struct text folder; /* of the profile and of what the tracer has to say */
	struct text profile, errors;
	pid_t tracer;
	int saved_fd;      /* from the tracer: moments at which the profile was written */
	int signal_fd;     /* what ends this command, and changes of the window */
	uint64_t profiles; /* that were shown */
};

static void print_help(poptContext context)
{
	poptSetOtherOptionHelp(context,
			       "[OPTION...] -p PID | [--] PROGRAM [ARGUMENT...]");
	poptPrintHelp(context, stdout, 0);
	puts("\nKeys: " HELP_LINE "  space pause\n"
	     "PATTERN and TIME are those of 'trammel run'. The output of a PROGRAM is\n"
	     "dropped. Without a terminal, or with --batch, the rows are printed.");
}

static struct trm_error *read_options(struct top *top)
{
	int by, sort;
	uint64_t pid;

	TRM_TRY(arguments_number("pid", top->pid_word, 1, &pid));
	TRM_TRY(arguments_number("iterations", top->iterations_word, 1,
				 &top->iterations));
	TRM_TRY(arguments_number("limit", top->limit_word, 1, &top->limit));
	TRM_TRY(arguments_choose("by", top->by_word, top_by_names, &by));
	TRM_TRY(arguments_choose("sort", top->sort_word, top_sort_names, &sort));
	top->delay_ns = 1000000000;
	if (top->delay_word)
		TRM_TRY(measuring_time("delay", top->delay_word, &top->delay_ns));
	if (top->delay_ns < 50000000)
		return trm_error_create(TRM_ERROR_USAGE,
					"--delay '%s' is too short: at least 50ms",
					top->delay_word);
	if (pid > INT_MAX)
		return trm_error_create(TRM_ERROR_USAGE,
					"--pid '%s' is not a process number",
					top->pid_word);
	if (!top->pid_word == !top->program)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"%s: trammel top -p PID, or trammel top -- PROGRAM",
			top->program ? "a process and a program at once"
				     : "no process and no program to show");
	top->pid = (pid_t)pid;
	top->view.by = (enum top_by)by;
	top->view.sort = (enum top_sort)sort;
	return NULL;
}

/* What the tracer has to say comes on the screen when that is as it was. */
static struct trm_error *measure_there(const struct top *top,
				       const struct attach_request *request)
{
	const struct far_watching watching = {.save_ns = request->save_ns,
					      .profile = top->profile.data,
					      .saved_fd = request->saved_fd};

	return far_watch(top->far, &watching);
}

_Noreturn static void become_tracer(struct top *top, struct attach_request *request)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t none;
	int errors = open(top->errors.data, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	/* Ctrl-C is for the process that shows; it ends this one by SIGTERM. */
	setpgid(0, 0);
	sigaction(SIGTTOU, &ignore, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (errors >= 0)
		dup2(errors, STDERR_FILENO);
	struct trm_error *error = top->far ? measure_there(top, request)
					   : session_attach(&top->given.options, request);

	if (error)
		trm_error_print(error);
	fflush(NULL);
	_exit(error ? EXIT_FAILED : EXIT_DONE);
}

static struct trm_error *start_tracer(struct top *top, struct launch *launch)
{
	struct attach_request request = {.save_ns = top->delay_ns};
	int saved[2], ready[2] = {-1, -1};
	char byte;

	if (pipe2(saved, O_CLOEXEC) || pipe2(ready, O_CLOEXEC))
		return trm_error_system(errno, "cannot make a pipe");
	const bool starts = top->program && !top->far;

	if (starts) {
		TRM_TRY(launch_start(launch, top->program));
		top->pid = launch->program;
	}
	request.pid = top->pid;
	request.waits = starts;
	request.go_fd = launch->go[1];
	request.saved_fd = saved[1];
	top->tracer = fork();
	if (top->tracer < 0)
		return trm_error_system(errno, "cannot start a process");
	if (!top->tracer) {
		close(saved[0]);
		close(ready[1]);
		if (read(ready[0], &byte, 1) != 1)
			_exit(EXIT_FAILED);
		become_tracer(top, &request);
	}
	close(saved[1]);
	close(ready[0]);
	if (starts) {
		close(launch->go[1]);
		close(launch->failed[1]);
		if (!launch_introduce(launch, top->tracer))
			kill(top->tracer, SIGTERM);
	}
	if (write(ready[1], "", 1) != 1)
		kill(top->tracer, SIGTERM);
	close(ready[1]);
	top->saved_fd = saved[0];
	return NULL;
}

enum { LIMIT_USUAL = 20 };

/* Adds the columns that are wanted; of comma-separated values the titles only once. */
static void add_chosen(struct top *top, size_t limit, struct text *text)
{
	const struct grid_choice choice = {.columns = top->columns, .csv = top->csv};

	grid_choose(&choice);
	top_view_table(&top->view, limit, text);
	top->error = grid_check();
	if (grid_csv() && grid_csv()->length) {
		const char *rows = grid_csv()->data;

		text->length = 0;
		text_add(text, top->profiles ? strchr(rows, '\n') + 1 : rows);
	} else {
		text_add(text, "\n");
	}
	grid_choose(NULL);
}

static void print_batch(struct top *top)
{
	const size_t limit = top->limit ? top->limit : LIMIT_USUAL;
	struct text text = {0};

	if (top->columns || top->csv) {
		add_chosen(top, limit, &text);
	} else {
		top_view_show(&top->view, 0, limit + 3, false, &text);
		text_add(&text, "\n");
	}
	if (!top->error)
		fwrite(text.data, 1, text.length, stdout);
	fflush(stdout);
	text_deinit(&text);
}

static void draw_view(const struct top *top)
{
	struct text text = {0};
	size_t columns, lines;

	screen_size(&columns, &lines);
	top_view_show(&top->view, columns, lines > 1 ? lines - 1 : 1,
		      report_colour_on(stdout, REPORT_COLOUR_AUTO), &text);
	screen_show(&text, HELP_LINE);
	text_deinit(&text);
}

/* A profile was written; false if no more is wanted. */
static bool take_profile(struct top *top)
{
	bool last = false;
	uint64_t now;

	/* When the processes have ended, the profile is the whole one. */
	if (read(top->saved_fd, &now, sizeof(now)) != sizeof(now)) {
		now = clock_now_ns();
		last = true;
	}
	if (last && !top->batch)
		return false;
	if (top->view.paused)
		return true;
	top_view_update(&top->view, top->profile.data, now);
	/* The first one has no rates. */
	if (!top->batch)
		draw_view(top);
	else if (top->view.seconds > 0 || (last && top->view.profile))
		print_batch(top);
	top->profiles += top->view.seconds > 0;
	return !last && !top->error &&
	       (!top->iterations || top->profiles < top->iterations);
}

/* What a key does; false: the end. */
static bool take_key(struct top *top)
{
	static const struct {
		char key;
		bool sort;
		int value;
	} keys[] = {
		{'f', false, TOP_BY_FUNCTION}, {'m', false, TOP_BY_MODULE},
		{'p', false, TOP_BY_PROCESS},  {'h', false, TOP_BY_THREAD},
		{'r', true, TOP_SORT_RATE},    {'t', true, TOP_SORT_TOTAL},
		{'n', true, TOP_SORT_NAME},
	};
	int key = screen_key();

	if (key < 0 || key == 'q')
		return false;
	if (key == ' ')
		top->view.paused = !top->view.paused;
	for (size_t i = 0; i < array_count(keys); i++) {
		if (keys[i].key != key)
			continue;
		if (keys[i].sort)
			top->view.sort = (enum top_sort)keys[i].value;
		else
			top->view.by = (enum top_by)keys[i].value;
		top_view_arrange(&top->view);
	}
	draw_view(top);
	return true;
}

/* False: a signal that ends this. */
static bool take_signal(const struct top *top)
{
	struct signalfd_siginfo info;

	if (read(top->signal_fd, &info, sizeof(info)) != sizeof(info))
		return true;
	if (info.ssi_signo != SIGWINCH)
		return false;
	if (!top->batch)
		draw_view(top);
	return true;
}

static void watch_program(struct top *top)
{
	struct pollfd fds[] = {{top->saved_fd, POLLIN, 0},
			       {top->signal_fd, POLLIN, 0},
			       {top->batch ? -1 : STDIN_FILENO, POLLIN, 0}};
	bool going = true;

	if (!top->batch) {
		screen_open();
		draw_view(top);
	}
	while (going) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			break;
		if (fds[1].revents)
			going = take_signal(top);
		if (going && fds[0].revents)
			going = take_profile(top);
		if (going && fds[2].revents)
			going = fds[2].revents & POLLIN && take_key(top);
	}
	screen_close();
}

/* Ends the tracer, which lets the processes go, and passes on what it said. */
static int finish_run(struct top *top, const struct launch *launch)
{
	int status = 0, why = 0;
	char buffer[512];

	kill(top->tracer, SIGTERM);
	close(top->saved_fd);
	while (waitpid(top->tracer, &status, 0) < 0 && errno == EINTR)
		;
	if (top->program && !top->far && launch_failed(launch, &why)) {
		trm_error_print(
			trm_error_system(why, "cannot run '%s'", top->program[0]));
		return EXIT_FAILED;
	}
	scoped_file FILE *file = fopen(top->errors.data, "re");

	while (file && fgets(buffer, sizeof(buffer), file))
		fputs(buffer, stderr);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

/* What a command that was killed left. One that runs holds a lock on its folder, but for
 * the moment after it made it. */
static void remove_left(int base, const char *name)
{
	static const char *const files[] = {"profile", "profile.part", "errors"};
	scoped_fd int folder =
		openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (folder < 0 || fstat(folder, &status) || status.st_uid != geteuid() ||
	    status.st_mtime + LEFT_AGE_MIN_S > time(NULL) ||
	    flock(folder, LOCK_EX | LOCK_NB))
		return;
	for (size_t i = 0; i < array_count(files); i++)
		unlinkat(folder, files[i], 0);
	unlinkat(base, name, AT_REMOVEDIR);
}

static void sweep_files(const char *base)
{
	DIR *folder = opendir(base);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (!strncmp(entry->d_name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)))
			remove_left(dirfd(folder), entry->d_name);
	if (folder)
		closedir(folder);
}

static struct trm_error *make_folder(struct top *top)
{
	const char *base = getenv("TMPDIR");

	if (!base || *base != '/')
		base = "/tmp";
	sweep_files(base);
	text_format(&top->folder, "%s/" FOLDER_PREFIX "XXXXXX", base);
	if (!mkdtemp(top->folder.data))
		return trm_error_system(errno, "cannot make a folder in '%s'", base);
	/* Until this process and the tracer have ended. */
	flock(open(top->folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC), LOCK_SH);
	text_format(&top->profile, "%s/profile", top->folder.data);
	text_format(&top->errors, "%s/errors", top->folder.data);
	return NULL;
}

static void remove_folder(const struct top *top)
{
	struct text part = {0};

	text_format(&part, "%s.part", top->profile.data);
	unlink(part.data);
	unlink(top->profile.data);
	unlink(top->errors.data);
	rmdir(top->folder.data);
	text_deinit(&part);
}

static int make_signal_fd(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < array_count(numbers); i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int run_top(struct top *top)
{
	struct launch launch = {.go = {-1, -1}};
	struct text title = {0};
	struct trm_error *error = read_options(top);

	if (error)
		return arguments_status(error, EXIT_DONE);
	if (top->program)
		text_add(&title, top->program[0]);
	else
		text_format(&title, "process %d", top->pid);
	top->view.title = title.data;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || top->csv || top->columns)
		top->batch = true;
	error = make_folder(top);
	top->given.output = memory_copy_string(error ? "" : top->profile.data);
	top->given.quiet = top->given.threads = true;
	top->view.samples = top->samples;
	if (top->samples)
		top->given.measure = memory_copy_string("samples");
	top->signal_fd = make_signal_fd();
	if (!error && !measuring_complete(&top->given, "top")) {
		remove_folder(top);
		text_deinit(&title);
		return EXIT_USAGE;
	}
	if (!error)
		error = start_tracer(top, &launch);
	int status = arguments_status(error, EXIT_DONE);

	if (status == EXIT_DONE) {
		watch_program(top);
		status = finish_run(top, &launch);
	}
	if (top->error)
		status = arguments_status(top->error, status);
	remove_folder(top);
	text_deinit(&title);
	return status;
}

/* With all options that there are, if it is on another host. */
static int run_anywhere(struct top *top, const struct poptOption *table, int argc,
			const char **argv)
{
	struct option_settings settings;
	struct trm_error *error;

	if (!configured_is_far(table, POPT_CONTEXT_POSIXMEHARDER, argc, argv, &settings,
			       &error))
		return error ? arguments_status(error, EXIT_DONE) : run_top(top);
	top->far = &settings;
	int status = run_top(top);

	option_settings_deinit(&settings);
	return status;
}

static int parse_and_run(poptContext context, struct top *top,
			 const struct poptOption *table, int argc, const char **argv)
{
	int status = measuring_parse(context, &top->given, "top", print_help);

	if (status)
		return status - 1;
	top->program = poptGetArgs(context);
	return run_anywhere(top, table, argc, argv);
}

static int top_main(int argc, const char **argv)
{
	struct top top = {0};
	struct poptOption table[] = {
		{"pid", 'p', POPT_ARG_STRING, &top.pid_word, 0, "the process to show",
		 "PID"},
		{"delay", 'd', POPT_ARG_STRING, &top.delay_word, 0,
		 "time between two updates (default 1s)", "TIME"},
		{"iterations", 'n', POPT_ARG_STRING, &top.iterations_word, 0,
		 "end after N updates", "N"},
		{"batch", 'b', POPT_ARG_NONE, &top.batch, 0,
		 "print the rows of each update", NULL},
		{"limit", 'l', POPT_ARG_STRING, &top.limit_word, 0,
		 "print at most N rows an update (default 20)", "N"},
		{"by", 0, POPT_ARG_STRING, &top.by_word, 0,
		 "what a row is: function (the default), module, process or thread",
		 "WHAT"},
		{"sort", 0, POPT_ARG_STRING, &top.sort_word, 0,
		 "order of the rows: rate (the default), calls or name", "KEY"},
		MEASURING_WORD("only", OPTION_ONLY, "measure only functions that match",
			       "PATTERN"),
		MEASURING_WORD("skip", OPTION_SKIP, "do not measure functions that match",
			       "PATTERN"),
		{"columns", 0, POPT_ARG_STRING, &top.columns, 0,
		 "print only these columns, by their titles", "TITLE,..."},
		{"csv", 0, POPT_ARG_NONE, &top.csv, 0, "print comma-separated values",
		 NULL},
		{"samples", 0, POPT_ARG_NONE, &top.samples, 0,
		 "show where it spends time, by samples, and count nothing", NULL},
		{"no-follow", 0, POPT_ARG_NONE, &top.given.no_follow, 0,
		 "let child processes run unmeasured", NULL},
		MEASURING_FAR_OPTIONS,
		{"help", 'h', POPT_ARG_NONE, NULL, OPTION_HELP, "show this help", NULL},
		POPT_TABLEEND,
	};
	const char **named = memory_allocate((size_t)(argc + 1) * sizeof(*named));

	memcpy(named, argv, (size_t)(argc + 1) * sizeof(*named));
	named[0] = "trammel top"; /* for the usage line */
	poptContext context = poptGetContext("trammel top", argc, named, table,
					     POPT_CONTEXT_POSIXMEHARDER);
	int status = parse_and_run(context, &top, table, argc, argv);
	char *words[] = {top.pid_word,  top.delay_word, top.iterations_word, top.by_word,
			 top.sort_word, top.limit_word, top.columns};

	for (size_t i = 0; i < array_count(words); i++)
		free(words[i]);
	top_view_deinit(&top.view);
	text_deinit(&top.folder);
	text_deinit(&top.profile);
	text_deinit(&top.errors);
	measuring_deinit(&top.given);
	poptFreeContext(context);
	free(named);
	return status;
}

const struct command cmd_top = {
	.name = "top",
	.summary = "show what a process calls, or where it spends time, while it runs",
	.main = top_main,
};
