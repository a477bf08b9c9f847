/*
 * Attaching to a running process. All that can be is made ready while it runs: plans,
 * trampolines, patched texts, a bank for each thread. Then all threads are stopped at
 * once, the texts are swapped, and they go on.
 */
#include "session/run/attach.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "control/maps.h"
#include "control/remote.h"
#include "session/cache/cache.h"
#include "session/cache/cache_prune.h"
#include "session/cache/module_file.h"
#include "session/cache/plan_workers.h"
#include "session/count/sampled.h"
#include "session/count/values.h"
#include "session/count/window.h"
#include "session/debug/debug.h"
#include "session/follow/follow.h"
#include "session/follow/memory_watch.h"
#include "session/modules/modules.h"
#include "session/modules/swap.h"
#include "session/position/fault_actions.h"
#include "session/position/interrupted_calls.h"
#include "session/position/reentry.h"
#include "session/position/settle.h"
#include "session/position/stacks.h"
#include "session/profile/profile_writer.h"
#include "session/run/attach_check.h"
#include "session/run/samples.h"
#include "session/run/attach_children.h"
#include "session/run/guardian.h"
#include "session/run/leave.h"
#include "session/run/loop.h"
#include "session/run/run.h"
#include "session/run/wait_trace.h"
#include "session/state/doorbell.h"
#include "session/state/debugging.h"
#include "session/state/module.h"
#include "session/state/space.h"
#include "session/state/tables.h"
#include "session/thread/banks.h"
#include "session/thread/borrowed_thread.h"
#include "session/thread/stop.h"
#include "session/thread/threads.h"
#include "session/tool/tool_attach.h"
#include "session/tool/tool_points.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#define WAIT_NS  5000000      /* between tries */
#define READY_NS 60000000000u /* the longest that all threads are waited for */
#define LEAVE_NS 10000000000u

struct attachment {
	struct session *session;
	const struct attach_request *request;
	pid_t pid;
	size_t planned; /* number of files known when the modules were last examined */
	bool looked;
	const char *obstacle; /* reason why it has not begun yet; NULL: plans */
	pid_t culprit;        /* its thread */
};

static struct process *process_of(const struct attachment *attachment)
{
	return session_find_process(attachment->session, attachment->pid);
}

/* Returns any thread of the process: all see equal memory. */
static struct thread *thread_of(const struct attachment *attachment)
{
	vector_for_each (&attachment->session->all_threads, thread)
		if ((*thread)->process && (*thread)->process->pid == attachment->pid)
			return *thread;
	return NULL;
}

static bool hold_up(struct attachment *attachment, const char *obstacle, pid_t culprit)
{
	attachment->obstacle = obstacle;
	attachment->culprit = culprit;
	return false;
}

/* Calls `visit` for each thread of the process; the first error ends it. */
static struct trm_error *
each_task(struct attachment *attachment,
	  struct trm_error *(*visit)(struct attachment *, pid_t, bool *), bool *ret_any)
{
	struct trm_error *error = NULL;
	struct dirent *entry;
	char path[64];

	*ret_any = false;
	snprintf(path, sizeof(path), "/proc/%d/task", attachment->pid);
	DIR *folder = opendir(path);

