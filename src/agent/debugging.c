#include "agent/debugging.h"

#include "agent/knobs.h"
#include "base/array.h"
#include "base/text.h"
#include "base/vector.h"
#include "code/plan/plan.h"
#include "protocol/protocol.h"
#include "session/debug/access.h"
#include "session/debug/debug.h"
#include "session/debug/halt.h"
#include "session/profile/profile_writer.h"
#include "session/state/module.h"
#include "session/state/session.h"
#include "session/state/space.h"
#include "session/state/tables.h"

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

/* Modules that were told of a process, by path. */
struct debugging_modules VECTOR(char *);

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

static bool knows_module(const struct debugging *debugging, const char *path)
{
	vector_for_each (debugging->modules, known)
		if (*known && !strcmp(*known, path))
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

/* Tells what was loaded, and what is gone, since the last time. */
static void tell_modules(struct debugging *debugging, struct session *session, pid_t pid)
{
	const struct process *process = session_find_process(session, pid);
	const struct space *space = process ? process->space : NULL;

	if (!space)
		return;
	vector_for_each (&space->modules, module)
		if (!knows_module(debugging, module->file->path)) {
			vector_push(debugging->modules,
				    memory_copy_string(module->file->path));
			tell_module(debugging, PROTOCOL_EVENT_LOADED, pid,
				    module->file->path, module->bias);
		}
	vector_for_each (debugging->modules, known) {
		bool there = !*known;

		for (size_t i = 0; *known && i < space->modules.count && !there; i++)
			there = !strcmp(space->modules.items[i].file->path, *known);
		if (there)
			continue;
		tell_module(debugging, PROTOCOL_EVENT_UNLOADED, pid, *known, 0);
		free(*known);
		*known = NULL;
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
		[DEBUG_REASON_BREAKPOINT] = PROTOCOL_EVENT_BREAKPOINT,
		[DEBUG_REASON_SIGNAL] = PROTOCOL_EVENT_SIGNAL,
	};

	event->value = from->reason == DEBUG_REASON_BREAKPOINT ? (int64_t)from->breakpoint
		       : from->reason == DEBUG_REASON_SIGNAL   ? from->signal
							       : 0;
	tell_kind(debugging, kinds[from->reason], event);
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
	if (from->kind == DEBUG_EVENT_MODULES) {
		tell_modules(debugging, session, from->pid);
		return;
	}
	if (from->kind == DEBUG_EVENT_PROCESS) {
		event.value = from->pid;
		event.pid = (uint64_t)from->parent;
	}
	if (from->kind < array_count(kinds) && kinds[from->kind])
		tell_kind(debugging, kinds[from->kind], &event);
}

static struct trm_error *begin_debugging(struct debugging *debugging,
					 struct session *session)
{
	if (debugging->begun)
		return NULL;
	debugging->modules = memory_allocate_zeroed(1, sizeof(*debugging->modules));
	TRM_TRY(debug_begin(session, hear_event, debugging, false));
	debug_follow_children(session, true);
	debugging->begun = true;
	return NULL;
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

/* The address of a function of this name in a module; 0: it has none. */
static uint64_t find_in_module(const struct module *module, const struct pattern *place)
{
	const struct patterns one = {(struct pattern *)(uintptr_t)place, 1, 1};

	if (!module->file->plan || !patterns_have_file(&one, module->file->path))
		return 0;
	vector_for_each (&module->file->plan->functions, function) {
		char *name = profile_writer_make_name(module->file, function);
		bool same = text_glob(place->function, name);

		free(name);
		if (same)
			return function->address + module->bias;
	}
	return 0;
}

/* "0x401000", "main", "libz.so.1:deflate". */
static struct trm_error *find_place(const struct asking *asking, const char *text,
				    uint64_t *ret_address)
{
	const struct process *process = first_process(asking->session);
	char *end;

	*ret_address = strtoull(text, &end, 16);
	if (!strncmp(text, "0x", 2) && !*end && *ret_address)
		return NULL;
	struct pattern place = pattern_parse(text);

	*ret_address = 0;
	for (size_t i = 0; process && i < process->space->modules.count && !*ret_address;
	     i++)
		*ret_address = find_in_module(&process->space->modules.items[i], &place);
	pattern_deinit(&place);
	return *ret_address ? NULL
			    : trm_error_create(TRM_ERROR_USAGE,
					       "the program has no function '%s' by now: "
					       "a library may be loaded later",
					       text);
}

/* A place of which one visit is told, without a stop. */
struct first_visit {
	struct debugging *debugging;
	uint32_t number;
	uint64_t address;
	char *text;
};

static bool tell_first(struct session *session, struct thread *thread, void *context)
{
	struct first_visit *visit = context;
	struct debug_breakpoint *breakpoint = debug_breakpoint(session, visit->number);
	Trm__Event event = TRM__EVENT__INIT;

	if (breakpoint && !breakpoint->off) {
		breakpoint->off = true;
		event.pid = (uint64_t)(thread->process ? thread->process->pid : 0);
		event.tid = (uint64_t)thread->tid;
		event.address = visit->address;
		event.value = visit->number;
		event.text = visit->text;
		tell_kind(visit->debugging, PROTOCOL_EVENT_FUNCTION, &event);
	}
	return false;
}

/* number 1: the first visit is told, and nobody stops. */
static struct trm_error *serve_break(struct asking *asking)
{
	const Trm__Request *request = asking->request;
	struct debug_breakpoint breakpoint = {.ignore = request->size};
	const char *place = request->n_words ? request->words[0] : "";
	struct first_visit *visit = NULL;
	uint32_t number = 0;

	TRM_TRY(find_place(asking, place, &breakpoint.address));
	if (request->number == 1) {
		visit = memory_allocate_zeroed(1, sizeof(*visit));
		visit->debugging = asking->debugging;
		visit->address = breakpoint.address;
		visit->text = memory_copy_string(place);
		breakpoint.condition = tell_first;
		breakpoint.context = visit;
	}
	debug_break(asking->session, &breakpoint, &number);
	/* It lives as long as the session, which is that of this process. */
	if (visit)
		visit->number = number;
	asking->answer->number = number;
	return NULL;
}

static struct trm_error *serve_unbreak(struct asking *asking)
{
	const uint32_t number = (uint32_t)asking->request->size;

	if (!debug_breakpoint(asking->session, number))
		return trm_error_create(TRM_ERROR_USAGE, "there is no breakpoint %u",
					number);
	debug_unbreak(asking->session, number);
	return NULL;
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
	TRM_TRY(begin_debugging(debugging, session));
	return servers[request->verb](&asking);
}
