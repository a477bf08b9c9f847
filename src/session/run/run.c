/* The front of a run: three processes and what passes between them. */
#include "session/run/run.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/program.h"
#include "base/clock.h"
#include "base/text.h"
#include "control/remote.h"
#include "image/kind.h"
#include "session/cache/cache.h"
#include "session/run/contexts.h"
#include "session/run/loop.h"
#include "session/run/planning_notice.h"
#include "session/run/samples.h"
#include "session/run/wait_trace.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds between looks whether a stopped program goes on, and number of looks in
 * a row at which it must seem to do so. */
#define LOOK_NS 20000000
#define LOOKS   3

struct pipe_ends {
	int read, write;
};

static struct trm_error *make_pipe(struct pipe_ends *ret_pipe)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return trm_error_system(errno, "cannot make a pipe");
	*ret_pipe = (struct pipe_ends){fds[0], fds[1]};
	return NULL;
}

/* The pipes of a run: who writes, who reads. */
struct channels {
	struct pipe_ends tracer; /* front to program: the tracer's pid */
	struct pipe_ends ready;  /* program to tracer: can be seized */
	struct pipe_ends go;     /* tracer to program: exec now */
	struct pipe_ends failed; /* program to front: errno of the exec */
	struct pipe_ends status; /* tracer to front: see status_kind */
	struct pipe_ends
		planning; /* tracer to front: see session/run/planning_notice.h */
};

static struct trm_error *make_channels(struct channels *channels)
{
	TRM_TRY(make_pipe(&channels->tracer));
	TRM_TRY(make_pipe(&channels->ready));
	TRM_TRY(make_pipe(&channels->go));
	TRM_TRY(make_pipe(&channels->failed));
	TRM_TRY(make_pipe(&channels->status));
	TRM_TRY(make_pipe(&channels->planning));
	fcntl(channels->planning.read, F_SETFL, O_NONBLOCK);
	fcntl(channels->planning.write, F_SETFL, O_NONBLOCK);
	return NULL;
}

static bool changes_rights(const char *path, const struct stat *status)
{
	char capability[64];

	if ((status->st_mode & S_ISUID) && status->st_uid != geteuid())
		return true;
	if ((status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
	    status->st_gid != getegid())
		return true;
	return geteuid() != 0 &&
	       getxattr(path, "security.capability", capability, sizeof(capability)) > 0;
}

/* Checks the program as far as possible before it starts; writes a shell's exit status
 * to `ret_refused`, and returns the file if it is an ELF file: execvp would give a
 * damaged one to a shell. */
static struct trm_error *check_program(const char *name, int *ret_refused, char **ret_elf,
				       bool *ret_static)
{
	scoped_free char *path = program_find(name);
	char magic[SELFMAG];
	struct stat status;

	*ret_refused = errno == EACCES ? 126 : 127;
	if (!path)
		return trm_error_system(errno, "cannot run '%s'", name);
	*ret_refused = 127;
	if (stat(path, &status)) {
		if (errno != ENOENT && errno != ENOTDIR)
			*ret_refused = 126;
		return trm_error_system(errno, "cannot run '%s'", name);
	}
	*ret_refused = 126;
	if (S_ISDIR(status.st_mode))
		return trm_error_system(EISDIR, "cannot run '%s'", name);
	if (access(path, X_OK))
		return trm_error_system(errno, "cannot run '%s'", name);
	if (changes_rights(path, &status))
		return trm_error_create(
			TRM_ERROR_UNSUPPORTED,
			"cannot measure '%s': it is set-uid, set-gid or has "
			"capabilities, which a traced program does not get; run "
			"trammel as the user it changes to",
			name);
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"cannot measure '%s': it cannot be read", name);
	if (image_probe(fd) == IMAGE_KIND_FOREIGN)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"cannot run '%s': it is not an x86-64 program",
					name);
	*ret_refused = 0;
	*ret_elf = pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
				   !memcmp(magic, ELFMAG, SELFMAG)
			   ? take_pointer(path)
			   : NULL;
	*ret_static = *ret_elf && image_is_static(fd);
	return NULL;
}