	if (!folder)
		return trm_error_create(TRM_ERROR_GONE, "process %d ended",
					attachment->pid);
	while (!error && (entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			error = visit(attachment, (pid_t)atoi(entry->d_name), ret_any);
	closedir(folder);
	return error;
}

/* Returns whether this tracer traces a thread: threads made by threads that are traced
 * already are traced from their start. */
static bool is_traced_by_us(pid_t tid)
{
	uint64_t tracer = 0;

	return remote_status(tid, "TracerPid", 10, &tracer) &&
	       tracer == (uint64_t)getpid();
}

static struct trm_error *seize_thread(struct attachment *attachment, pid_t tid, bool *any)
{
	struct session *session = attachment->session;
	struct process *process = process_of(attachment);

	if (session_find_thread(session, tid) || attach_is_kernel_thread(tid))
		return NULL;
	if (ptrace(PTRACE_SEIZE, tid, 0, event_trace_options())) {
		int why = errno;

		/* It ended just now, unless it is the process itself. */
		if ((why == ESRCH || why == EPERM) && tid != attachment->pid &&
		    (is_traced_by_us(tid) || why == ESRCH))
			return NULL;
		return attach_explain(attachment->pid, why);
	}
	struct thread *thread = session_add_thread(session, tid);

	thread->process = process;
	thread->state = THREAD_RUNNING;
	process->threads++;
	process->image->threads++;
	*any = true;
	return NULL;
}

static struct trm_error *seize_all(struct attachment *attachment)
{
	bool any = true;

	while (any)
		TRM_TRY(each_task(attachment, seize_thread, &any));
	return NULL;
}

static struct trm_error *check_thread(const struct attachment *attachment,
				      const struct thread *thread)
{
	struct user_regs_struct registers;

	TRM_TRY(remote_get_registers(thread->tid, &registers));
	if (registers.gs_base || registers.gs)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"cannot measure process %d: it uses the GS "
					"register, which trammel needs",
					attachment->pid);
	if (registers.cs != CODE_SEGMENT)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"cannot measure process %d: it runs 32-bit code",
					attachment->pid);
	return NULL;
}

static struct trm_error *make_arena(void *context, struct thread *thread)
{
	struct attachment *attachment = context;

	TRM_TRY(check_thread(attachment, thread));
	TRM_TRY(space_make_arena(attachment->session, thread, thread->process->space));
	fault_actions_begin(attachment->session, thread);
	return space_reserve_banks(attachment->session, thread->process->space, thread,
				   1);
}

/* Returns whether a file is written in Go. Goroutines that were preempted by a signal
 * may be parked anywhere, also in bytes that are patched, and nothing tells where they
 * are. */
static bool is_go(struct module_file *file)
{
	if (!file->looked_for_go)
		file->is_go = file->bytes && memmem(file->bytes, file->identity.size,
						    "\xff Go buildinf:", 14);
	file->looked_for_go = true;
	return file->is_go;
}

static struct trm_error *check_modules(const struct attachment *attachment,
				       const struct space *space)
{
	const struct module *uses_gs = modules_using_gs(space);

	if (uses_gs)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"cannot measure process %d: '%s' sets the GS "
					"register, which trammel needs",
					attachment->pid, uses_gs->file->path);
	vector_for_each (&space->modules, module)
		if (is_go(module->file))
			return trm_error_create(
				TRM_ERROR_UNSUPPORTED,
				"cannot attach to process %d: '%s' is written in Go, "
				"whose goroutines may be parked anywhere; use 'trammel "
				"run'",
				attachment->pid, module->file->path);
	return NULL;
}

/* Gives each thread a bank. Returns false if a thread cannot be stopped now. A GS base
 * disturbs nothing until texts change. */
static bool assign_banks(struct attachment *attachment, struct process *process,
			 struct trm_error **ret_error)
{
	struct session *session = attachment->session;

	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *thread = session->all_threads.items[i];

		if (thread->process != process || thread->bank ||
		    thread->state != THREAD_RUNNING)
			continue;
		if (!thread_interrupt(session, thread))
			return hold_up(attachment, "does not stop", thread->tid);
		*ret_error = check_thread(attachment, thread);
		if (!*ret_error)
			thread_assign_bank(session, thread, 0);
		thread_resume(session, thread, 0);
		if (*ret_error && (*ret_error)->code != TRM_ERROR_GONE)
			return false;
		trm_error_destroy(*ret_error);
		*ret_error = NULL;
	}
	return true;
}

static struct trm_error *note_unready(struct attachment *attachment, pid_t tid, bool *any)
{
	const struct thread *thread = session_find_thread(attachment->session, tid);

	if (attach_is_kernel_thread(tid))
		return NULL;
	*any |= !thread || !thread->stopped || !thread->bank ||
		thread->state != THREAD_RUNNING ||
		thread_has_event(attachment->session, thread);
	return NULL;
}

/* Returns whether all threads are stopped and have banks, and no other process uses
 * their memory. */
