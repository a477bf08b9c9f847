#include "agent/awaited.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/vector.h"
#include "image/open.h"
#include "session/count/calls.h"
#include "session/debug/access.h"
#include "session/debug/debug.h"
#include "session/debug/places.h"
#include "session/profile/profile_writer.h"
#include "session/state/descriptors.h"
#include "session/state/module.h"
#include "session/state/session.h"
#include "session/state/space.h"
#include "session/state/tables.h"
#include "wire/told.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A place in a process, with a breakpoint of the session's. */
struct meeting {
	pid_t pid; /* 0: all */
	uint32_t breakpoint;
	uint64_t address;
};

struct awaited_place {
	struct awaited *points;
	uint32_t number;
	enum protocol_point kind;
	char *place;
	uint64_t count, left; /* as in struct awaited_wish; from now on */
	pid_t pid;            /* of POINT_COUNTER: whose times count */
	bool done;            /* it is not met any more */
	bool fixed;           /* the place is an address */
	struct VECTOR(struct meeting) meetings;
};

struct awaited {
	struct session *session;
	debugging_tell *tell;
	void *context;
	int wake_fd; /* what is done is to be taken away */
	uint32_t numbers;
	struct VECTOR(struct awaited_place *) items;
};

static void remove_meeting(const struct awaited_place *point,
			   const struct meeting *meeting)
{
	debug_unbreak(point->points->session, meeting->breakpoint);
}

static void remove_meetings(struct awaited_place *point)
{
	vector_for_each (&point->meetings, meeting)
		remove_meeting(point, meeting);
	point->meetings.count = 0;
}

/* Breakpoints are not taken away while hits are counted. */
static void serve_wake(struct session *session, int fd, void *context)
{
	struct awaited *points = context;
	uint64_t count;

	(void)session;
	if (read(fd, &count, sizeof(count)) < 0)
		return;
	vector_for_each (&points->items, point)
		if ((*point)->done)
			remove_meetings(*point);
}

struct awaited *awaited_create(struct session *session, debugging_tell *tell,
			       void *context)
{
	struct awaited *points = memory_allocate_zeroed(1, sizeof(*points));

	points->session = session;
	points->tell = tell;
	points->context = context;
	points->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	session_watch(session, points->wake_fd, serve_wake, points);
	return points;
}

static void finish_point(struct awaited_place *point)
{
	const uint64_t one = 1;

	point->done = true;
	/* Without it the place is met on, and nothing told. */
	if (write(point->points->wake_fd, &one, sizeof(one)) < 0)
		return;
}

static void tell_point(struct awaited_place *point, const struct thread *thread,
		       uint32_t kind, Trm__Event *event)
{
	event->kind = kind;
	event->pid = (uint64_t)(thread->process ? thread->process->pid : 0);
	event->tid = (uint64_t)thread->tid;
	point->points->tell(point->points->context, event);
}

/* The address at which a thread of a process meets the point. */
static uint64_t address_in(const struct awaited_place *point, pid_t pid)
{
	vector_for_each (&point->meetings, meeting)
		if (!meeting->pid || meeting->pid == pid)
			return meeting->address;
	return 0;
}

static void tell_first(struct awaited_place *point, const struct thread *thread)
{
	Trm__Event event = TRM__EVENT__INIT;

	event.address =
		address_in(point, thread->process ? thread->process->pid : thread->tid);
	event.value = point->number;
	event.text = point->place;
	tell_point(point, thread, PROTOCOL_EVENT_FUNCTION, &event);
	finish_point(point);
}

/* The thread calls WIRE_TOLD_FUNCTION. */
static void tell_region(struct awaited_place *point, const struct thread *thread)
{
	Trm__Event event = TRM__EVENT__INIT;
	struct user_regs_struct registers;
	char text[WIRE_TOLD_MAX] = "";
	struct session *session = point->points->session;
	struct trm_error *error = debug_get_registers(session, thread->tid, &registers);

	if (!error && registers.rsi < sizeof(text))
		error = debug_read(session, thread->process->pid, registers.rdi, text,
				   registers.rsi);
	event.text = text;
	event.value = !error && (registers.rdx & 1);
	if (!error)
		tell_point(point, thread, PROTOCOL_EVENT_ANNOTATION, &event);
	trm_error_destroy(error);
}

