#include "agent/debugging.h"

#include "agent/knobs.h"
#include "agent/awaited.h"
#include "base/array.h"
#include "base/vector.h"
#include "protocol/protocol.h"
#include "session/debug/access.h"
#include "session/debug/debug.h"
#include "session/debug/halt.h"
#include "session/state/module.h"
#include "session/state/session.h"
#include "session/state/space.h"
#include "session/state/tables.h"
#include "wire/told.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A request that is served. */
struct asking {
	struct debugging *debugging;
	struct session *session;
	const Trm__Request *request;
	Trm__Answer *answer;
};

static const struct {
	const char *name;
	size_t offset;
} registers[] = {
#define REGISTER(name)                                                                   \
	{                                                                                \
#name, offsetof(struct user_regs_struct, name)                           \
	}
	REGISTER(rip), REGISTER(rsp),    REGISTER(rbp),     REGISTER(rax),
	REGISTER(rbx), REGISTER(rcx),    REGISTER(rdx),     REGISTER(rsi),
	REGISTER(rdi), REGISTER(r8),     REGISTER(r9),      REGISTER(r10),
	REGISTER(r11), REGISTER(r12),    REGISTER(r13),     REGISTER(r14),
	REGISTER(r15), REGISTER(eflags), REGISTER(fs_base), REGISTER(orig_rax),
};

/* A module that was told of a process. */
struct known_module {
	pid_t pid;
	uint32_t image; /* that it was in: its number */
	char *path;
};
struct debugging_modules VECTOR(struct known_module);

static void tell_kind(struct debugging *debugging, uint32_t kind, Trm__Event *event)
{
	event->kind = kind;
	debugging->tell(debugging->context, event);
}

static struct process *first_process(struct session *session)
{
	vector_for_each (&session->all_processes, process)
		if (!(*process)->image->ended && (*process)->space)
			return *process;
	return NULL;
}

static bool knows_module(const struct debugging *debugging, pid_t pid, const char *path)
{
	vector_for_each (debugging->modules, known)
		if (known->pid == pid && !strcmp(known->path, path))
			return true;
	return false;
}

static void tell_module(struct debugging *debugging, uint32_t kind, pid_t pid,
			const char *path, uint64_t bias)
{
	Trm__Event event = TRM__EVENT__INIT;

	event.pid = (uint64_t)pid;
	event.text = (char *)(uintptr_t)path;
	event.address = bias;
	tell_kind(debugging, kind, &event);
}

static bool is_loaded(const struct space *space, const char *path)
{
	vector_for_each (&space->modules, module)
		if (!strcmp(module->file->path, path))
			return true;
	return false;
}

/* Forgets modules of a process: all of them, those of other images than `image`, those
 * that are not in `space`, which is told. */
static void forget_modules(struct debugging *debugging, pid_t pid, uint32_t image,
			   const struct space *space)
{
	size_t kept = 0;

	vector_for_each (debugging->modules, known) {
		const bool there = space && known->image == image;

		if (known->pid != pid || (there && is_loaded(space, known->path))) {
			debugging->modules->items[kept++] = *known;
			continue;
		}
		if (there)
			tell_module(debugging, PROTOCOL_EVENT_UNLOADED, pid, known->path,
				    0);
		free(known->path);
	}
	debugging->modules->count = kept;
}

/* Tells what was loaded, and what is gone, since the last time. An image that begins has
 * nothing of the one before. */
static void tell_modules(struct debugging *debugging, struct session *session, pid_t pid)
{
	const struct process *process = session_find_process(session, pid);
	const struct space *space = process ? process->space : NULL;

	if (!space)
		return;
	const uint32_t image = process->image->number;

	forget_modules(debugging, pid, image, space);
	vector_for_each (&space->modules, module) {
		const char *path = module->file->path;

		if (knows_module(debugging, pid, path))
			continue;
		vector_push(
			debugging->modules,
			((struct known_module){pid, image, memory_copy_string(path)}));
		tell_module(debugging, PROTOCOL_EVENT_LOADED, pid, path, module->bias);
	}
}

