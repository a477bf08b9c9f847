/*
 * The code that counts. Its marks tell what a thread that is found in it has done: see
 * struct plan_position.
 */
#ifndef TRAMMEL_CODE_EMIT_PROBE_H
#define TRAMMEL_CODE_EMIT_PROBE_H

#include "code/emit/emit.h"
#include "code/plan/position.h"
#include "code/plan/request.h"

enum probe_form {
	PROBE_NONE,
	PROBE_COUNT,            /* add: changes all flags */
	PROBE_COUNT_KEEP_CARRY, /* inc: changes all others; decoded into more operations
				 */
	PROBE_COUNT_KEEP_FLAGS, /* changes nothing; slower */
	PROBE_FLAG,             /* sets a byte; changes nothing */
	PROBE_LEAVE, /* in front of a return: tells the resident; changes flags */
	PROBE_LEAVE_KEEP_FLAGS, /* changes nothing */
	PROBE_RETURN, /* as PROBE_LEAVE, but ends a call that is not timed by itself */
};

enum {
	PROBE_COUNT_SIZE = 10, /* bytes */
	PROBE_FLAG_SIZE = 9,
	PROBE_COUNT_SLOT = 5, /* where the displacement lies in it */
	PROBE_FLAG_SLOT = 4,
};

/* The form that counts where `live` flags are alive (x86/flags.h). */
enum probe_form probe_beside(uint8_t live);

/* Writes a probe for the counter at displacement `slot` in the bank without the module's
 * own. `kind` is the place of a thread that has not counted, and `original` where it is
 * shown. Of PROBE_LEAVE `slot` is where in the bank the address lies that it calls. */
void probe_emit(struct emitter *emitter, enum probe_form form, uint32_t slot,
		uint64_t original, enum plan_position_kind kind);

/* Writes a probe of PROBE_RETURN. */
void probe_emit_return(struct emitter *emitter, const struct plan_hook_layout *layout,
		       uint64_t original);

/* Whether `size` bytes are a call with a probe of PROBE_COUNT in front of it, omitted or
 * not. */
bool probe_is_of_call(const uint8_t *code, size_t size);

/* Makes a probe of PROBE_COUNT at `code` one that does nothing. */
void probe_omit(uint8_t *code);

/* Makes a probe of PROBE_FLAG one that does nothing (`fired`), or that again what it was.
 * The displacement stays. False: neither lies there, or it is so already. */
bool probe_set_fired(uint8_t *code, bool fired);

/* The counter of a probe in plan.code: its displacement without the module's;
 * PLAN_NO_SLOT: it has none. */
uint32_t probe_slot(const struct plan *plan, size_t offset);

/* The form of the probe that begins with these bytes. */
enum probe_form probe_at(const uint8_t *code, size_t available);

#endif