/* Whether a thread that has come to the place stops. */
static bool point_stops(struct session *session, struct thread *thread, void *context)
{
	struct awaited_place *point = context;

	(void)session;
	if (point->done)
		return false;
	switch (point->kind) {
	case PROTOCOL_POINT_FIRST:
		tell_first(point, thread);
		return false;
	case PROTOCOL_POINT_REGIONS:
		tell_region(point, thread);
		return false;
	case PROTOCOL_POINT_COUNTER:
		if (!thread->process || thread->process->pid != point->pid ||
		    --point->left)
			return false;
		point->done = true; /* see awaited_describe */
		return true;
	default:
		return !point->left || !point->left--;
	}
}

static void add_meeting(struct awaited_place *point, pid_t pid, uint64_t address)
{
	const struct debug_breakpoint breakpoint = {.pid = pid,
						    .address = address,
						    .condition = point_stops,
						    .context = point};
	struct meeting meeting = {.pid = pid, .address = address};

	debug_break(point->points->session, &breakpoint, &meeting.breakpoint);
	vector_push(&point->meetings, meeting);
}

/* A function in the file of a module that has no plan; 0: it has none. */
static uint64_t find_in_file(const struct module *module, const char *name)
{
	struct image *image = NULL;
	struct trm_error *error =
		image_open(module->file->path, module->file->path, &image);
	uint64_t address = 0;

	if (error) {
		trm_error_destroy(error);
		return 0;
	}
	for (size_t i = 0; i < image->functions.count && !address; i++)
		if (text_glob(name, image->names.items + image->functions.items[i].name))
			address = image->functions.items[i].address + module->bias;
	image_close(image);
	return address;
}

/* The address of a function of this name in a module; 0: it has none. */
static uint64_t find_in_module(const struct module *module, const struct pattern *place)
{
	const struct patterns one = {(struct pattern *)(uintptr_t)place, 1, 1};

	if (!patterns_have_file(&one, module->file->path))
		return 0;
	if (!module->file->plan)
		return find_in_file(module, place->function);
	vector_for_each (&module->file->plan->functions, function) {
		scoped_free char *name = profile_writer_make_name(module->file, function);

		if (text_glob(place->function, name))
			return function->address + module->bias;
	}
	return 0;
}

/* Finds the place in a process; 0: it is not there. `ret_loaded`: a module that is meant
 * is. */
static uint64_t find_place(const struct awaited_place *point, pid_t pid, bool *ret_loaded)
{
	const struct process *process = session_find_process(point->points->session, pid);
	const struct space *space = process ? process->space : NULL;
	struct pattern place = pattern_parse(point->place);
	const struct patterns one = {&place, 1, 1};
	uint64_t address = 0;

	*ret_loaded = !strcmp(place.module, "*");
	for (size_t i = 0; space && i < space->modules.count && !address; i++) {
		const struct module *module = &space->modules.items[i];

		*ret_loaded |= patterns_have_file(&one, module->file->path);
		address = find_in_module(module, &place);
	}
	pattern_deinit(&place);
	return address;
}

static void resolve_point(struct awaited_place *point, pid_t pid)
{
	bool loaded;
	uint64_t address;

	if (point->fixed || point->done || address_in(point, pid))
		return;
	address = find_place(point, pid, &loaded);
	if (address)
		add_meeting(point, pid, address);
}

static const struct process *first_process(const struct awaited *points)
{
	vector_for_each (&points->session->all_processes, process)
		if (!(*process)->image->ended && (*process)->space)
			return *process;
	return NULL;
}

/* How many times are left until the one that is meant. */
static struct trm_error *count_left(struct awaited_place *point,
				    const struct process *process)
{
	struct awaited *points = point->points;
	const uint64_t address = address_in(point, point->pid);
	uint64_t so_far = 0;

	point->left = point->count;
	if (!point->count)
		return trm_error_create(TRM_ERROR_USAGE,
					"a count that is reached is at least 1");
	if (!address)
		return NULL;
	if (!debug_counts_exactly(points->session, point->pid, address))
		return trm_error_create(
			TRM_ERROR_UNSUPPORTED,
			"'%s' cannot be counted exactly: it has no code of its own",
			point->place);
	if (!debug_is_halted(points->session))
		return trm_error_create(TRM_ERROR_USAGE,
					"the program runs, and may be there meanwhile: "
					"stop it first");
	/* Nothing has run of an image that has not begun. */
	trm_error_destroy(calls_so_far(points->session, process, address, &so_far));
	if (so_far >= point->count)
		return trm_error_create(TRM_ERROR_USAGE,
					"'%s' was called %llu times already",
					point->place, (unsigned long long)so_far);
	point->left = point->count - so_far;
	return NULL;
}