struct trm_error *session_check_output(const char *path)
{
	struct text part = {0};
	struct stat status;
	int fd;

	if (!*path)
		return trm_error_create(TRM_ERROR_USAGE,
					"no name for the profile: -o '' is empty");
	if (!stat(path, &status)) {
		if (S_ISDIR(status.st_mode))
			return trm_error_system(EISDIR, "cannot write '%s'", path);
		if (access(path, W_OK))
			return trm_error_system(errno, "cannot write '%s'", path);
		if (!S_ISREG(status.st_mode))
			return NULL;
	}
	text_format(&part, "%s.part", path);
	fd = open(part.data, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0) {
		text_deinit(&part);
		return trm_error_system(
			errno, "cannot write '%s': choose another place with -o", path);
	}
	close(fd);
	unlink(part.data);
	text_deinit(&part);
	return NULL;
}

void front_execute(const char *elf, const struct session_options *options, int failed_fd)
{
	const char *const *arguments = options->arguments;

	contexts_environment(&options->context);
	if (elf)
		execv(elf, (char *const *)(uintptr_t)arguments);
	else
		execvp(arguments[0], (char *const *)(uintptr_t)arguments);
	int why = errno;

	if (write(failed_fd, &why, sizeof(why)) < 0)
		_exit(126);
	_exit(why == ENOENT ? 127 : 126);
}

/* In the child that becomes the program. Signals, mask, limits and environment are as the
 * front got them. */
_Noreturn static void become_program(const struct channels *channels, const char *elf,
				     const struct session_options *options)
{
	pid_t tracer;
	char byte;

	/* Ends of others, so that a read ends when the one who would write is gone. */
	close(channels->tracer.write);
	close(channels->ready.read);
	close(channels->go.write);
	close(channels->status.write);
	close(channels->planning.write);
	if (read(channels->tracer.read, &tracer, sizeof(tracer)) != sizeof(tracer))
		_exit(126);
	/* Under Yama's ptrace_scope 1 only an ancestor may trace, and the tracer is
	 * not an ancestor. */
	prctl(PR_SET_PTRACER, tracer, 0, 0, 0);
	if (write(channels->ready.write, "r", 1) != 1 ||
	    read(channels->go.read, &byte, 1) != 1)
		_exit(126);
	front_execute(elf, options, channels->failed.write);
}

/* Raises the limits of memory, which are the program's: the tracer plans in more
 * memory than they may allow. If that is forbidden, too, it has as much as the hard
 * limits allow. */
static void raise_limits(void)
{
	static const __rlimit_resource_t raised[] = {RLIMIT_AS, RLIMIT_DATA};

	for (size_t i = 0; i < array_count(raised); i++) {
		struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

		if (!setrlimit(raised[i], &limit) || getrlimit(raised[i], &limit))
			continue;
		limit.rlim_cur = limit.rlim_max;
		setrlimit(raised[i], &limit);
	}
}

_Noreturn static void become_tracer(const struct channels *channels, pid_t program,
				    const struct session_options *options,
				    struct cache *cache)
{
	const struct tracer_start start = {
		.status_fd = channels->status.write,
		.ready_fd = channels->ready.read,
		.go_fd = channels->go.write,
		.planning_fd = options->planning ? channels->planning.write : -1,
		.program = program,
	};

	close(channels->tracer.read);
	close(channels->tracer.write);
	close(channels->ready.write);
	close(channels->go.read);
	close(channels->failed.read);
	close(channels->failed.write);
	close(channels->status.read);
	close(channels->planning.read);
	raise_limits();
	int status = options->collector->waits ? wait_trace(options, &start)
					       : session_trace(options, cache, &start);

	contexts_remove(&options->context);
	_exit(status);
}

void front_tell(const struct session_options *options, pid_t program, int why)
{
	const struct session_server *server = &options->server;

	if (server->executed)
		server->executed(server->context, program, why);
}

/* Signals sent to this process that are meant for the program. Signals of the terminal
 * go to both, and the program has received them already. */
static const int passed_on[] = {SIGTERM, SIGHUP,   SIGINT,  SIGQUIT, SIGUSR1,
				SIGUSR2, SIGWINCH, SIGALRM, SIGTSTP};