static bool is_ready(struct attachment *attachment, const struct process *process)
{
	bool unready;

	if (remote_failed(each_task(attachment, note_unready, &unready)) || unready)
		return hold_up(attachment, "is new", attachment->pid);
	vector_for_each (&attachment->session->all_processes, other)
		if (*other != process &&
		    process_shares_memory(process->pid, (*other)->pid))
			return hold_up(attachment, "shares its memory", (*other)->pid);
	return true;
}

/* Moves all threads to the places where they will go on; returns false if one stands
 * where that is not possible. */
static bool lead_all_in(struct attachment *attachment, struct space *space,
			struct borrowed_thread *borrowed)
{
	struct session *session = attachment->session;

	if (remote_failed(maps_read(attachment->pid, &session->maps)))
		return hold_up(attachment, "ended", attachment->pid);
	vector_for_each (&session->all_threads, item) {
		struct thread *thread = *item;
		struct user_regs_struct registers = borrowed->registers;

		if (!thread->process || thread->process->space != space)
			continue;
		if (thread != borrowed->thread &&
		    remote_failed(remote_get_registers(thread->tid, &registers)))
			return hold_up(attachment, "ended", thread->tid);
		bool rests = interrupted_calls_leave_rest(thread, &registers);
		uint64_t rip = registers.rip;

		collector_call(session, begin_within, session, thread, &registers);

		reentry_lead_in(space, &registers);
		if (settle_is_in_patch(space, registers.rip) ||
		    !stacks_are_free(thread, &session->maps, &registers))
			return hold_up(attachment, "stands where code is to be replaced",
				       thread->tid);
		if (registers.rip == rip)
			continue;
		/* Until the text changes, the trampolines act exactly as the text
		 * does. */
		if (rests)
			interrupted_calls_lead_rest(thread, registers.rip);
		else if (thread == borrowed->thread)
			borrowed->registers = registers;
		else if (remote_failed(remote_set_registers(thread->tid, &registers)))
			return hold_up(attachment, "ended", thread->tid);
	}
	return true;
}

static bool begin_halted(struct attachment *attachment, struct process *process)
{
	struct session *session = attachment->session;
	struct space *space = process->space;
	struct borrowed_thread borrowed;
	bool begun = false;

	if (!is_ready(attachment, process))
		return false;
	if (!borrowed_thread_find(session, space, &borrowed))
		return hold_up(attachment, "cannot be used", process->pid);
	if (!modules_update(session, borrowed.thread))
		hold_up(attachment, NULL, 0);
	else if (!tool_attach_threads(session, process))
		hold_up(attachment, "is new to the tools", process->pid);
	else if (lead_all_in(attachment, space, &borrowed))
		begun = !remote_failed(swap_in(session, borrowed.thread, space));
	borrowed_thread_end(session, &borrowed);
	return begun;
}

/* Stops the process once and begins the measurement; returns false if it is to be
 * tried again. */
static bool begin_process(struct attachment *attachment, struct process *process)
{
	struct session *session = attachment->session;
	uint64_t start = clock_now_ns();
	bool begun = false;

	if (!stop_begin(session, (struct stop_scope){.space = process->space},
			STOP_BRIEFLY, NULL))
		hold_up(attachment, "does not stop", process->pid);
	else
		begun = begin_halted(attachment, process);
	if (begun) {
		process->space->holding = false;
		clock_gettime(CLOCK_MONOTONIC, &session->start);
		session->start_time = time(NULL);
		window_begin(session);
	}
	stop_go_on(session, process->space);
	uint64_t stood = clock_now_ns() - start;

	if (stood > session->stop_ns)
		session->stop_ns = stood;
	return begun;
}

/* Returns the number of banks kept ready for new threads. */
static uint32_t spare_banks(const struct process *process)
{
	const struct space *space = process->space;

	return 2 * bank_least(process->pid, space_widest(space)->stride);
}

