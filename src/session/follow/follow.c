#include "session/follow/follow.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "control/maps.h"
#include "control/remote.h"
#include "image/kind.h"
#include "image/walkers.h"
#include "session/cache/cache.h"
#include "session/cache/exception_rate.h"
#include "session/count/peeks.h"
#include "session/count/read_banks.h"
#include "session/count/sampled.h"
#include "session/count/values.h"
#include "session/count/window.h"
#include "session/follow/fired_restore.h"
#include "session/follow/foreign_translators.h"
#include "session/follow/hooks.h"
#include "session/follow/loading.h"
#include "session/follow/named_loader.h"
#include "session/follow/release.h"
#include "session/follow/signals.h"
#include "session/follow/unannounced.h"
#include "session/modules/modules.h"
#include "session/modules/pages.h"
#include "session/modules/trampolines.h"
#include "session/options/options.h"
#include "session/position/fault_actions.h"
#include "session/position/interrupted_calls.h"
#include "session/position/reentry.h"
#include "session/position/residues.h"
#include "session/position/signal_frames.h"
#include "session/position/stretches.h"
#include "session/position/view.h"
#include "session/state/debugging.h"
#include "session/state/doorbell.h"
#include "session/state/memory.h"
#include "session/state/module.h"
#include "session/state/session.h"
#include "session/state/space.h"
#include "session/state/tables.h"
#include "session/thread/banks.h"
#include "session/thread/fast_timers.h"
#include "session/thread/held.h"
#include "session/thread/threads.h"
#include "session/tool/tool.h"
#include "wire/bank.h"
#include "wire/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

/* Arenas lie this far below the lowest of the libraries, out of the way of what the
 * program maps, and where sanitizers expect mappings to be. */
#define ARENA_DISTANCE (64ull << 30)

/* Returns the address of the arena: below the lowest mapping of the region where
 * libraries lie. */
static uint64_t choose_place(const struct maps *maps, uint64_t banks_size)
{
	const uint64_t size = WIRE_BANKS_OFFSET + banks_size;

	vector_for_each (&maps->mappings, mapping) {
		uint64_t place = mapping->start - ARENA_DISTANCE;

		if (mapping->start > ARENA_DISTANCE * 2 &&
		    mapping->start > (1ull << 45) + ARENA_DISTANCE &&
		    (mapping->start >> 44 >= 7 || mapping->start >> 40 == 0x2a) &&
		    maps_is_free(maps, place, size))
			return place;
	}
	vector_for_each (&maps->mappings, mapping)
		if (mapping->start > ARENA_DISTANCE * 2 &&
		    maps_is_free(maps, mapping->start - ARENA_DISTANCE, size))
			return mapping->start - ARENA_DISTANCE;
	return 0x7e0000000000;
}

/* Returns the size in bytes of banks that need not be made wider for a usual program. */
static uint64_t first_stride(const struct session *session, bool spreads)
{
	const uint32_t size = session->options->collector->slot_size;
	uint64_t extent = cache_counters_reserved(session->options);

	if (spreads)
		extent += cache_counters_extent(session->cache, session->options);
	return bank_stride_for(extent / size, size);
}

struct trm_error *space_make_arena(struct session *session, struct thread *thread,
				   struct space *space)
{
	struct arena *arena;
	struct inject_arena_request request = {
		.tid = thread->tid,
		.memory_fd = space->memory_fd,
		.maps = &session->maps,
		.slot_size = session->options->collector->slot_size,
		.memfd_flags = arena_memfd_flags(),
	};

	if (!session->clock_ticks) {
		session->clock_ns = clock_now_ns();
		session->clock_ticks = __rdtsc();
	}
	TRM_TRY(maps_read(thread->tid, &session->maps));
	bool spreads = trampolines_may_spread(session, thread->tid);

	request.stride = first_stride(session, spreads);
	request.banks = bank_least(thread->tid, request.stride);
	request.address = choose_place(&session->maps, request.stride * request.banks);
	TRM_TRY(inject_arena(&request, &session->queue, &arena));
	struct family *family = memory_allocate_zeroed(1, sizeof(*family));