/* A process that was forked has what its parent has. */
static void copy_modules(struct debugging *debugging, const struct session *session,
			 pid_t parent, pid_t child)
{
	const struct process *process = session_find_process(session, child);

	for (size_t i = 0, count = debugging->modules->count; process && i < count; i++) {
		const struct known_module *known = &debugging->modules->items[i];
		struct known_module own = {child, process->image->number, NULL};

		if (known->pid != parent)
			continue;
		own.path = memory_copy_string(known->path);
		vector_push(debugging->modules, own);
	}
}

static void tell_stopped(struct debugging *debugging, const struct debug_event *from,
			 Trm__Event *event)
{
	static const uint32_t kinds[] = {
		[DEBUG_REASON_ASKED] = PROTOCOL_EVENT_STOPPED,
		[DEBUG_REASON_BEGIN] = PROTOCOL_EVENT_STOPPED,
		[DEBUG_REASON_STEP] = PROTOCOL_EVENT_STOPPED,
		[DEBUG_REASON_WATCH] = PROTOCOL_EVENT_STOPPED,
		[DEBUG_REASON_SIGNAL] = PROTOCOL_EVENT_SIGNAL,
	};

	event->kind = from->reason < array_count(kinds) && kinds[from->reason]
			      ? kinds[from->reason]
			      : PROTOCOL_EVENT_STOPPED;
	event->value = from->reason == DEBUG_REASON_SIGNAL ? from->signal : 0;
	if (from->reason == DEBUG_REASON_BREAKPOINT)
		awaited_describe(debugging->points, from->breakpoint, event);
	debugging->tell(debugging->context, event);
}

/* What else it means that something happened. */
static void follow_event(struct debugging *debugging, struct session *session,
			 const struct debug_event *from)
{
	switch (from->kind) {
	case DEBUG_EVENT_PROCESS:
		copy_modules(debugging, session, from->parent, from->pid);
		awaited_see_fork(debugging->points, from->parent, from->pid);
		return;
	case DEBUG_EVENT_EXEC:
		awaited_see_exec(debugging->points, from->pid);
		return;
	case DEBUG_EVENT_PROCESS_ENDED:
		forget_modules(debugging, from->pid, 0, NULL);
		awaited_see_end(debugging->points, from->pid);
		return;
	case DEBUG_EVENT_MODULES:
		tell_modules(debugging, session, from->pid);
		awaited_see_modules(debugging->points, from->pid);
		return;
	default:
		return;
	}
}

static char *program_of(struct session *session, pid_t pid)
{
	static char none[] = "";
	const struct process *process = session_find_process(session, pid);

	return process && process->image->program ? process->image->program : none;
}

static void hear_event(struct session *session, const struct debug_event *from,
		       void *context)
{
	static const uint32_t kinds[] = {
		[DEBUG_EVENT_PROCESS] = PROTOCOL_EVENT_FORK,
		[DEBUG_EVENT_EXEC] = PROTOCOL_EVENT_EXEC,
		[DEBUG_EVENT_PROCESS_ENDED] = PROTOCOL_EVENT_ENDED,
		[DEBUG_EVENT_THREAD] = PROTOCOL_EVENT_THREAD,
		[DEBUG_EVENT_THREAD_ENDED] = PROTOCOL_EVENT_THREAD_ENDED,
		[DEBUG_EVENT_SESSION_ENDED] = PROTOCOL_EVENT_NONE,
	};
	struct debugging *debugging = context;
	Trm__Event event = TRM__EVENT__INIT;

	event.pid = (uint64_t)from->pid;
	event.tid = (uint64_t)from->tid;
	event.address = from->address;
	event.value = from->status;
	if (from->kind == DEBUG_EVENT_STOPPED) {
		tell_stopped(debugging, from, &event);
		return;
	}
	if (from->kind == DEBUG_EVENT_PROCESS) {
		event.value = from->pid;
		event.pid = (uint64_t)from->parent;
	}
	if (from->kind == DEBUG_EVENT_EXEC)
		event.text = program_of(session, from->pid);
	if (from->kind < array_count(kinds) && kinds[from->kind])
		tell_kind(debugging, kinds[from->kind], &event);
	follow_event(debugging, session, from);
}