/* Does as much of the beginning as can be done now; returns true once it is done. */
static bool try_to_begin(struct attachment *attachment, struct trm_error **ret_error)
{
	struct session *session = attachment->session;
	struct process *process = process_of(attachment);
	struct thread *thread = thread_of(attachment);
	struct space *space = process ? process->space : NULL;

	if (!space || !thread)
		return false;
	if (!space->family) {
		*ret_error = space_borrow(session, space, make_arena, attachment);
		if (*ret_error)
			return false;
	}
	if (!attachment->looked || attachment->planned != session->files.count) {
		attachment->planned = session->files.count;
		attachment->looked = modules_update(session, thread);
	}
	if (!attachment->looked)
		return hold_up(attachment, NULL, 0);
	*ret_error = check_modules(attachment, space);
	if (!*ret_error)
		*ret_error = space_reserve_banks(session, space, thread,
						 process->threads + spare_banks(process));
	if (*ret_error || !assign_banks(attachment, process, ret_error))
		return false;
	*ret_error = tool_attach(session, process);
	if (*ret_error)
		return false;
	return begin_process(attachment, process);
}

/* Prepares the attachment. Threads that end, or cannot be used now, are no errors:
 * others can be used later. */
static bool prepare_attachment(struct attachment *attachment,
			       struct trm_error **ret_error)
{
	bool begun = try_to_begin(attachment, ret_error);

	if (*ret_error && (*ret_error)->code == TRM_ERROR_GONE) {
		trm_error_destroy(*ret_error);
		*ret_error = NULL;
		hold_up(attachment, "cannot be used", attachment->pid);
	}
	return begun;
}

/* Returns the words of a process's command line, as the profile shows them. */
static const char **read_command(pid_t pid, const char *program, char **ret_words)
{
	struct VECTOR(char) text = {0};
	char path[64], buffer[4096];
	size_t count = 0, n;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	scoped_file FILE *file = fopen(path, "re");

	while (file && (n = fread(buffer, 1, sizeof(buffer), file)) > 0)
		for (size_t i = 0; i < n; i++)
			vector_push(&text, buffer[i]);
	/* Programs that show a title in place of it leave the rest empty. */
	while (text.count && !text.items[text.count - 1])
		text.count--;
	if (!text.count)
		for (const char *s = program; *s; s++)
			vector_push(&text, *s);
	vector_push(&text, '\0');
	for (size_t i = 0; i < text.count; i++)
		count += !text.items[i];
	const char **words = memory_allocate_zeroed(count + 1, sizeof(*words));

	count = 0;
	for (size_t i = 0; i + 1 < text.count; i++)
		if (!i || !text.items[i - 1])
			words[count++] = text.items + i;
	*ret_words = text.items;
	return words;
}

static struct trm_error *take_process(struct attachment *attachment, const char *program)
{
	struct session *session = attachment->session;
	uint64_t parent = 0;
	int memory_fd;

	TRM_TRY(remote_open(attachment->pid, "mem", O_RDWR, &memory_fd));
	remote_status(attachment->pid, "PPid", 10, &parent);
	struct process *process =
		session_add_process(session, attachment->pid, (pid_t)parent, program);

	process->image->started = true;
	process->space = space_create(NULL, memory_fd);
	process->space->holding = true;
	session->first = attachment->pid;
	return seize_all(attachment);
}

/* Takes a process that waits: it is traced, but nothing is put into it before its
 * program starts. */
static struct trm_error *take_waiting(const struct attachment *attachment,
				      const char *program)
{
	struct session *session = attachment->session;

	if (ptrace(PTRACE_SEIZE, attachment->pid, 0, event_trace_options()))
		return attach_explain(attachment->pid, errno);
	follow_first(session, attachment->pid, program);
	clock_gettime(CLOCK_MONOTONIC, &session->start);
	session->start_time = time(NULL);
	if (write(attachment->request->go_fd, "g", 1) != 1)
		return trm_error_create(TRM_ERROR_GONE, "process %d ended",
					attachment->pid);
	return NULL;
}

enum stage { PREPARING, MEASURING, LEAVING };

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

static bool is_ending(int signal)
{
	for (size_t i = 0; i < array_count(ending_signals); i++)
		if (signal == ending_signals[i])
			return true;
	return false;
}

static struct trm_error *not_begun(const struct attachment *attachment, int signal)
{
	if (!process_of(attachment))
		return trm_error_create(TRM_ERROR_GONE,
					"process %d ended before it could be measured",
					attachment->pid);
	if (signal)
		return trm_error_create(TRM_ERROR_SYSTEM,
					"interrupted before the measurement began");
	return trm_error_create(
		TRM_ERROR_SYSTEM,
		"cannot attach to process %d: its thread or process %d %s; try again",
		attachment->pid, attachment->culprit,
		attachment->obstacle ? attachment->obstacle : "is being planned");
}