	family->arena = arena;
	arena->reserved =
		(uint32_t)(cache_counters_reserved(session->options) / arena->slot_size);
	arena->slot_count = arena->reserved;
	if (session->options->by_region.on)
		arena->phases = &session->phases;
	family->spreads = spreads;
	space->family = family;
	vector_push(&session->families, family);
	window_arm(session, family);
	doorbell_add(session->doorbell, &arena->control->doorbell);
	vector_push(&space->chunks, arena->chunks.items[0]);
	space->filters = remote_filters(thread->tid);
	arena->control->unfiltered = !space->filters;
	return NULL;
}

/* Makes the space of a program. A program that is not to be measured is followed all
 * the same, since it may execute one that is: so its hooks are needed. */
static struct trm_error *make_space(struct session *session, struct thread *thread,
				    int memory_fd, bool bare)
{
	struct space *space = space_create(NULL, memory_fd);
	struct trm_error *error = space_make_arena(session, thread, space);

	space->bare = bare;
	if (error) {
		space_release(session, space);
		return error;
	}
	thread->process->space = space;
	thread->stack_end = stack_pointer_of(thread);
	fault_actions_begin(session, thread);
	thread_assign_bank(session, thread, 0);
	if (!thread->bank)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"its GS base cannot be set");
	return NULL;
}

/* Returns the name by which the kernel knows a process: the start of the name that was
 * executed. */
static char *read_name(pid_t pid)
{
	char path[64], name[32] = "";

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	scoped_file FILE *file = fopen(path, "re");

	if (file && fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = '\0';
	return memory_copy_string(name);
}

static bool walks_stacks(int exe)
{
	struct stat status;
	void *bytes;

	if (fstat(exe, &status) || !status.st_size)
		return true;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, exe, 0);
	if (bytes == MAP_FAILED)
		return true;
	bool walks = image_walks_stacks(bytes, (size_t)status.st_size, true);

	munmap(bytes, (size_t)status.st_size);
	return walks;
}

/* Returns whether a program's calls may be made in relocated code. */
static bool may_copy_calls(const struct session *session, bool walks)
{
	const struct session_options *options = session->options;

	if (!collector_relocates(options->collector) ||
	    options->calls == CALLS_IN_PLACE || options->live)
		return false;
	return options->calls == CALLS_RELOCATED || !walks;
}

/* Returns whether calls in relocated code are known to be slower than calls in place. */
static bool are_slower(struct family *family, const struct session *session, int exe)
{
	uint64_t key = exception_rate_key(exe);

	if (session->options->calls == CALLS_AUTO &&
	    exception_rate_is_expected(session->cache, key))
		return true;
	family->throws = key;
	return false;
}

static struct trm_error *start_image(struct session *session, struct thread *thread)
{
	struct process *process = thread->process;
	scoped_fd int exe = -1, memory_fd = -1;

	TRM_TRY(remote_open(process->pid, "exe", O_RDONLY, &exe));
	if (image_probe(exe) != IMAGE_KIND_NATIVE)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"it is not an x86-64 program");
	if (foreign_translators_have(process->pid, exe))
		return trm_error_create(TRM_ERROR_UNSUPPORTED, FOREIGN_TRANSLATOR_REASON);
	TRM_TRY(remote_open(process->pid, "mem", O_RDWR, &memory_fd));
	process->image->name =
		named_loader_program(process->pid, process->image->program);
	if (!process->image->name)
		process->image->name = read_name(process->pid);
	/* The program that the user named is measured in any case. */
	if (!process->first_image)
		TRM_TRY(memory_ask(session, MEMORY_LEAST));
	bool bare = !options_want_program(session->options, process->image->program,
					  process->image->name);

	process->image->hidden = bare && process->pid != session->first;
	TRM_TRY(make_space(session, thread, take_fd(&memory_fd), bare));
	/* Programs with a run-time system of their own may call the kernel themselves,
	 * too. */
	process->space->own_calls = walks_stacks(exe);
	process->space->copies_calls =
		!bare && may_copy_calls(session, process->space->own_calls) &&
		!are_slower(process->space->family, session, exe);
	return NULL;
}

