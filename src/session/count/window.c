#include "session/count/window.h"

#include "base/clock.h"
#include "control/remote.h"
#include "session/cache/hook_table.h"
#include "session/count/boundaries.h"
#include "session/count/call_sites.h"
#include "session/count/progress.h"
#include "session/count/read_banks.h"
#include "session/options/collector.h"
#include "session/options/options.h"
#include "session/options/window_calls.h"
#include "session/position/view.h"
#include "session/state/module.h"
#include "session/state/session.h"
#include "session/state/space.h"
#include "session/thread/held.h"
#include "session/thread/injection.h"
#include "session/thread/stop.h"
#include "wire/bank.h"
#include "wire/control.h"
#include "wire/hooks.h"

#include <string.h>

static struct trm_error *check_calls(const char *option, const struct patterns *patterns)
{
	vector_for_each (patterns, pattern)
		if (hook_table_has(pattern->function))
			return trm_error_create(
				TRM_ERROR_USAGE,
				"--%s '%s': trammel watches calls of this function for "
				"itself; choose one that calls it",
				option, pattern->text);
	return NULL;
}

static struct trm_error *check_collector(const struct session_options *options)
{
	if (options->window.interval_instructions &&
	    (!collector_knows_blocks(options->collector) || options->collector->covers))
		return trm_error_create(TRM_ERROR_USAGE,
					"--interval: -m %s does not count instructions; "
					"use -m blocks, or give a time",
					options->collector->name);
	return NULL;
}

struct trm_error *window_check(const struct session_options *options)
{
	const struct session_window *asked = &options->window;
	const struct window_edge *start = &asked->start, *stop = &asked->stop;

	if (start->wait_ns &&
	    (start->calls.count || start->loads.count || start->signals))
		return trm_error_create(
			TRM_ERROR_USAGE,
			"--after and --start-at both say when counting begins: give one "
			"of them");
	if (asked->interval_ns && asked->interval_ns < 1000000)
		return trm_error_create(TRM_ERROR_USAGE,
					"--interval: less than 1ms cannot be kept to");
	if (asked->interval_ns && stop->wait_ns && asked->interval_ns > stop->wait_ns)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"--interval is longer than --for: leave it out, or count longer");
	TRM_TRY(check_collector(options));
	TRM_TRY(check_calls("start-at", &start->calls));
	return check_calls("stop-at", &stop->calls);
}

/* Returns whether flags are cleared, as is done where parts of the run are told apart:
 * a flag that is set already would not show that it is set again. */
static bool clears_flags(const struct session *session)
{
	const struct session_window *asked = &session->options->window;

	/* In a process that ran before, some flags may be set by the time that
	 * counting begins. */
	return collector_has_flags(session->options->collector) &&
	       (session->attached || asked->interval_ns || asked->interval_instructions ||
		!window_edge_is_empty(&asked->start));
}

bool window_has_context_parts(const struct session *session)
{
	return session->options->context.folder && session->options->window.words;
}

void window_take_context(struct session *session, bool open)
{
	const struct window *window = &session->window;

	if (!window_has_context_parts(session))
		return;
	vector_for_each (&session->all_threads, thread)
		held_look(session, *thread);
	context_parts_take(&session->parts, session->options->context.folder,
			   window->intervals.count ? (uint32_t)window->intervals.count - 1
						   : 0,
			   open);
}

static bool is_before(const struct image_count *a, const struct image_count *b)
{
	if (a->thread != b->thread)
		return a->thread < b->thread;
	if (a->phase != b->phase)
		return a->phase < b->phase;
	return a->file != b->file ? a->file < b->file : a->slot < b->slot;
}

static uint32_t current_interval(const struct session *session)
{
	uint32_t count = (uint32_t)session->window.intervals.count;

	return count ? count - 1 : 0;
}

/* Adds the difference between `now` and the mark, both sorted. A counter goes down
 * only for a call that is counted once more, because a signal came in between: the
 * next difference makes up for that. */
static void add_difference(const struct session *session, struct image_run *image,
			   struct image_counts *now)
{
	const struct image_count *old = image->mark.items;
	const struct image_count *end = old + image->mark.count;

	vector_reserve(&image->counts, image->counts.count + now->count);
	vector_for_each (now, count) {
		struct image_count added = *count;

		while (old < end && is_before(old, count))
			old++;
		if (old < end && !is_before(count, old)) {
			if (count->count < old->count)
				count->count = old->count;
			/* A maximum counts again only if it is higher now. */
			if (!banks_is_max(session, count))
				added.count = count->count - old->count;
			else if (count->count == old->count)
				added.count = 0;
		}
		added.interval = current_interval(session);
		if (added.count)
			vector_push(&image->counts, added);
	}
}

