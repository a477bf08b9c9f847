#include "libcontrol/process.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/text.h"
#include "libcontrol/objects.h"
#include "libcontrol/starting.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

struct trm_error *process_enter(struct trm_process *ticket, struct control_process **ret)
{
	void *object = NULL;
	struct control_engine *engine;

	TRM_TRY(object_find(ticket, OBJECT_PROCESS, &object));
	struct trm_engine *owner = ((struct control_process *)object)->engine->ticket;

	TRM_TRY(engine_enter(owner, &engine));
	/* It may have been released while the lock was waited for. */
	struct trm_error *error = object_find(ticket, OBJECT_PROCESS, &object);

	if (error)
		engine_leave(engine);
	else
		*ret = object;
	return error;
}

static struct control_process *find_process(const struct control_engine *engine,
					    uint64_t number)
{
	vector_for_each (&engine->processes, process)
		if (number && (*process)->number == number)
			return *process;
	return NULL;
}

struct trm_process *process_ticket(const struct control_engine *engine, uint64_t number)
{
	const struct control_process *process = find_process(engine, number);

	return process ? process->ticket : NULL;
}

/* Output of a far program that has this process's own streams. */
static bool show_output(const struct control_process *process, const Trm__Event *event)
{
	const uint8_t *at = event->data.data;
	size_t left = event->data.len;

	if (event->value < 1 || event->value >= PROCESS_STREAMS ||
	    process->redirections[event->value] != TRM_INHERIT)
		return false;
	while (left) {
		ssize_t written = write((int)event->value, at, left);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			break;
		at += written;
		left -= (size_t)written;
	}
	return true;
}

static void note_measured(struct control_process *process, const Trm__Event *event)
{
	process->state = TRM_PROCESS_MEASURED;
	process->status = (int)event->value;
	if (!event->fault)
		return;
	free(process->failure);
	process->failure = memory_copy_string(event->fault->message);
	process->failure_code = (int)event->fault->code;
	process->failure_errno = event->fault->system_code;
}

bool process_note(struct control_engine *engine, const Trm__Event *event)
{
	struct control_process *process = find_process(engine, event->process);

	if (!process)
		return false;
	switch (event->kind) {
	case PROTOCOL_EVENT_STARTED:
		process->pid = (int)event->pid;
		return false;
	case PROTOCOL_EVENT_MEASURED:
		note_measured(process, event);
		return false;
	case PROTOCOL_EVENT_OUTPUT:
		return show_output(process, event);
	default:
		return false;
	}
}

struct trm_error *process_check_run(const struct control_process *process)
{
	return process->number
		       ? NULL
		       : trm_error_create(TRM_ERROR_USAGE, "the process was not run yet: "
							   "trm_process_run comes first");
}

struct trm_error *process_ask(struct control_process *process, Trm__Request *request,
			      Trm__Message **ret_answer)
{
	Trm__Message *answer = NULL;

	TRM_TRY(process_check_run(process));
	request->process = process->number;
	TRM_TRY(engine_ask(process->engine, request, &answer));
	if (ret_answer)
		*ret_answer = answer;
	else
		frame_free(answer);
	return NULL;
}

static struct control_process *create_process(struct control_engine *engine)
{
	struct control_process *process = memory_allocate_zeroed(1, sizeof(*process));

	process->engine = engine;
	vector_push(&engine->processes, process);
	process->ticket = object_add(OBJECT_PROCESS, process);
	return process;
}

EXPORT struct trm_error *trm_process_create(struct trm_engine *ticket,
					    const char *const *words,
					    struct trm_process **ret_process)
{
	struct control_engine *engine;

	if (!words || !*words || !**words)
		return trm_error_create(TRM_ERROR_USAGE, "no program to run");
	TRM_TRY(engine_enter(ticket, &engine));
	struct control_process *process = create_process(engine);

	for (; *words; words++)
		vector_push(&process->words, memory_copy_string(*words));
	*ret_process = process->ticket;
	engine_leave(engine);
	return NULL;
}

