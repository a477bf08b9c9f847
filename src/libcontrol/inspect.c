/* What is asked of a program that is stopped, and where it is to stop. */
#include "libcontrol/process.h"
#include "libcontrol/records.h"
#include "trammel/control.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Sends a request about a process, and passes on its answer. */
static struct trm_error *ask_about(struct trm_process *ticket, Trm__Request *request,
				   enum protocol_verb verb, Trm__Message **ret_answer)
{
	struct control_process *process;

	TRM_TRY(process_enter(ticket, &process));
	request->verb = verb;
	struct trm_error *error = process_ask(process, request, ret_answer);

	engine_leave(process->engine);
	return error;
}

static struct trm_error *ask_plain(struct trm_process *ticket, enum protocol_verb verb,
				   uint64_t size)
{
	Trm__Request request = TRM__REQUEST__INIT;

	request.size = size;
	return ask_about(ticket, &request, verb, NULL);
}

/* What can be asked before the program begins is noted then. */
static struct trm_error *ask_or_note(struct trm_process *ticket, enum protocol_verb verb)
{
	Trm__Request request = TRM__REQUEST__INIT;
	struct control_process *process;
	struct trm_error *error = NULL;

	TRM_TRY(process_enter(ticket, &process));
	request.verb = verb;
	if (process->number)
		error = process_ask(process, &request, NULL);
	else if (verb == PROTOCOL_WATCH)
		process->watched = true;
	else
		process->stopped = true;
	engine_leave(process->engine);
	return error;
}

EXPORT struct trm_error *trm_process_watch(struct trm_process *process)
{
	return ask_or_note(process, PROTOCOL_WATCH);
}

EXPORT struct trm_error *trm_process_stop(struct trm_process *process)
{
	return ask_or_note(process, PROTOCOL_STOP);
}

EXPORT struct trm_error *trm_process_go(struct trm_process *process)
{
	return ask_plain(process, PROTOCOL_GO, 0);
}

EXPORT struct trm_error *trm_process_step(struct trm_process *process, int tid)
{
	return ask_plain(process, PROTOCOL_STEP, (uint64_t)(unsigned int)tid);
}

EXPORT struct trm_error *trm_process_read_memory(struct trm_process *process,
						 uint64_t address, void *ret_bytes,
						 size_t size)
{
	uint8_t *to = ret_bytes;

	while (size) {
		Trm__Request request = TRM__REQUEST__INIT;
		Trm__Message *answer = NULL;
		const size_t piece = size < PROTOCOL_PIECE ? size : PROTOCOL_PIECE;

		request.address = address;
		request.size = piece;
		TRM_TRY(ask_about(process, &request, PROTOCOL_READ_MEMORY, &answer));
		const bool whole = answer->answer->data.len == piece;

		if (whole)
			memcpy(to, answer->answer->data.data, piece);
		frame_free(answer);
		if (!whole)
			return trm_error_create(TRM_ERROR_FORMAT,
						"the engine answered with other bytes "
						"than were asked for");
		to += piece;
		address += piece;
		size -= piece;
	}
	return NULL;
}

EXPORT struct trm_error *trm_process_write_memory(struct trm_process *process,
						  uint64_t address, const void *bytes,
						  size_t size)
{
	Trm__Request request = TRM__REQUEST__INIT;

	if (!size || size > PROTOCOL_PIECE)
		return trm_error_create(TRM_ERROR_USAGE,
					"%zu bytes cannot be written at once: 1 to %d",
					size, PROTOCOL_PIECE);
	request.address = address;
	request.data.data = (uint8_t *)(uintptr_t)bytes;
	request.data.len = size;
	return ask_about(process, &request, PROTOCOL_WRITE_MEMORY, NULL);
}

static struct trm_error *ask_rows(struct trm_process *process, enum protocol_verb verb,
				  uint64_t size, struct trm_records **ret_records)
{
	Trm__Request request = TRM__REQUEST__INIT;
	Trm__Message *answer = NULL;

	request.size = size;
	TRM_TRY(ask_about(process, &request, verb, &answer));
	*ret_records = records_of_answer(answer->answer);
	frame_free(answer);
	return NULL;
}

EXPORT struct trm_error *trm_process_registers(struct trm_process *process, int tid,
					       struct trm_records **ret_records)
{
	return ask_rows(process, PROTOCOL_REGISTERS, (uint64_t)(unsigned int)tid,
			ret_records);
}

EXPORT struct trm_error *trm_process_threads(struct trm_process *process,
					     struct trm_records **ret_records)
{
	return ask_rows(process, PROTOCOL_THREADS, 0, ret_records);
}

EXPORT struct trm_error *trm_process_modules(struct trm_process *process,
					     struct trm_records **ret_records)
{
	return ask_rows(process, PROTOCOL_MODULES, 0, ret_records);
}

static struct trm_error *ask_named(struct trm_process *process, enum protocol_verb verb,
				   const char *word, uint64_t number, uint64_t size,
				   Trm__Message **ret_answer)
{
	Trm__Request request = TRM__REQUEST__INIT;
	char *words[] = {(char *)(uintptr_t)word};

	request.words = words;
	request.n_words = 1;
	request.number = number;
	request.size = size;
	return ask_about(process, &request, verb, ret_answer);
}

EXPORT struct trm_error *trm_process_set_register(struct trm_process *process, int tid,
						  const char *name, uint64_t value)
{
	return ask_named(process, PROTOCOL_SET_REGISTER, name, value,
			 (uint64_t)(unsigned int)tid, NULL);
}

static struct trm_error *set_break(struct trm_process *process, const char *place,
				   enum protocol_point kind, uint64_t count,
				   uint32_t *ret_number)
{
	Trm__Message *answer = NULL;

	TRM_TRY(ask_named(process, PROTOCOL_BREAK, place, kind, count, &answer));
	*ret_number = (uint32_t)answer->answer->number;
	frame_free(answer);
	return NULL;
}

EXPORT struct trm_error *trm_process_break(struct trm_process *process, const char *place,
					   uint64_t ignore, uint32_t *ret_number)
{
	return set_break(process, place, PROTOCOL_POINT_BREAK, ignore, ret_number);
}

EXPORT struct trm_error *trm_process_first(struct trm_process *process, const char *place,
					   uint32_t *ret_number)
{
	return set_break(process, place, PROTOCOL_POINT_FIRST, 0, ret_number);
}

EXPORT struct trm_error *trm_process_reach(struct trm_process *process, const char *place,
					   uint64_t count, uint32_t *ret_number)
{
	return set_break(process, place, PROTOCOL_POINT_COUNTER, count, ret_number);
}

EXPORT struct trm_error *trm_process_unbreak(struct trm_process *process, uint32_t number)
{
	return ask_plain(process, PROTOCOL_UNBREAK, number);
}