static struct trm_error *check_image(struct space *space, pid_t pid)
{
	const struct module *module = modules_using_gs(space);

	loading_begin(space, pid);
	vector_for_each (&space->modules, own)
		own->stays = true;
	if (module)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"'%s' sets the GS register, which trammel needs",
					module->file->path);
	return NULL;
}

/* What sources of points found wrong while the files of the image were planned. */
static struct trm_error *check_sources(const struct session *session)
{
	const struct point_sources *sources = &session->options->points;

	for (uint32_t i = 0; i < sources->count; i++) {
		const struct point_source *source = sources->items[i];
		struct trm_error *error =
			source->refuse ? source->refuse(source->context) : NULL;

		if (!error)
			continue;
		struct trm_error *refusal =
			trm_error_create(TRM_ERROR_UNSUPPORTED, "%s", error->message);

		trm_error_destroy(error);
		return refusal;
	}
	return NULL;
}

static void fail_image(struct session *session, struct thread *thread,
		       const struct trm_error *error)
{
	struct process *process = thread->process;

	if (error->code == TRM_ERROR_UNSUPPORTED && process->first_image &&
	    !session->refusal) {
		/* The user asked for just this program: say so instead of running it
		 * bare. */
		session->refusal = memory_copy_string(error->message);
		kill(process->pid, SIGKILL);
		thread_resume(session, thread, 0);
	} else if (error->code != TRM_ERROR_GONE) {
		release_process(session, process, true, "%s", error->message);
	} else {
		thread_resume(session, thread, 0);
	}
}

/* Handles a thread at the exit of its execve: it is in the new image, before its first
 * instruction, and stays there until the files of the image are planned. */
static void on_image(struct session *session, struct thread *thread)
{
	struct process *process = thread->process;
	uint64_t start = clock_now_ns();
	struct trm_error *error = NULL;

	if (!process->space)
		error = start_image(session, thread);
	session->instrument_ns += clock_now_ns() - start;
	thread_defer(session, thread, !error && !modules_update(session, thread));
	if (thread->deferred_since)
		return;
	if (!error)
		error = check_image(process->space, process->pid);
	if (!error)
		error = check_sources(session);
	if (!error)
		error = tool_start(session, thread);
	thread->state = THREAD_RUNNING;
	if (process->first_image && !session->window.base)
		window_begin(session);
	if (session->debug_calls && !error)
		session->debug_calls->image_begins(session, thread);
	if (error)
		fail_image(session, thread, error);
	else
		thread_resume(session, thread, 0);
	trm_error_destroy(error);
}

/* Returns whether a child is not to be followed. A child that has its parent's memory
 * for a while must go on as its parent does, until it executes a program. */
static bool is_let_go(const struct session *session, const struct process *process)
{
	return session->options->no_follow && process->pid != session->first &&
	       (!process->space || process->space->references == 1);
}

static void on_exec(struct session *session, struct thread *thread)
{
	struct process *process = thread->process;
	char program[PATH_MAX];

	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *other = session->all_threads.items[i];

		if (other->process == process && other != thread)
			session_remove_thread(session, other);
	}
	unannounced_leave(session, thread, false);
	residues_end(thread);
	stretches_end(session, thread);
	tool_see_exec(thread);
	if (thread->bank)
		arena_give_bank(thread->bank);
	thread->bank = NULL;
	vector_deinit(&thread->old_banks);
	thread->handled.count = 0;
	thread->calls.count = 0;
	remote_read_program(process->pid, program, sizeof(program));
	process->first_image = process->pid == session->first && !process->image->started;
	if (process->first_image) {
		/* Trammel's own code before the exec was no image of the program's. */
		free(process->image->program);
		process->image->program = memory_copy_string(program);
	} else {
		pid_t parent = process->image->parent;

		follow_end_image(session, process, "exec");
		process->image =
			session_add_image(session, process->pid, parent, program);
	}
	space_release(session, process->space);
	process->space = NULL;
	process->threads = 1;
	process->image->threads = 1;
	process->image->started = true;
	thread->state = THREAD_EXEC;
	thread->before_exec = false;
	if (is_let_go(session, process)) {
		process->image->hidden = true;
		release_process(session, process, false, "children are not followed");
		return;
	}
	thread_resume(session, thread, 0);
}