EXPORT struct trm_error *trm_process_attach(struct trm_engine *ticket, int pid,
					    struct trm_process **ret_process)
{
	struct control_engine *engine;

	if (pid <= 0)
		return trm_error_create(TRM_ERROR_USAGE, "%d is not a process number",
					pid);
	TRM_TRY(engine_enter(ticket, &engine));
	struct control_process *process = create_process(engine);

	process->attached_pid = pid;
	*ret_process = process->ticket;
	engine_leave(engine);
	return NULL;
}

static void forget_process(struct control_process *process)
{
	Trm__Request request = TRM__REQUEST__INIT;

	request.verb = PROTOCOL_FORGET;
	request.number = process->kept;
	if (process->number && !process->engine->connection.lost)
		trm_error_destroy(process_ask(process, &request, NULL));
}

static void free_pairs(struct process_pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(pairs[i].name);
		free(pairs[i].value);
	}
	free(pairs);
}

void process_destroy(struct control_process *process)
{
	struct control_engine *engine = process->engine;

	object_remove(process->ticket, OBJECT_PROCESS);
	forget_process(process);
	for (size_t i = 0; i < engine->processes.count; i++)
		if (engine->processes.items[i] == process)
			vector_remove_swap(&engine->processes, i);
	vector_for_each (&process->words, word)
		free(*word);
	vector_deinit(&process->words);
	free_pairs(process->knobs.items, process->knobs.count);
	free_pairs(process->environment.items, process->environment.count);
	free(process->directory);
	free(process->output);
	free(process->there);
	for (int i = 0; i < PROCESS_STREAMS; i++)
		free(process->files[i]);
	free(process->failure);
	free(process);
}

EXPORT void trm_process_release(struct trm_process *ticket)
{
	struct control_process *process;
	struct trm_error *error = process_enter(ticket, &process);

	if (error) {
		trm_error_destroy(error);
		return;
	}
	struct control_engine *engine = process->engine;

	process_destroy(process);
	engine_leave(engine);
}

EXPORT struct trm_error *trm_process_run(struct trm_process *ticket)
{
	struct control_process *process;

	TRM_TRY(process_enter(ticket, &process));
	struct trm_error *error = starting_run(process);

	engine_leave(process->engine);
	return error;
}

static struct trm_error *measured_error(const struct control_process *process)
{
	if (!process->failure)
		return NULL;
	struct trm_error *error = trm_error_create(
		(enum trm_error_code)process->failure_code, "%s", process->failure);

	error->system_code = process->failure_errno;
	return error;
}

static struct trm_error *wait_for_end(struct control_process *process, int timeout_ms)
{
	struct control_engine *engine = process->engine;
	struct trm_process *ticket = process->ticket;
	const uint64_t deadline = engine_deadline(timeout_ms);
	void *object;

	TRM_TRY(engine_check_wait(engine));
	TRM_TRY(process_check_run(process));
	for (;;) {
		struct trm_error *error = engine_take(engine);

		engine_dispatch(engine);
		/* A callback may have released it. */
		if (!error)
			error = object_find(ticket, OBJECT_PROCESS, &object);
		if (error)
			return error;
		engine_acknowledge(engine);
		if (process->state == TRM_PROCESS_MEASURED)
			return NULL;
		if (clock_now_ns() >= deadline)
			return trm_error_create(TRM_ERROR_LIMIT,
						"the measurement goes on: it was not "
						"over in %d ms",
						timeout_ms);
		if (!engine_await(engine, deadline))
			return trm_error_create(TRM_ERROR_LIMIT,
						"the wait was interrupted");
		TRM_TRY(object_find(ticket, OBJECT_PROCESS, &object));
	}
}

EXPORT struct trm_error *trm_process_wait(struct trm_process *ticket, int timeout_ms,
					  int *ret_status)
{
	struct control_process *process;
	void *object;

	TRM_TRY(process_enter(ticket, &process));
	struct control_engine *engine = process->engine;
	struct trm_error *error = wait_for_end(process, timeout_ms);

	if (!error)
		error = object_find(ticket, OBJECT_PROCESS, &object);
	if (!error) {
		if (ret_status)
			*ret_status = process->status;
		error = measured_error(process);
	}
	engine_leave(engine);
	return error;
}