static struct trm_error *place_point(struct awaited_place *point)
{
	const struct process *process = first_process(point->points);
	bool loaded = false;
	char *end;
	uint64_t address = strtoull(point->place, &end, 16);

	point->fixed = !strncmp(point->place, "0x", 2) && !*end && address;
	point->pid = process ? process->pid : 0;
	if (point->fixed) {
		add_meeting(point, 0, address);
	} else if (process) {
		address = find_place(point, process->pid, &loaded);
		if (!address && loaded)
			return trm_error_create(
				TRM_ERROR_USAGE,
				"the program has no function '%s' by now: one of a "
				"library that is loaded later is 'LIBRARY:FUNCTION'",
				point->place);
		vector_for_each (&point->points->session->all_processes, one)
			resolve_point(point, (*one)->pid);
	}
	return point->kind == PROTOCOL_POINT_COUNTER ? count_left(point, process) : NULL;
}

static void destroy_point(struct awaited_place *point)
{
	remove_meetings(point);
	vector_deinit(&point->meetings);
	free(point->place);
	free(point);
}

void awaited_destroy(struct awaited *points)
{
	vector_for_each (&points->items, point)
		destroy_point(*point);
	vector_deinit(&points->items);
	session_unwatch(points->session, points->wake_fd);
	close(points->wake_fd);
	free(points);
}

struct trm_error *awaited_set(struct awaited *points, const struct awaited_wish *wish,
			      uint32_t *ret_number)
{
	struct awaited_place *point = memory_allocate_zeroed(1, sizeof(*point));
	struct trm_error *error;

	point->points = points;
	point->kind = wish->kind;
	point->place = memory_copy_string(wish->place);
	point->count = point->left = wish->count;
	error = place_point(point);
	if (error) {
		destroy_point(point);
		return error;
	}
	point->number = ++points->numbers;
	vector_push(&points->items, point);
	*ret_number = point->number;
	return NULL;
}

struct trm_error *awaited_unset(struct awaited *points, uint32_t number)
{
	for (size_t i = 0; i < points->items.count; i++) {
		if (points->items.items[i]->number != number)
			continue;
		destroy_point(points->items.items[i]);
		vector_remove_swap(&points->items, i);
		return NULL;
	}
	return trm_error_create(TRM_ERROR_USAGE, "there is no breakpoint %u", number);
}

void awaited_see_modules(struct awaited *points, pid_t pid)
{
	vector_for_each (&points->items, point)
		resolve_point(*point, pid);
}

static void forget_process(struct awaited_place *point, pid_t pid, bool there)
{
	for (size_t i = point->meetings.count; i-- > 0;) {
		if (point->meetings.items[i].pid != pid)
			continue;
		if (there)
			remove_meeting(point, &point->meetings.items[i]);
		vector_remove_swap(&point->meetings, i);
	}
}

void awaited_see_exec(struct awaited *points, pid_t pid)
{
	vector_for_each (&points->items, point) {
		forget_process(*point, pid, true);
		if ((*point)->kind == PROTOCOL_POINT_COUNTER && (*point)->pid == pid)
			(*point)->left = (*point)->count;
		resolve_point(*point, pid);
	}
}

void awaited_see_fork(struct awaited *points, pid_t parent, pid_t child)
{
	vector_for_each (&points->items, point) {
		const uint64_t address = (*point)->fixed ? 0 : address_in(*point, parent);

		if (address && !(*point)->done)
			add_meeting(*point, child, address);
	}
}

void awaited_see_end(struct awaited *points, pid_t pid)
{
	vector_for_each (&points->items, point)
		forget_process(*point, pid, true);
}

void awaited_describe(struct awaited *points, uint32_t breakpoint, Trm__Event *event)
{
	event->kind = PROTOCOL_EVENT_BREAKPOINT;
	vector_for_each (&points->items, point)
		vector_for_each (&(*point)->meetings, meeting) {
			if (meeting->breakpoint != breakpoint)
				continue;
			event->value = (*point)->number;
			event->text = (*point)->place;
			if ((*point)->kind != PROTOCOL_POINT_COUNTER)
				return;
			event->kind = PROTOCOL_EVENT_COUNTER;
			event->value = (int64_t)(*point)->count;
			finish_point(*point);
			return;
		}
}