void follow_end_image(struct session *session, struct process *process, const char *state)
{
	sampled_take(session);
	if (process->space)
		banks_take_process(session, process, BANKS_CLEAR);
	if (state != process->image->state)
		snprintf(process->image->state, sizeof(process->image->state), "%s",
			 state);
	process->image->ended = true;
}

static void end_first(struct session *session, int status)
{
	session->first_ended = true;
	session->first_status = status;
	clock_gettime(CLOCK_MONOTONIC, &session->end);
}

static void on_end(struct session *session, struct thread *thread,
		   const struct event *event)
{
	struct process *process = thread->process;
	char state[32];

	thread->stopped = false;
	if (session->debug_calls && process)
		session->debug_calls->thread_ends(session, thread, event);
	if (!process || thread->tid != process->pid) {
		if (process) {
			process->threads--;
			banks_take_thread(session, thread);
		}
		session_remove_thread(session, thread);
		return;
	}
	if (event->kind == EVENT_EXITED)
		snprintf(state, sizeof(state), "exited %d", event->value);
	else
		snprintf(state, sizeof(state), "killed by SIG%s",
			 sigabbrev_np(event->value) ? sigabbrev_np(event->value) : "?");
	if (event->kind == EVENT_KILLED && event->value == SIGKILL)
		tool_see_kill(session, process);
	unannounced_leave(session, thread,
			  event->kind == EVENT_KILLED && event->value == SIGKILL);
	session_remove_thread(session, thread);
	follow_end_image(session, process, state);
	if (process->pid == session->first)
		end_first(session,
			  event->kind == EVENT_EXITED ? event->value << 8 : event->value);
	session_remove_process(session, process);
}

/* The kernel is asked, since clone has many forms. */
bool process_shares_memory(pid_t a, pid_t b)
{
	return syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0) == 0;
}

static bool is_thread_of(pid_t pid, pid_t tid)
{
	return syscall(SYS_tgkill, pid, tid, 0) == 0;
}

/* Sets the child's process and address space, from the thread that made it. */
static void adopt_child(struct session *session, struct thread *parent,
			struct thread *child)
{
	struct process *process = parent->process;
	int memory_fd;

	if (is_thread_of(process->pid, child->tid)) {
		child->process = process;
		process->threads++;
		process->image->threads++;
		return;
	}
	child->process = session_add_process(session, child->tid, process->pid,
					     process->image->program);
	child->process->threads = 1;
	child->phase = thread_phase(parent);
	child->process->on_segv = process->on_segv;
	child->process->on_bus = process->on_bus;
	child->process->image->threads = 1;
	child->process->image->hidden =
		session->options->no_follow || (process->space && process->space->bare);
	/* A handler may have forked, and return in the child, too. */
	signal_frames_take_returned(parent);
	vector_for_each (&parent->signal_frames, shown) {
		struct signal_frame copy = *shown;

		copy.inherited = true;
		signal_frames_put(child, &copy);
	}
	thread_note_calls(session, parent->bank, &child->calls);
	if (!process->space)
		return;
	if (process->space->holding) {
		child->process->image->reason =
			memory_copy_string("it was started before the measurement");
		return;
	}
	if (process_shares_memory(process->pid, child->tid)) {
		child->process->space = process->space;
		process->space->references++;
		fired_restore_shared(session, process->space);
		child->before_exec = process->space->own_calls;
	} else if (!remote_failed(remote_open(child->tid, "mem", O_RDWR, &memory_fd))) {
		child->process->space = space_fork(process->space, memory_fd);
		tool_see_fork(session, parent, child);
		fired_restore_copy(session, process->space, child->process->space);
		/* Other threads of the parent may have ended since. */
		if (process->image->threads > 1 &&
		    !remote_failed(maps_read(child->tid, &session->maps)))
			space_drop_unmapped(child->process->space, &session->maps);
		pages_catch_up(child->process->space);
	}
	if (child->process->space)
		vector_for_each (&child->process->space->modules, module) {
			vector_push(&child->process->image->files, module->file->index);
			if (module->refused)
				vector_push(&child->process->image->refused,
					    module->file->index);
		}
	if (session->debug_calls)
		session->debug_calls->forked(session, parent, child);
}