/* Takes the counts of a process while it is stopped; the measurements' `take` does the
 * work for which it need not be. */
static void take_standing(struct session *session, struct process *process)
{
	struct image_run *image = process->image;
	bool clear = clears_flags(session);
	struct image_counts now = {0};
	struct image_arcs arcs = {0};

	banks_read(session, process, clear, &now, &arcs);
	if (session->window.state == WINDOW_OPEN) {
		add_difference(session, image, &now);
		call_sites_add_difference(process, current_interval(session), &arcs);
	}
	collector_call(session, copy, session, process);
	vector_deinit(&image->mark);
	vector_deinit(&image->arc_mark);
	if (clear)
		vector_deinit(&now);
	image->mark = now;
	image->arc_mark = arcs;
}

static bool is_measured(const struct process *process)
{
	return process->space && process->space->family;
}

void window_take(struct session *session, struct process *process)
{
	if (!is_measured(process))
		return;
	take_standing(session, process);
	collector_call(session, take, session, process,
		       session->window.state == WINDOW_OPEN, current_interval(session));
}

static void take_all_standing(struct session *session)
{
	vector_for_each (&session->all_processes, process)
		if (!(*process)->image->ended && is_measured(*process))
			take_standing(session, *process);
}

static void take_all_copies(struct session *session, bool counts, uint32_t interval)
{
	vector_for_each (&session->all_processes, process)
		if (!(*process)->image->ended && is_measured(*process))
			collector_call(session, take, session, *process, counts,
				       interval);
}

void window_arm(const struct session *session, const struct family *family)
{
	static const uint32_t bits[] = {[WINDOW_AWAITED] = WINDOW_STARTS,
					[WINDOW_OPEN] = WINDOW_STOPS,
					[WINDOW_CLOSED] = 0};

	__atomic_store_n(&family->arena->control->window, bits[session->window.state],
			 __ATOMIC_RELEASE);
}

static void set_state(struct session *session, enum window_state state)
{
	session->window.state = state;
	vector_for_each (&session->families, family)
		window_arm(session, *family);
}

bool window_is_exact(const struct session *session)
{
	const struct session_options *options = session->options;

	return options->collector->depth == PLAN_EDGES || options->collector->graph ||
	       (options->live && collector_knows_blocks(options->collector));
}

bool window_ends_run(const struct session *session)
{
	return session->window.state == WINDOW_CLOSED;
}

/* Notes that counting begins or ends at the places where the threads stand. */
static void note_standing(struct session *session, int by)
{
	struct user_regs_struct registers;

	if (!collector_knows_blocks(session->options->collector))
		return;
	vector_for_each (&session->all_threads, thread)
		if ((*thread)->process && (*thread)->process->space &&
		    (*thread)->stopped &&
		    !remote_failed(remote_get_registers((*thread)->tid, &registers)))
			boundaries_note(session, *thread, &registers, by);
}

static uint64_t passed_ns(const struct session *session)
{
	return clock_now_ns() - session->window.base;
}

static void begin_interval(struct session *session, uint64_t now)
{
	vector_push(&session->window.intervals, ((struct window_interval){now, now}));
	if (session->options->window.interval_instructions)
		progress_begin(session);
}

static void end_window(struct session *session);

/* Returns whether threads are stopped between two parts: also where programs record
 * contexts of their own. */
static bool stands_between(const struct session *session)
{
	return window_is_exact(session) || window_has_context_parts(session);
}

/* Passes from one part of the run to the next one, to which `change` leads. */
static void pass_to(struct session *session, void (*change)(struct session *session))
{
	bool exact = window_is_exact(session);
	bool stand = stands_between(session);
	bool counts = session->window.state == WINDOW_OPEN;
	uint32_t interval = current_interval(session);
	struct stopped stopped = {0};

	if (stand)
		stop_begin(session, (struct stop_scope){0}, STOP_WHILE_POSSIBLE,
			   &stopped);
	session->window.standing = exact;
	if (exact) {
		note_standing(session, 1);
		vector_for_each (&session->all_threads, thread)
			collector_call(session, look, session, *thread);
	}
	take_all_standing(session);
	window_take_context(session, change != end_window);
	change(session);
	vector_for_each (&session->images, image)
		(*image)->slice = session_slice(session);
	if (exact)
		note_standing(session, -1);
	session->window.standing = false;
	if (stand)
		stop_end(session, &stopped);
	take_all_copies(session, counts, interval);
}

