#include "code/probe.h"

#include <string.h>

static void mark_probe(struct emitter *emitter, enum plan_place_kind kind,
		       uint64_t original)
{
	emit_mark(emitter,
		  (struct emit_mark){.kind = (uint8_t)kind, .original = original});
}

static void emit_slot(struct emitter *emitter, uint32_t slot)
{
	emit_fixup(emitter, PLAN_FIXUP_SLOT);
	emit_word32(emitter, slot);
}

/*
 * Counts without a change to flags or registers, below the red zone: for parts of
 * functions that pass as functions, where any register may be live. The marks tell how
 * far rsp is down and whether rax is there; behind the store the call is counted.
 */
static void emit_careful_count(struct emitter *emitter, uint32_t slot, uint64_t original)
{
	static const struct {
		uint8_t bytes[8];
		uint8_t size;
		bool slot;
		uint8_t stack; /* bytes that rsp is down before it */
		bool pushed, counted;
	} steps[] = {
		{{0x48, 0x8d, 0x64, 0x24, 0x80}, 5, false, 0, false, false},
		{{0x50}, 1, false, 128, false, false}, /* push %rax */
		{{0x65, 0x48, 0x8b, 0x04, 0x25}, 5, true, 136, true, false},
		{{0x48, 0x8d, 0x40, 0x01}, 4, false, 136, true, false}, /* lea 1(%rax),
									   %rax */
		{{0x65, 0x48, 0x89, 0x04, 0x25}, 5, true, 136, true, false},
		{{0x58}, 1, false, 136, true, true}, /* pop %rax */
		{{0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0}, 8, false, 128, false, true},
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		/* The caller marked the first. */
		if (i)
			emit_mark(emitter,
				  (struct emit_mark){
					  .kind = steps[i].counted ? PLAN_PLACE_HOOK
								   : PLAN_PLACE_PROBE,
					  .original = original,
					  .stack = steps[i].stack,
					  .pushed = steps[i].pushed,
				  });
		emit_bytes(emitter, steps[i].bytes, steps[i].size);
		if (steps[i].slot)
			emit_slot(emitter, slot);
	}
}

void probe_emit(struct emitter *emitter, enum probe_form form, uint32_t slot,
		uint64_t original, enum plan_place_kind kind)
{
	static const uint8_t increment[] = {0x65, 0x48, 0xff, 0x04, 0x25};
	static const uint8_t set[] = {0x65, 0xc6, 0x04, 0x25};

	if (form == PROBE_NONE)
		return;
	mark_probe(emitter, kind, original);
	switch (form) {
	case PROBE_COUNT:
		emit_bytes(emitter, increment, sizeof(increment));
		emit_slot(emitter, slot);
		break;
	case PROBE_FLAG:
		emit_bytes(emitter, set, sizeof(set));
		emit_slot(emitter, slot);
		emit_byte(emitter, 1);
		break;
	default:
		emit_careful_count(emitter, slot, original);
	}
}

enum probe_form probe_at(const uint8_t *code, size_t available)
{
	static const struct {
		uint8_t bytes[4];
		enum probe_form form;
	} rows[] = {
		{{0x65, 0x48, 0xff, 0x04}, PROBE_COUNT},
		{{0x48, 0x8d, 0x64, 0x24}, PROBE_COUNT_KEEP_FLAGS},
		{{0x65, 0xc6, 0x04, 0x25}, PROBE_FLAG},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (available >= 4 && !memcmp(code, rows[i].bytes, 4))
			return rows[i].form;
	return PROBE_NONE;
}

uint32_t probe_slot(const struct plan *plan, size_t offset)
{
	const uint8_t *code = plan->code.items + offset;
	/* Where the displacement of each form lies. */
	static const uint8_t offsets[] = {
		[PROBE_NONE] = 0,
		[PROBE_COUNT] = 5,
		[PROBE_COUNT_KEEP_FLAGS] = 5 + 1 + 5,
		[PROBE_FLAG] = 4,
	};
	uint32_t slot;

	memcpy(&slot, code + offsets[probe_at(code, 4)], sizeof(slot));
	return slot - plan->counters_at;
}
