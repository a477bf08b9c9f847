/*
 * Calls at system calls, for tools that follow them: in front of the instruction with its
 * number and arguments, and behind it with what it returned (negative: an error).
 */
#ifndef TRAMMEL_ANALYSIS_CALLS_H
#define TRAMMEL_ANALYSIS_CALLS_H

#include "tables.h"

#include <sys/syscall.h>

/* Adds calls of `before(place, number, first, second, third, bank)` and `after(returned,
 * bank)` for each system call of a function. */
static inline void calls_of_function(const struct trammel_api *api,
				     const struct trammel_function *function,
				     const char *before, const char *after)
{
	enum { MAP = 1, OPCODE = 5 }; /* 0f 05 */
	const struct trammel_code *code = api->code(function);

	for (uint32_t i = 0; code && i < code->instruction_count; i++) {
		const struct trammel_instruction *row = &code->instructions[i];

		if (row->kind != TRAMMEL_SYSTEM || row->opcode_map != MAP ||
		    row->opcode != OPCODE)
			continue;
		trammel_add_call(api, trammel_before(row), before,
				 trammel_data(PLACE_NEW(struct place, api, function, row),
					      sizeof(struct place)),
				 trammel_register(TRAMMEL_RAX),
				 trammel_register(TRAMMEL_RDI),
				 trammel_register(TRAMMEL_RSI),
				 trammel_register(TRAMMEL_RDX), trammel_thread());
		trammel_add_call(api, trammel_after(row), after,
				 trammel_register(TRAMMEL_RAX), trammel_thread());
	}
}

/* Declares the two routines. */
static inline void calls_declare(const struct trammel_api *api, const char *before,
				 const char *after)
{
	char prototype[160];

	snprintf(prototype, sizeof(prototype),
		 "%s(void *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t)", before);
	api->prototype(prototype);
	snprintf(prototype, sizeof(prototype), "%s(int64_t, uint64_t)", after);
	api->prototype(prototype);
}

static inline bool call_failed(int64_t returned)
{
	return returned < 0 && returned >= -4095;
}

#endif