static void let_child_go(struct session *session, struct thread *child,
			 const char *reason)
{
	struct process *process = child->process;

	if (process->space && !process->space->holding)
		thread_set_aside(session, child);
	release_process(session, process, true, "%s", reason);
}

/* Returns the reason why a child with its own memory is not measured; NULL: it is
 * measured. */
static const char *refuse_child(struct session *session, const struct thread *child)
{
	const struct process *process = child->process;

	if (is_let_go(session, process))
		return "children are not followed";
	if (child->tid != process->pid || !process->space || process->space->holding ||
	    process->space->references > 1)
		return NULL;
	struct trm_error *error = memory_ask(session, MEMORY_LEAST);

	trm_error_destroy(error);
	return error ? session->memory.reason : NULL;
}

/* Starts a child that stands at its first stop and whose origin is known. */
static void start_child(struct session *session, struct thread *child)
{
	struct process *process = child->process;
	const char *reason = refuse_child(session, child);

	child->state = THREAD_RUNNING;
	if (reason) {
		let_child_go(session, child, reason);
		return;
	}
	if (process->space && !process->space->holding)
		thread_assign_bank(session, child, child->quiet);
	else if (session->attached) /* not its parent's */
		trm_error_destroy(remote_set_gs_base(child->tid, 0));
	tool_thread_begin(session, child);
	if (session->debug_calls)
		session->debug_calls->thread_begins(session, child);
	thread_resume(session, child, 0);
}

void follow_child(struct session *session, struct thread *parent, pid_t tid)
{
	struct thread *child = session_find_thread(session, tid);
	bool waiting = child != NULL;

	/* The parent was killed before it could say which one; or the child was found
	 * without its word. */
	if (!tid || (child && child->process))
		return;
	if (!child) {
		child = session_add_thread(session, tid);
		child->state = THREAD_NEW;
	}
	child->quiet = parent->bank ? parent->bank->shared->quiet : 0;
	child->untimed = parent->bank ? parent->bank->shared->untimed : 0;
	child->stack_end = parent->bank ? parent->bank->shared->stack_end : 0;
	adopt_child(session, parent, child);
	if (waiting && child->state == THREAD_WAITING)
		start_child(session, child);
}

static void on_system_call(struct session *session, struct thread *thread)
{
	if (thread->state == THREAD_EXEC) {
		on_image(session, thread);
		return;
	}
	if (tool_see_call(session, thread))
		return;
	if (fast_timers_see_call(session, thread))
		return;
	if (thread->before_exec && !hooks_see_call(session, thread))
		return;
	if (thread->fault_rip || thread->signal_frames.count)
		reentry_watch_return(thread);
	if (thread->process->space && space_is_traced(thread->process->space))
		loading_see_call(session, thread);
	else
		thread_resume(session, thread, 0);
}

void follow_planned(struct session *session)
{
	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *thread;

		/* A release takes threads out of the list. */
		if (i >= session->all_threads.count)
			continue;
		thread = session->all_threads.items[i];
		if (!thread->deferred_since || !thread->stopped)
			continue;
		if (thread->state == THREAD_EXEC)
			on_image(session, thread);
		else
			loading_see_call(session, thread);
	}
	/* Hooks that wait are looked at again. */
	vector_for_each (&session->families, family)
		(*family)->heard--;
}

bool follow_made_child(struct session *session, struct thread *thread)
{
	struct event event;

	if (!thread->event_pending ||
	    !event_wait_thread(&session->queue, thread->tid, 0, &event))
		return false;
	if (event.kind != EVENT_FORK && event.kind != EVENT_CLONE) {
		event_push(&session->queue, &event);
		return false;
	}
	thread->event_pending = false;
	follow_child(session, thread, event.value);
	return true;
}