static void begin_window(struct session *session)
{
	/* It goes on after a pause: the profile tells when counting began first. */
	if (session->window.start_ns) {
		set_state(session, WINDOW_OPEN);
		if (session->window.intervals.count)
			begin_interval(session, passed_ns(session));
		return;
	}
	session->window.start_ns = passed_ns(session);
	set_state(session, WINDOW_OPEN);
	if (session->options->window.interval_ns ||
	    session->options->window.interval_instructions)
		begin_interval(session, session->window.start_ns);
}

static void open_window(struct session *session)
{
	pass_to(session, begin_window);
}

void window_finish(struct session *session)
{
	struct window *window = &session->window;

	if (window->state != WINDOW_OPEN)
		return;
	window->end_ns = passed_ns(session);
	if (window->intervals.count)
		window->intervals.items[window->intervals.count - 1].end_ns =
			window->end_ns;
}

static void end_window(struct session *session)
{
	window_finish(session);
	set_state(session, WINDOW_CLOSED);
}

static void close_window(struct session *session)
{
	pass_to(session, end_window);
}

static bool is_loaded(const struct session *session, const struct patterns *patterns)
{
	vector_for_each (&session->all_processes, process) {
		const struct space *space = (*process)->space;

		for (size_t i = 0; space && i < space->modules.count; i++)
			if (patterns_have_file(patterns,
					       space->modules.items[i].file->path))
				return true;
	}
	return false;
}

void window_begin(struct session *session)
{
	const struct window_edge *start = &session->options->window.start;

	session->window.base = clock_now_ns();
	if (window_edge_is_empty(start) || is_loaded(session, &start->loads))
		open_window(session);
}

/* Returns the end of the current interval: the next multiple of its length, however
 * late the last one ended. */
static uint64_t end_of_interval(const struct session *session)
{
	const struct window *window = &session->window;
	uint64_t length = session->options->window.interval_ns;
	uint64_t start = window->intervals.items[window->intervals.count - 1].start_ns;

	return start + length - (start - window->start_ns) % length;
}

static void go_on(struct session *session)
{
	struct window *window = &session->window;
	uint64_t now = passed_ns(session);

	window->intervals.items[window->intervals.count - 1].end_ns = now;
	begin_interval(session, now);
}

static void next_interval(struct session *session)
{
	pass_to(session, go_on);
}

static void pause_window(struct session *session)
{
	window_finish(session);
	set_state(session, WINDOW_AWAITED);
}

bool window_pause(struct session *session)
{
	if (!session->window.base || session->window.state != WINDOW_OPEN)
		return false;
	pass_to(session, pause_window);
	return true;
}

bool window_resume(struct session *session)
{
	if (!session->window.base || session->window.state != WINDOW_AWAITED)
		return false;
	open_window(session);
	return true;
}

bool window_next(struct session *session, uint32_t *ret_interval)
{
	struct window *window = &session->window;

	if (!window->base || window->state != WINDOW_OPEN)
		return false;
	if (!window->intervals.count)
		begin_interval(session, window->start_ns);
	next_interval(session);
	*ret_interval = current_interval(session);
	return true;
}

void window_end(struct session *session)
{
	if (session->window.state != WINDOW_CLOSED)
		close_window(session);
}

static void look_at_progress(struct session *session)
{
	if (progress_look(session))
		next_interval(session);
}

/* Returns the time of the next event of the clock, and writes its function to
 * `ret_act`; UINT64_MAX: never. */
static uint64_t next_due(const struct session *session,
			 void (**ret_act)(struct session *))
{
	const struct session_window *asked = &session->options->window;
	const struct window *window = &session->window;
	uint64_t at = UINT64_MAX;

	if (window->state == WINDOW_AWAITED && asked->start.wait_ns) {
		at = asked->start.wait_ns;
		*ret_act = open_window;
	}
	if (window->state == WINDOW_OPEN && asked->interval_ns) {
		at = end_of_interval(session);
		*ret_act = next_interval;
	}
	if (window->state == WINDOW_OPEN && asked->interval_instructions) {
		at = window->progress.next_ns - window->base;
		*ret_act = look_at_progress;
	}
	if (window->state == WINDOW_OPEN && asked->stop.wait_ns &&
	    window->start_ns + asked->stop.wait_ns <= at) {
		at = window->start_ns + asked->stop.wait_ns;
		*ret_act = close_window;
	}
	return at;
}

uint64_t window_act(struct session *session)
{
	void (*act)(struct session *) = NULL;

	if (!session->window.base)
		return UINT64_MAX;
	for (;;) {
		uint64_t at = next_due(session, &act), now = passed_ns(session);

		if (at == UINT64_MAX)
			return at;
		if (now < at)
			return at - now;
		if (stands_between(session) && stop_must_wait(session, now - at))
			return STOP_WAIT_NS;
		act(session);
	}
}