static struct trm_error *begin_debugging(struct debugging *debugging,
					 struct session *session, bool stop)
{
	if (debugging->begun)
		return NULL;
	TRM_TRY(debug_begin(session, hear_event, debugging, stop));
	debugging->modules = memory_allocate_zeroed(1, sizeof(*debugging->modules));
	debugging->points = awaited_create(session, debugging->tell, debugging->context);
	debug_follow_children(session, true);
	debugging->begun = true;
	return NULL;
}

struct trm_error *debugging_begin(struct debugging *debugging, struct session *session)
{
	const struct awaited_wish regions = {
		.kind = PROTOCOL_POINT_REGIONS,
		.place = "libtrammel.so*:" WIRE_TOLD_FUNCTION};
	uint32_t number;

	if (!debugging->watches && !debugging->stops && !debugging->regions)
		return NULL;
	TRM_TRY(begin_debugging(debugging, session, debugging->stops));
	return debugging->regions ? awaited_set(debugging->points, &regions, &number)
				  : NULL;
}

void debugging_end(struct debugging *debugging, struct session *session)
{
	if (!debugging->begun)
		return;
	awaited_destroy(debugging->points);
	debug_end(session);
	vector_for_each (debugging->modules, known)
		free(known->path);
	vector_deinit(debugging->modules);
	free(debugging->modules);
	debugging->points = NULL;
	debugging->modules = NULL;
	debugging->begun = false;
}

static struct trm_error *serve_watch(struct asking *asking)
{
	const struct process *process = first_process(asking->session);

	if (process)
		tell_modules(asking->debugging, asking->session, process->pid);
	return NULL;
}

static struct trm_error *serve_stop(struct asking *asking)
{
	debug_halt(asking->session);
	return NULL;
}

static struct trm_error *check_halted(const struct asking *asking)
{
	return debug_is_halted(asking->session)
		       ? NULL
		       : trm_error_create(TRM_ERROR_USAGE,
					  "the program runs: stop it first, and wait for "
					  "the event \"stopped\"");
}

static struct trm_error *serve_go(struct asking *asking)
{
	TRM_TRY(check_halted(asking));
	debug_go(asking->session);
	return NULL;
}

static struct trm_error *find_pid(const struct asking *asking, pid_t *ret_pid)
{
	const struct process *process = first_process(asking->session);

	if (!process)
		return trm_error_create(TRM_ERROR_GONE, "the program has ended");
	*ret_pid = process->pid;
	return NULL;
}

static struct trm_error *serve_read_memory(struct asking *asking)
{
	const Trm__Request *request = asking->request;
	pid_t pid = 0;

	if (!request->size || request->size > PROTOCOL_PIECE)
		return trm_error_create(TRM_ERROR_USAGE,
					"%" PRIu64
					" bytes cannot be read at once: 1 to %d",
					request->size, PROTOCOL_PIECE);
	TRM_TRY(find_pid(asking, &pid));
	uint8_t *bytes = memory_allocate(request->size);
	struct trm_error *error =
		debug_read(asking->session, pid, request->address, bytes, request->size);

	if (error) {
		free(bytes);
		return error;
	}
	asking->answer->data.data = bytes;
	asking->answer->data.len = request->size;
	return NULL;
}

static struct trm_error *serve_write_memory(struct asking *asking)
{
	const Trm__Request *request = asking->request;
	pid_t pid = 0;

	TRM_TRY(find_pid(asking, &pid));
	return debug_write(asking->session, pid, request->address, request->data.data,
			   request->data.len);
}

/* The thread of a request; 0: the first process's first one. */
static struct trm_error *find_thread(const struct asking *asking, pid_t *ret_tid)
{
	*ret_tid = (pid_t)asking->request->size;
	return *ret_tid ? NULL : find_pid(asking, ret_tid);
}

static struct trm_error *serve_registers(struct asking *asking)
{
	struct user_regs_struct found;
	pid_t tid = 0;

	TRM_TRY(find_thread(asking, &tid));
	TRM_TRY(debug_get_registers(asking->session, tid, &found));
	for (size_t i = 0; i < array_count(registers); i++) {
		unsigned long long value;
		char text[32];

		memcpy(&value, (const char *)&found + registers[i].offset, sizeof(value));
		snprintf(text, sizeof(text), "%llu", value);
		knobs_add_row(asking->answer, "name", registers[i].name, "value", text,
			      NULL);
	}
	return NULL;
}