static void on_unknown(struct session *session, const struct event *event)
{
	struct thread *thread;

	if (event->kind == EVENT_EXITED || event->kind == EVENT_KILLED)
		return;
	/* A child's first stop, before its parent's event. */
	thread = session_add_thread(session, event->tid);
	thread->state = THREAD_WAITING;
	thread->stopped = true;
	unannounced_note(session, thread);
}

/* A thread that could not be stopped when its process was released. */
static void on_leaving(struct session *session, struct thread *thread,
		       const struct event *event)
{
	int signal = event->kind == EVENT_SIGNAL ? event->value : 0;

	if (event->kind != EVENT_EXITED && event->kind != EVENT_KILLED)
		trm_error_destroy(remote_resume(thread->tid, REMOTE_DETACH, signal));
	session_remove_thread(session, thread);
}

/* The time for which the thread stands is the program's own. */
static void on_group_stop(struct session *session, struct thread *thread, int signal)
{
	if (session->debug_calls &&
	    session->debug_calls->holds_group(session, thread, signal))
		return;
	held_end(session, thread);
	trm_error_destroy(remote_resume(thread->tid, REMOTE_LISTEN, 0));
	thread->stopped = false;
}

void follow_event(struct session *session, const struct event *event)
{
	struct thread *thread = session_find_thread(session, event->tid);

	if (!thread) {
		on_unknown(session, event);
		return;
	}
	thread->stopped = true;
	if (event->kind != EVENT_EXITED && event->kind != EVENT_KILLED &&
	    event->kind != EVENT_EXEC)
		stretches_see_stop(session, thread);
	fast_timers_see_stop(session, thread);
	held_begin(thread, 0);
	thread->event_pending = false;
	if (thread->leaving) {
		on_leaving(session, thread, event);
		return;
	}
	if (session->debug_calls &&
	    session->debug_calls->takes_event(session, thread, event))
		return;
	if (event->kind == EVENT_EXITED || event->kind == EVENT_KILLED) {
		on_end(session, thread, event);
		return;
	}
	if (thread->state == THREAD_NEW) {
		start_child(session, thread);
		return;
	}
	if (thread->state == THREAD_WAITING)
		return;
	if (event->kind != EVENT_STOP)
		peeks_see_event(session, thread);
	switch (event->kind) {
	case EVENT_SIGNAL:
		if (stretches_take_fault(thread))
			thread_resume(session, thread, 0);
		else
			signals_deliver(session, thread, event->value);
		break;
	case EVENT_GROUP_STOP:
		on_group_stop(session, thread, event->value);
		break;
	case EVENT_FORK:
	case EVENT_CLONE:
		follow_child(session, thread, event->value);
		thread_resume(session, thread, 0);
		break;
	case EVENT_EXEC:
		on_exec(session, thread);
		break;
	case EVENT_SYSCALL:
		on_system_call(session, thread);
		break;
	case EVENT_STOP:
		interrupted_calls_see_stop(thread);
		peeks_see_stop(session, thread);
		values_see_interrupt(session, thread);
		thread_resume(session, thread, 0);
		break;
	default:
		thread_resume(session, thread, 0);
	}
}

void follow_first(struct session *session, pid_t pid, const char *program)
{
	struct process *process = session_add_process(session, pid, getppid(), program);
	struct thread *thread = session_add_thread(session, pid);

	process->threads = process->image->threads = 1;
	thread->process = process;
	thread->state = THREAD_RUNNING;
	session->first = pid;
}

/* Processes that were let go but still count, or that are the first: until they are gone.
 */
void follow_watched(struct session *session)
{
	for (size_t i = session->all_processes.count; i-- > 0;) {
		struct process *process = session->all_processes.items[i];

		if (!process->watched || !kill(process->pid, 0) || errno != ESRCH)
			continue;
		follow_end_image(session, process, process->image->state);
		if (process->pid == session->first)
			end_first(session, 0);
		session_remove_process(session, process);
	}
}