void front_block_signals(sigset_t *signals)
{
	sigemptyset(signals);
	for (size_t i = 0; i < array_count(passed_on); i++)
		sigaddset(signals, passed_on[i]);
	sigaddset(signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, signals, NULL);
}

static bool is_stopped(pid_t pid)
{
	unsigned int flags;
	char state = remote_state(pid, &flags);

	return state == 'T' || state == 't';
}

/* Waits, in a process of its own, and lets the stopped front go on when the program
 * does, or has ended. A tracer may wake a stopped program for a moment. */
_Noreturn static void await_program(pid_t front, pid_t program)
{
	const struct timespec pause = {0, LOOK_NS};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int seen = 0; seen < LOOKS && getppid() == front; nanosleep(&pause, NULL))
		seen = is_stopped(front) && !is_stopped(program) ? seen + 1 : 0;
	if (getppid() == front)
		kill(front, SIGCONT);
	_exit(0);
}

/* Stops as the program did: its shell sees this process stop by the same signal. The
 * shell continues both; but somebody else may continue the program alone, or kill it. */
static void stop_as(pid_t program, int signal)
{
	const pid_t front = getpid(), watcher = fork();
	sigset_t set;

	if (!watcher)
		await_program(front, program);
	sigemptyset(&set);
	sigaddset(&set, signal);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (watcher > 0) {
		kill(watcher, SIGKILL);
		waitpid(watcher, NULL, 0);
	}
}

/* The next signal, which is blocked; its si_code, too. */
static int next_signal(const sigset_t *signals, int *ret_code)
{
	siginfo_t info = {0};
	int signal = sigwaitinfo(signals, &info);

	*ret_code = info.si_code;
	return signal;
}