EXPORT struct trm_error *trm_process_state(struct trm_process *ticket,
					   enum trm_process_state *ret_state)
{
	struct control_process *process;

	TRM_TRY(process_enter(ticket, &process));
	struct trm_error *error = engine_take(process->engine);

	*ret_state = process->state;
	engine_leave(process->engine);
	return error;
}

EXPORT struct trm_error *trm_process_pid(struct trm_process *ticket, int *ret_pid)
{
	struct control_process *process;

	TRM_TRY(process_enter(ticket, &process));
	*ret_pid = process->pid;
	engine_leave(process->engine);
	return NULL;
}

EXPORT struct trm_error *trm_process_refused(struct trm_process *ticket, int *ret_refused)
{
	struct control_process *process;

	TRM_TRY(process_enter(ticket, &process));
	*ret_refused = process->refused;
	engine_leave(process->engine);
	return NULL;
}

/* A request that has an answer without anything in it. */
static struct trm_error *tell_process(struct trm_process *ticket, enum protocol_verb verb,
				      uint64_t size, ProtobufCBinaryData data)
{
	struct control_process *process;
	Trm__Request request = TRM__REQUEST__INIT;

	TRM_TRY(process_enter(ticket, &process));
	request.verb = verb;
	request.size = size;
	request.data = data;
	struct trm_error *error = process_ask(process, &request, NULL);

	engine_leave(process->engine);
	return error;
}

static const ProtobufCBinaryData no_data;

EXPORT struct trm_error *trm_process_signal(struct trm_process *process, int number)
{
	if (number <= 0)
		return trm_error_create(TRM_ERROR_USAGE, "%d is not a signal", number);
	return tell_process(process, PROTOCOL_SIGNAL, (uint64_t)number, no_data);
}

EXPORT struct trm_error *trm_process_kill(struct trm_process *process)
{
	return tell_process(process, PROTOCOL_KILL, 0, no_data);
}

EXPORT struct trm_error *trm_process_detach(struct trm_process *process)
{
	return tell_process(process, PROTOCOL_DETACH, 0, no_data);
}

EXPORT struct trm_error *trm_process_pause(struct trm_process *process)
{
	return tell_process(process, PROTOCOL_PAUSE, 0, no_data);
}

EXPORT struct trm_error *trm_process_resume(struct trm_process *process)
{
	return tell_process(process, PROTOCOL_RESUME, 0, no_data);
}

EXPORT struct trm_error *trm_process_reset(struct trm_process *ticket)
{
	struct control_process *process;
	Trm__Request request = TRM__REQUEST__INIT;
	Trm__Message *answer = NULL;

	TRM_TRY(process_enter(ticket, &process));
	request.verb = PROTOCOL_RESET;
	struct trm_error *error = process_ask(process, &request, &answer);

	if (!error)
		process->interval = answer->answer->number;
	frame_free(answer);
	engine_leave(process->engine);
	return error;
}

static struct trm_error *send_pieces(struct trm_process *process, enum protocol_verb verb,
				     const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	struct trm_error *error;

	do {
		size_t piece = size < PROTOCOL_PIECE ? size : PROTOCOL_PIECE;

		error = tell_process(
			process, verb, 0,
			(ProtobufCBinaryData){piece, (uint8_t *)(uintptr_t)at});
		at += piece;
		size -= piece;
	} while (!error && size);
	return error;
}

EXPORT struct trm_error *trm_process_write(struct trm_process *process, const void *bytes,
					   size_t size)
{
	return send_pieces(process, PROTOCOL_INPUT, bytes, size);
}

EXPORT struct trm_error *trm_process_say(struct trm_process *process, const void *bytes,
					 size_t size)
{
	return send_pieces(process, PROTOCOL_SAY, bytes, size);
}