/* Returns the edge that is awaited; NULL: none. */
static const struct window_edge *edge_of(const struct session *session)
{
	const struct session_window *asked = &session->options->window;
	const struct window *window = &session->window;

	if (!window->base || window->state == WINDOW_CLOSED)
		return NULL;
	return window->state == WINDOW_AWAITED ? &asked->start : &asked->stop;
}

static void pass_edge(struct session *session)
{
	if (session->window.state == WINDOW_AWAITED)
		open_window(session);
	else
		close_window(session);
}

void window_loaded(struct session *session, const char *module)
{
	const struct window_edge *edge = edge_of(session);

	if (edge && patterns_have_file(&edge->loads, module))
		pass_edge(session);
}

void window_signalled(struct session *session, int signal)
{
	const struct window_edge *edge = edge_of(session);

	if (edge && signal > 0 && signal < 64 && edge->signals >> signal & 1)
		pass_edge(session);
}

/* Returns the function whose trampoline a hook returns to; NULL: none. */
static const struct plan_function *hooked_at(const struct plan *plan, uint64_t offset)
{
	const struct plan_function *found = NULL;

	vector_for_each (&plan->functions, function)
		if (function->hook && function->trampoline <= offset &&
		    (!found || function->trampoline > found->trampoline))
			found = function;
	return found;
}

/* Finds the counter of the function that a thread calls, if the thread has counted the
 * call already: a gate counts behind the hook. */
static bool find_counter(const struct thread *thread, bool threads,
			 struct image_count *ret_count)
{
	const struct bank *bank = thread_waiting_bank(thread);
	struct space *space = thread->process->space;
	uint64_t back;

	/* The return address lies behind the registers: see WIRE_HOOK_FRAME. */
	if (!bank ||
	    remote_failed(remote_read(space->memory_fd,
				      bank->shared->registers.rsp - WIRE_HOOK_FRAME +
					      WIRE_HOOK_REGISTERS,
				      &back, sizeof(back))))
		return false;
	const struct module *module = space_module_of_code(space, back);
	const struct plan_function *function =
		module ? hooked_at(module->file->plan, back - module->code_address)
		       : NULL;

	if (!function || function->reason != PLAN_INSTRUMENTED ||
	    module->file->plan->gates_size)
		return false;
	*ret_count = (struct image_count){.thread = threads ? (uint32_t)thread->tid : 0,
					  .phase = thread_phase(thread),
					  .file = module->file->index,
					  .slot = function->slot,
					  .count = 1};
	return true;
}

/* Returns the last row of a counter. */
static struct image_count *last_row(const struct image_counts *counts,
				    const struct image_count *like)
{
	for (size_t i = counts->count; i-- > 0;)
		if (counts->items[i].thread == like->thread &&
		    counts->items[i].phase == like->phase &&
		    counts->items[i].file == like->file &&
		    counts->items[i].slot == like->slot)
			return &counts->items[i];
	return NULL;
}

/* Moves a call into or out of the window: the call that begins it belongs to it, the
 * call that ends it does not. */
static void include_call(struct session *session, struct image_run *image,
			 const struct image_count *call)
{
	struct image_count *marked = last_row(&image->mark, call);

	if (marked)
		marked->count -= 1;
	else if (collector_has_flags(session->options->collector))
		vector_push(&image->counts, *call);
}

static void exclude_call(struct session *session, struct image_run *image,
			 const struct image_count *call, uint32_t hook)
{
	struct image_count *told = last_row(&image->counts, call);

	/* The flag may be that of the call that began the window. */
	if (told && told->count &&
	    !(collector_has_flags(session->options->collector) && hook == WIRE_HOOK_BOTH))
		told->count -= 1;
}

void window_called(struct session *session, const struct thread *thread)
{
	const struct bank *bank = thread_waiting_bank(thread);
	struct image_run *image = thread->process->image;
	enum window_state state = session->window.state;
	uint32_t hook = bank ? bank->shared->number : 0;
	uint32_t wanted = state == WINDOW_AWAITED ? WINDOW_STARTS : WINDOW_STOPS;
	struct image_count call;

	/* Another thread may have been first. */
	if (!edge_of(session) || !((hook - WIRE_HOOK_EXIT) & wanted))
		return;
	pass_edge(session);
	if (!find_counter(thread, session->options->threads, &call))
		return;
	if (state == WINDOW_AWAITED)
		include_call(session, image, &call);
	else
		exclude_call(session, image, &call, hook);
}