/* The same while modules may be planned; 0: there is none yet. */
static int next_signal_planning(const sigset_t *signals, struct planning_notice *planning,
				int signals_fd, int *ret_code)
{
	struct pollfd ends[] = {{.fd = signals_fd, .events = POLLIN},
				{.fd = planning->fd, .events = POLLIN}};
	struct signalfd_siginfo info;

	if (signals_fd < 0)
		return next_signal(signals, ret_code);
	poll(ends, 2, planning_notice_wait_ms(planning, clock_now_ns()));
	planning_notice_act(planning, clock_now_ns());
	if (read(signals_fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	*ret_code = info.ssi_code;
	return (int)info.ssi_signo;
}

/* Waits for the program's end; stops and goes on with it, as its shell expects. */
int front_wait(pid_t program, const sigset_t *signals, struct planning_notice *planning)
{
	scoped_fd int signals_fd =
		planning ? signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK) : -1;
	int status, signal, code;

	for (;;) {
		pid_t found = waitpid(program, &status, WNOHANG | WUNTRACED);

		if (found < 0 && errno != EINTR)
			return 126 << 8;
		if (found == program && WIFSTOPPED(status))
			stop_as(program, WSTOPSIG(status));
		else if (found == program)
			return status;
		if (found)
			continue;
		signal = planning ? next_signal_planning(signals, planning, signals_fd,
							 &code)
				  : next_signal(signals, &code);
		if (signal > 0 && signal != SIGCHLD && code <= 0)
			kill(program, signal);
	}
}

static void read_status(int fd, struct text *text)
{
	char buffer[512];
	ssize_t n;

	while ((n = read(fd, buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			text_add_bytes(text, buffer, (size_t)n);
}

struct trm_error *front_exec_error(const struct session_options *options, int why,
				   struct run_outcome *outcome)
{
	outcome->refused = why == ENOENT ? 127 : 126;
	return trm_error_system(why, "cannot run '%s'", options->arguments[0]);
}

static struct trm_error *understand_status(const struct text *status,
					   const struct session_options *options,
					   int exec_error, struct run_outcome *outcome)
{
	const char *name = options->arguments[0];
	const char *rest = status->length ? status->data + 1 : "";

	if (exec_error)
		return front_exec_error(options, exec_error, outcome);
	switch (status->length ? status->data[0] : '\0') {
	case STATUS_SAVED:
		outcome->profile = true;
		return NULL;
	case STATUS_RESCUED:
		outcome->profile = true;
		return trm_error_create(TRM_ERROR_SYSTEM, "%s", rest);
	case STATUS_REFUSED:
		outcome->refused = 126;
		return trm_error_create(TRM_ERROR_UNSUPPORTED, "cannot measure '%s': %s",
					name, rest);
	case STATUS_FAILED:
		return trm_error_create(TRM_ERROR_SYSTEM, "%s", rest);
	default:
		return trm_error_create(
			TRM_ERROR_SYSTEM,
			"the tracer was killed: the program ran on, but there is "
			"no profile");
	}
}

static struct trm_error *run_checked(const struct session_options *options,
				     const char *elf, struct cache *cache,
				     struct run_outcome *outcome)
{
	struct channels channels = {0};
	struct text status = {0};
	int exec_error = 0;
	sigset_t signals;

	TRM_TRY(make_channels(&channels));
	pid_t program = fork();

	if (program == 0)
		become_program(&channels, elf, options);
	pid_t tracer = program < 0 ? -1 : fork();

	if (tracer == 0)
		become_tracer(&channels, program, options, cache);
	if (tracer < 0)
		return trm_error_system(errno, "cannot start a process");
	front_block_signals(&signals);
	close(channels.ready.read);
	close(channels.ready.write);
	close(channels.go.read);
	close(channels.go.write);
	close(channels.failed.write);
	close(channels.status.write);
	close(channels.planning.write);
	if (write(channels.tracer.write, &tracer, sizeof(tracer)) != sizeof(tracer))
		return trm_error_system(errno, "cannot reach the program");
	close(channels.tracer.write);
	close(channels.tracer.read);
	if (read(channels.failed.read, &exec_error, sizeof(exec_error)) <
	    (ssize_t)sizeof(exec_error))
		exec_error = 0;
	close(channels.failed.read);
	front_tell(options, program, exec_error);
	struct planning_notice planning = {.fd = channels.planning.read,
					   .show = options->planning};

	outcome->status =
		front_wait(program, &signals, options->planning ? &planning : NULL);
	planning_notice_end(&planning);
	if (planning.fd >= 0)
		close(planning.fd);
	read_status(channels.status.read, &status);
	close(channels.status.read);
	outcome->tracer_answered = status.length > 0 && *status.data != STATUS_RESCUED;
	struct trm_error *error =
		understand_status(&status, options, exec_error, outcome);

	text_deinit(&status);
	return error;
}

static struct trm_error *run_traced(const struct session_options *options,
				    const char *elf, struct run_outcome *outcome)
{
	struct cache *cache = cache_create(options->quiet);
	struct trm_error *error = run_checked(options, elf, cache, outcome);

	cache_destroy(cache);
	return error;
}

/* Where perf events are forbidden the program is traced. */
static struct trm_error *run_sampled(const struct session_options *options,
				     const char *elf, struct run_outcome *outcome)
{
	struct session_options own = *options;
	struct collector traced;
	struct trm_error *error = samples_run(options, elf, outcome);

	if (!samples_are_forbidden(error))
		return error;
	trm_error_destroy(error);
	*outcome = (struct run_outcome){0};
	samples_trace(options->collector, &traced);
	own.collector = &traced;
	own.hooks_alone = true;
	return run_traced(&own, elf, outcome);
}

struct trm_error *session_run(const struct session_options *options,
			      struct run_outcome *ret_outcome)
{
	*ret_outcome = (struct run_outcome){0};
	scoped_free char *elf = NULL;

	struct session_options own = *options;

	TRM_TRY(check_program(options->arguments[0], &ret_outcome->refused, &elf,
			      &own.context.is_static));
	TRM_TRY(session_check_output(options->output));

	TRM_TRY(contexts_prepare(&own.context));
	struct trm_error *error =
		options->collector->slot_size || options->collector->waits
			? run_traced(&own, elf, ret_outcome)
		: options->collector->samples ? run_sampled(&own, elf, ret_outcome)
					      : contexts_run(&own, elf, ret_outcome);

	if (!ret_outcome->tracer_answered)
		contexts_remove(&own.context);
	contexts_deinit(&own.context);
	return error;
}