/* State of the loop. */
struct course {
	enum stage stage;
	uint64_t since; /* of the stage */
	uint64_t limit; /* while measuring: nanoseconds until there may be something */
	uint64_t saved; /* clock_now_ns() when the profile was last written */
	int signal;     /* signal that ends the measurement; 0: none */
	struct trm_error *error;
};

static void enter_stage(struct course *course, enum stage stage)
{
	course->stage = stage;
	course->since = clock_now_ns();
}

/* Begins to measure, with a guardian unless profiles are written all the time: then
 * the process that asked for them has the last one. */
static void enter_measuring(const struct attachment *attachment, struct course *course)
{
	const struct session_server *server = &attachment->session->options->server;

	enter_stage(course, MEASURING);
	if (!attachment->request->save_ns)
		guardian_begin(attachment->session, -1);
	if (server->begin)
		server->begin(attachment->session, server->context);
}

/* Writes the profile if it is due; limits the wait until the next time. */
static void save_often(struct attachment *attachment, struct course *course)
{
	const struct attach_request *request = attachment->request;
	struct session *session = attachment->session;
	uint64_t now = clock_now_ns();

	if (!request->save_ns || !session->images.items[0]->started)
		return;
	if (now - course->saved >= request->save_ns) {
		course->saved = now;
		course->error = profile_writer_save(session, session->options->output);
		if (course->error ||
		    write(request->saved_fd, &now, sizeof(now)) != sizeof(now))
			course->signal = SIGHUP;
	}
	if (course->limit > course->saved + request->save_ns - now)
		course->limit = course->saved + request->save_ns - now;
}

/* Does the work that has a schedule of its own, as in loop.c. Returns the nanoseconds
 * until more is due. */
static uint64_t act_in_time(struct session *session)
{
	const uint64_t limits[] = {window_act(session),   memory_watch_act(session),
				   guardian_act(session), tool_points_act(session),
				   sampled_act(session),  values_act(session),
				   debugging_act(session)};
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < array_count(limits); i++)
		least = limits[i] < least ? limits[i] : least;
	return least;
}

static void measure_course(struct attachment *attachment, struct course *course)
{
	struct session *session = attachment->session;
	uint64_t passed = clock_now_ns() - course->since;

	if (course->stage == PREPARING) {
		if (prepare_attachment(attachment, &course->error)) {
			enter_measuring(attachment, course);
			if (!session->options->no_follow)
				attach_note_children(session, attachment->pid);
			if (attachment->request->begun)
				attachment->request->begun(attachment->pid);
			return;
		}
		if (!course->error &&
		    (passed > READY_NS || course->signal || !process_of(attachment)))
			course->error = not_begun(attachment, course->signal);
		if (course->error)
			enter_stage(course, LEAVING);
	} else if (course->stage == MEASURING) {
		course->limit = act_in_time(session);
		save_often(attachment, course);
		if (!course->signal && session->window.state != WINDOW_CLOSED &&
		    !session->first_ended)
			return;
		if (!session->first_ended)
			clock_gettime(CLOCK_MONOTONIC, &session->end);
		sampled_end(session);
		enter_stage(course, LEAVING);
	}
}

/* How long leaving may take: a routine of a tool has its time. */
static uint64_t leave_ns(const struct session *session)
{
	return LEAVE_NS + (session->options->tools.count ? session->options->tool_ns : 0);
}

/* Runs the loop of an attachment. Returns false if a process could not be let go; it
 * stays as if trammel had been killed. */
static bool follow_course(struct attachment *attachment, struct course *course,
			  const sigset_t *signals)
{
	struct session *session = attachment->session;

	for (;;) {
		session_act(session);
		follow_watched(session);
		measure_course(attachment, course);
		if (course->stage == LEAVING) {
			debug_end(session);
			tool_points_act(session);
			if (session_leave(session) || !session->thread_count)
				return true;
			if (clock_now_ns() - course->since > leave_ns(session))
				return false;
		}
		int signal = session_wait(session, signals,
					  course->stage == MEASURING ? course->limit
								     : WAIT_NS);

		if (is_ending(signal))
			course->signal = signal;
	}
}