static struct trm_error *serve_set_register(struct asking *asking)
{
	const Trm__Request *request = asking->request;
	const char *name = request->n_words ? request->words[0] : "";
	unsigned long long value = request->number;
	struct user_regs_struct found;
	pid_t tid = 0;

	TRM_TRY(find_thread(asking, &tid));
	TRM_TRY(debug_get_registers(asking->session, tid, &found));
	for (size_t i = 0; i < array_count(registers); i++)
		if (!strcmp(registers[i].name, name)) {
			memcpy((char *)&found + registers[i].offset, &value,
			       sizeof(value));
			return debug_set_registers(asking->session, tid, &found);
		}
	return trm_error_create(TRM_ERROR_USAGE, "there is no register '%s'", name);
}

static struct trm_error *serve_threads(struct asking *asking)
{
	vector_for_each (&asking->session->all_threads, thread) {
		char pid[16], tid[16];

		if (!(*thread)->process)
			continue;
		snprintf(pid, sizeof(pid), "%d", (*thread)->process->pid);
		snprintf(tid, sizeof(tid), "%d", (*thread)->tid);
		knobs_add_row(asking->answer, "pid", pid, "tid", tid, NULL);
	}
	return NULL;
}

static struct trm_error *serve_modules(struct asking *asking)
{
	const struct process *process = first_process(asking->session);

	if (!process)
		return trm_error_create(TRM_ERROR_GONE, "the program has ended");
	vector_for_each (&process->space->modules, module) {
		char numbers[3][32];

		snprintf(numbers[0], sizeof(numbers[0]), "%" PRIu64, module->text_start);
		snprintf(numbers[1], sizeof(numbers[1]), "%" PRIu64, module->text_end);
		snprintf(numbers[2], sizeof(numbers[2]), "%" PRIu64, module->bias);
		knobs_add_row(asking->answer, "path", module->file->path, "from",
			      numbers[0], "to", numbers[1], "bias", numbers[2], NULL);
	}
	return NULL;
}

static struct trm_error *serve_break(struct asking *asking)
{
	const Trm__Request *request = asking->request;
	const struct awaited_wish wish = {.kind = (enum protocol_point)request->number,
					  .place = request->n_words ? request->words[0]
								    : "",
					  .count = request->size};
	uint32_t number = 0;

	if (request->number >= PROTOCOL_POINT_REGIONS)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"this tracer has no such places");
	TRM_TRY(awaited_set(asking->debugging->points, &wish, &number));
	asking->answer->number = number;
	return NULL;
}

static struct trm_error *serve_unbreak(struct asking *asking)
{
	return awaited_unset(asking->debugging->points, (uint32_t)asking->request->size);
}

static struct trm_error *serve_step(struct asking *asking)
{
	pid_t tid = 0;

	TRM_TRY(check_halted(asking));
	TRM_TRY(find_thread(asking, &tid));
	return debug_step(asking->session, tid, true);
}

static struct trm_error *(*const servers[PROTOCOL_VERB_COUNT])(struct asking *) = {
	[PROTOCOL_WATCH] = serve_watch,
	[PROTOCOL_STOP] = serve_stop,
	[PROTOCOL_GO] = serve_go,
	[PROTOCOL_READ_MEMORY] = serve_read_memory,
	[PROTOCOL_WRITE_MEMORY] = serve_write_memory,
	[PROTOCOL_REGISTERS] = serve_registers,
	[PROTOCOL_SET_REGISTER] = serve_set_register,
	[PROTOCOL_THREADS] = serve_threads,
	[PROTOCOL_MODULES] = serve_modules,
	[PROTOCOL_BREAK] = serve_break,
	[PROTOCOL_UNBREAK] = serve_unbreak,
	[PROTOCOL_STEP] = serve_step,
};

struct trm_error *debugging_serve(struct debugging *debugging, struct session *session,
				  const Trm__Request *request, Trm__Answer *answer,
				  bool *ret_known)
{
	struct asking asking = {debugging, session, request, answer};

	*ret_known = request->verb < PROTOCOL_VERB_COUNT && servers[request->verb];
	if (!*ret_known)
		return NULL;
	TRM_TRY(begin_debugging(debugging, session, false));
	return servers[request->verb](&asking);
}
