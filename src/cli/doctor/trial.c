/*
 * The trial: three processes as in a run (session/run/run.c). One is the program, one the
 * tracer, which is not its ancestor; this one waits for both.
 */
#include "cli/doctor/trial.h"

#include "base/array.h"
#include "control/event.h"
#include "control/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIAL_SECONDS 5

/* Any place that programs do not use will do. */
#define TRIAL_GS_BASE 0x7e0000000000ull

struct trial_pipes {
	int tracer[2]; /* to the program: the tracer's pid */
	int ready[2];  /* to the tracer: a byte when the program can be seized */
	int end[2];    /* nothing is written; its end ends the program */
};

static bool open_pipes(struct trial_pipes *pipes)
{
	return !pipe2(pipes->tracer, O_CLOEXEC) && !pipe2(pipes->ready, O_CLOEXEC) &&
	       !pipe2(pipes->end, O_CLOEXEC);
}

static void close_pipes(const struct trial_pipes *pipes)
{
	const int *const all[] = {pipes->tracer, pipes->ready, pipes->end};

	for (size_t i = 0; i < array_count(all); i++) {
		close(all[i][0]);
		close(all[i][1]);
	}
}

/* Notes the outcome of a step; a NULL error is success. */
static bool note_step(struct trial *trial, enum trial_step step, struct trm_error *error)
{
	bool good = !error;

	trial->steps[step].reached = true;
	trial->steps[step].good = good;
	if (error)
		snprintf(trial->steps[step].reason, sizeof(trial->steps[step].reason),
			 "%s", error->message);
	trm_error_destroy(error);
	return good;
}

static struct trm_error *system_result(long result, const char *what)
{
	return result < 0 ? trm_error_system(errno, "%s", what) : NULL;
}

static struct trm_error *stop_program(pid_t program)
{
	int status;

	TRM_TRY(system_result(ptrace(PTRACE_INTERRUPT, program, 0, 0),
			      "PTRACE_INTERRUPT"));
	TRM_TRY(system_result(waitpid(program, &status, __WALL), "waitpid"));
	if (!WIFSTOPPED(status))
		return trm_error_create(TRM_ERROR_GONE, "the process ended");
	return NULL;
}

/* Writes a byte of the text that is there already: the kernel may forbid that for pages
 * that the process itself could not write to (proc_mem.force_override). */
static struct trm_error *write_text(pid_t program)
{
	uint64_t address = (uintptr_t)trial_run;
	unsigned char byte;
	int fd;

	TRM_TRY(remote_open(program, "mem", O_RDWR, &fd));
	struct trm_error *error = remote_read(fd, address, &byte, 1);

	if (!error)
		error = remote_write(fd, address, &byte, 1);
	close(fd);
	return error;
}

static struct trm_error *set_gs(pid_t program)
{
	struct user_regs_struct registers;

	TRM_TRY(remote_set_gs_base(program, TRIAL_GS_BASE));
	TRM_TRY(remote_get_registers(program, &registers));
	if (registers.gs_base != TRIAL_GS_BASE)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"the GS base was set but is not there");
	return NULL;
}

_Noreturn static void be_tracer(const struct trial_pipes *pipes, pid_t program,
				struct trial *trial)
{
	sigset_t alarm_set;
	char byte;

	/* Whatever hangs, hangs for so long only. */
	sigemptyset(&alarm_set);
	sigaddset(&alarm_set, SIGALRM);
	signal(SIGALRM, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &alarm_set, NULL);
	alarm(TRIAL_SECONDS);
	close(pipes->ready[1]);
	close(pipes->end[1]);
	if (read(pipes->ready[0], &byte, 1) != 1)
		_exit(1);
	long seized = ptrace(PTRACE_SEIZE, program, 0, event_trace_options());

	if (!note_step(trial, TRIAL_SEIZE, system_result(seized, "PTRACE_SEIZE")) ||
	    !note_step(trial, TRIAL_STOP, stop_program(program)))
		_exit(1);
	note_step(trial, TRIAL_MEMORY, write_text(program));
	note_step(trial, TRIAL_GS, set_gs(program));
	note_step(trial, TRIAL_KCMP,
		  system_result(syscall(SYS_kcmp, program, getpid(), KCMP_VM, 0, 0),
				"kcmp"));
	_exit(0);
}

_Noreturn static void be_program(const struct trial_pipes *pipes)
{
	pid_t tracer;
	char byte;

	close(pipes->tracer[1]);
	close(pipes->end[1]);
	if (read(pipes->tracer[0], &tracer, sizeof(tracer)) != sizeof(tracer))
		_exit(1);
	prctl(PR_SET_PTRACER, tracer, 0, 0, 0);
	if (write(pipes->ready[1], "r", 1) != 1)
		_exit(1);
	/* The tracer's death detaches it, and the pipe ends with the doctor at the
	 * latest. */
	_exit(read(pipes->end[0], &byte, 1) == 0 ? 0 : 1);
}

static void wait_for(pid_t pid)
{
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void make_trial(struct trial *trial)
{
	struct trial_pipes pipes = {{-1, -1}, {-1, -1}, {-1, -1}};
	pid_t program, tracer = -1;
	bool ready = open_pipes(&pipes);

	fflush(NULL);
	program = ready ? fork() : -1;
	if (program == 0)
		be_program(&pipes);
	if (program > 0)
		tracer = fork();
	if (tracer == 0)
		be_tracer(&pipes, program, trial);
	int why = errno;

	if (tracer > 0 && write(pipes.tracer[1], &tracer, sizeof(tracer)) < 0)
		why = errno;
	if (tracer < 0)
		note_step(trial, TRIAL_SEIZE,
			  trm_error_system(why, "no process to try it on"));
	wait_for(tracer);
	close_pipes(&pipes);
	wait_for(program);
}

const struct trial *trial_run(void)
{
	static struct trial result;
	static bool made;

	if (made)
		return &result;
	made = true;
	/* The tracer writes to it, even if it does not come to its end. */
	void *shared = mmap(NULL, sizeof(result), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED) {
		note_step(&result, TRIAL_SEIZE,
			  trm_error_system(errno, "no memory to try it"));
		return &result;
	}
	make_trial(shared);
	memcpy(&result, shared, sizeof(result));
	munmap(shared, sizeof(result));
	return &result;
}