static struct trm_error *attach_and_run(struct session *session,
					const struct attach_request *request,
					const char *program, const sigset_t *signals)
{
	struct attachment attachment = {
		.session = session, .request = request, .pid = request->pid};
	struct course course = {.since = clock_now_ns()};

	course.error = request->waits ? take_waiting(&attachment, program)
				      : take_process(&attachment, program);
	if (!course.error && request->waits)
		enter_measuring(&attachment, &course);
	if (course.error)
		course.stage = LEAVING;
	if (!follow_course(&attachment, &course, signals) && !course.error) {
		tool_abandon(session);
		trm_error_destroy(profile_writer_save(session, session->options->output));
		return trm_error_create(
			TRM_ERROR_SYSTEM,
			"a thread of process %d does not stop: it runs on measured, "
			"until it ends",
			request->pid);
	}
	if (course.error)
		return course.error;
	if (session->refusal)
		return trm_error_create(TRM_ERROR_UNSUPPORTED, "cannot measure '%s': %s",
					session->images.items[0]->program,
					session->refusal);
	if (!session->images.items[0]->started)
		return trm_error_create(TRM_ERROR_GONE, "process %d executed no program",
					request->pid);
	return profile_writer_save(session, session->options->output);
}

/* Ctrl-Z would leave the program without its tracer. */
static void block_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGCHLD);
	sigaddset(signals, SIGUSR1);
	for (size_t i = 0; i < array_count(ending_signals); i++)
		sigaddset(signals, ending_signals[i]);
	sigprocmask(SIG_BLOCK, signals, NULL);
	signal(SIGTSTP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

static struct trm_error *check_collector(const struct collector *collector,
					 const struct attach_request *request)
{
	if (collector->waits && (request->waits || request->save_ns))
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"-m waits cannot be watched as it goes on: "
					"trammel attach, and then trammel stacks");

	if (collector->regions)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"-m %s is for programs that trammel starts: what "
					"a process said before is not known",
					collector->name);
	return NULL;
}

struct trm_error *session_attach(const struct session_options *options,
				 const struct attach_request *request)
{
	/* Its contents are needed until this process ends, which is soon. */
	static struct session session;
	static struct collector traced;
	struct session_options described = *options;
	char program[PATH_MAX];
	scoped_free char *words = NULL;
	sigset_t signals;

	TRM_TRY(check_collector(options->collector, request));
	const bool traces = options->collector->slot_size;

	if (options->collector->waits)
		TRM_TRY(attach_check_tracing(request->pid));
	if (!request->waits && traces)
		TRM_TRY(attach_check(request->pid));
	TRM_TRY(session_check_output(options->output));
	remote_read_program(request->pid, program, sizeof(program));
	scoped_free const char **command = read_command(request->pid, program, &words);

	session = (struct session){.options = &described,
				   .attached = true,
				   .tool_output = session_open_tool_output(options)};
	described.arguments = command;
	described.live = true;
	block_signals(&signals);
	if (options->collector->waits)
		return wait_attach(&described, request, command);
	if (!traces && !request->waits)
		TRM_TRY(attach_check_looking(request->pid));
	if (!traces) {
		struct trm_error *error = samples_attach(&described, request, command);

		if (!samples_are_forbidden(error))
			return error;
		trm_error_destroy(error);
		samples_trace(options->collector, &traced);
		described.collector = &traced;
		described.hooks_alone = true;
	}
	if (!request->waits && !traces)
		TRM_TRY(attach_check(request->pid));
	TRM_TRY(sampled_begin(&session, request->pid, !request->waits));
	session.cache = cache_create(options->quiet);
	values_begin(&session);
	trm_error_destroy(doorbell_create(&session.doorbell));
	session.plan_workers = plan_workers_create(session.cache, &described, -1);
	struct trm_error *error = attach_and_run(&session, request, program, &signals);

	guardian_end(&session);
	doorbell_destroy(session.doorbell);
	string_table_deinit(&session.phases);
	plan_workers_destroy(session.plan_workers);
	cache_prune(session.cache);
	cache_destroy(session.cache);
	return error;
}
