/*
 * Code that counts. Its marks say how far a thread found in it has come: see struct
 * plan_position.
 */
#ifndef TRAMMEL_CODE_EMIT_PROBE_H
#define TRAMMEL_CODE_EMIT_PROBE_H

#include "code/emit/emit.h"
#include "code/plan/position.h"
#include "code/plan/request.h"

enum probe_form {
	PROBE_NONE,
	PROBE_COUNT,            /* add: changes all flags */
	PROBE_COUNT_KEEP_CARRY, /* inc: changes all others; more micro-operations */
	PROBE_COUNT_KEEP_FLAGS, /* changes nothing; slower */
	PROBE_FLAG,             /* sets a byte; changes nothing */
	PROBE_LEAVE, /* in front of a return: tells the resident; changes flags */
	PROBE_LEAVE_KEEP_FLAGS, /* changes nothing */
	PROBE_RETURN, /* as PROBE_LEAVE, but ends a call that is not timed by itself */
};

enum {
	PROBE_COUNT_SIZE = 10, /* bytes */
	PROBE_FLAG_SIZE = 9,
	PROBE_COUNT_SLOT = 5, /* offset of the displacement in it */
	PROBE_FLAG_SLOT = 4,
};

/* The form of a counting probe that preserves the `live` flags (x86/flags.h). */
enum probe_form probe_beside(uint8_t live);

/* Writes a probe for the counter at displacement `slot` in the bank, without the module's
 * own. A thread that has not counted is at position `kind`, shown at `original`. For
 * PROBE_LEAVE `slot` is the displacement of the address that it calls. */
void probe_emit(struct emitter *emitter, enum probe_form form, uint32_t slot,
		uint64_t original, enum plan_position_kind kind);

/* Writes a probe of PROBE_RETURN. */
void probe_emit_return(struct emitter *emitter, const struct plan_hook_layout *layout,
		       uint64_t original);

/* Whether `size` bytes are a call preceded by a probe of PROBE_COUNT, omitted or not. */
bool probe_is_of_call(const uint8_t *code, size_t size);

/* Turns a probe of PROBE_COUNT at `code` into nops. */
void probe_omit(uint8_t *code);

/* Turns a probe of PROBE_FLAG into one that does nothing (`fired`), or back. The
 * displacement stays. False if there is neither, or nothing changes. */
bool probe_set_fired(uint8_t *code, bool fired);

/* The displacement of the counter of the probe at `offset` of plan.code, without the
 * module's own; PLAN_NO_SLOT if it has none. */
uint32_t probe_slot(const struct plan *plan, size_t offset);

/* The form of the probe at `code`. */
enum probe_form probe_at(const uint8_t *code, size_t available);

#endif
