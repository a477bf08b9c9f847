#include "code/emit/probe.h"

#include "base/array.h"
#include "code/plan/position.h"
#include "code/plan/request.h"
#include "x86/flags.h"

#include <string.h>

static void mark_probe(struct emitter *emitter, enum plan_position_kind kind,
		       uint64_t original)
{
	emit_mark(emitter,
		  (struct emit_mark){.kind = (uint8_t)kind, .original = original});
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

	for (size_t i = 0; i < array_count(steps); i++) {
		/* The caller marked the first. */
		if (i)
			emit_mark(emitter,
				  (struct emit_mark){
					  .kind = steps[i].counted ? PLAN_POSITION_HOOK
								   : PLAN_POSITION_PROBE,
					  .original = original,
					  .stack = steps[i].stack,
					  .pushed = steps[i].pushed,
				  });
		emit_bytes(emitter, steps[i].bytes, steps[i].size);
		if (steps[i].slot)
			emit_slot(emitter, slot);
	}
}

/* Calls the resident, with where the return address lies in rax: see resident.S. It does
 * no harm to do it twice, or never. */
static void emit_leave(struct emitter *emitter, uint32_t word, uint64_t original,
		       bool keep_flags)
{
	static const struct {
		uint8_t bytes[8];
		uint8_t size;
		bool word;
		uint8_t stack; /* bytes that rsp is down before it */
		uint8_t words; /* that are pushed: rax, and flags */
	} forms[2][8] = {
		{
			{{0x48, 0x83, 0xc4, 0x80}, 4, false, 0, 0}, /* add $-128, %rsp */
			{{0x50}, 1, false, 128, 0},                 /* push %rax */
			/* lea 136(%rsp), %rax */
			{{0x48, 0x8d, 0x84, 0x24, 136, 0, 0, 0}, 8, false, 136, 1},
			{{0x65, 0xff, 0x14, 0x25}, 4, true, 136, 1},  /* call *%gs:word */
			{{0x58}, 1, false, 136, 1},                   /* pop %rax */
			{{0x48, 0x83, 0xec, 0x80}, 4, false, 128, 0}, /* sub $-128, %rsp
								       */
		},
		{
			/* lea -128(%rsp), %rsp */
			{{0x48, 0x8d, 0xa4, 0x24, 0x80, 0xff, 0xff, 0xff},
			 8,
			 false,
			 0,
			 0},
			{{0x50}, 1, false, 128, 0},
			{{0x9c}, 1, false, 136, 1}, /* pushfq */
			{{0x48, 0x8d, 0x84, 0x24, 144, 0, 0, 0}, 8, false, 144, 2},
			{{0x65, 0xff, 0x14, 0x25}, 4, true, 144, 2},
			{{0x9d}, 1, false, 144, 2}, /* popfq */
			{{0x58}, 1, false, 136, 1},
			/* lea 128(%rsp), %rsp */
			{{0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0}, 8, false, 128, 0},
		},
	};

	for (size_t i = 0; i < 8 && forms[keep_flags][i].size; i++) {
		/* The caller marked the first. */
		if (i)
			emit_mark(emitter,
				  (struct emit_mark){
					  .kind = PLAN_POSITION_PROBE,
					  .original = original,
					  .stack = forms[keep_flags][i].stack,
					  .pushed = forms[keep_flags][i].words > 0,
					  .flags = forms[keep_flags][i].words > 1,
				  });
		emit_bytes(emitter, forms[keep_flags][i].bytes,
			   forms[keep_flags][i].size);
		if (forms[keep_flags][i].word)
			emit_word32(emitter, word);
	}
}

/*
 * `place` of the innermost frame (struct wire_graph_frame) is the address of the return
 * address if it is this call's and the call is not timed. r11 is kept below the red zone,
 * as in gates. `top` is written, not decremented in memory: with the tracer dead, another
 * thread that shares the tree may have done that.
 */
void probe_emit_return(struct emitter *emitter, const struct plan_hook_layout *layout,
		       uint64_t original)
{
	enum { LOW = PLAN_KEPT + 8, MINUS = (uint8_t)-PLAN_KEPT, ALL = 0xff };
	const struct {
		uint8_t bytes[8];
		uint8_t size;
		uint8_t stack; /* bytes that rsp is down before it */
		uint8_t kept;  /* registers: r11, rax */
		const uint32_t *word;
	} steps[] = {
		/* mov %r11, -PLAN_KEPT(%rsp) */
		{{0x4c, 0x89, 0x9c, 0x24, MINUS, ALL, ALL, ALL}, 8, 0, 0, NULL},
		/* mov %gs:top, %r11d */
		{{0x65, 0x44, 0x8b, 0x1c, 0x25}, 5, 0, 1, &layout->graph.top},
		/* cmp %rsp, %gs:frames(%r11) */
		{{0x65, 0x49, 0x39, 0xa3}, 4, 0, 1, &layout->graph.frames},
		{{0x74, 42}, 2, 0, 1, NULL}, /* je 1f */
		/* lea -LOW(%rsp), %rsp */
		{{0x48, 0x8d, 0xa4, 0x24, MINUS - 8, ALL, ALL, ALL}, 8, 0, 1, NULL},
		{{0x48, 0x89, 0x04, 0x24}, 4, LOW, 1, NULL}, /* mov %rax, (%rsp) */
		/* lea LOW(%rsp), %rax */
		{{0x48, 0x8d, 0x84, 0x24, LOW}, 8, LOW, 2, NULL},
		{{0x65, 0xff, 0x14, 0x25}, 4, LOW, 2, &layout->leave},
		{{0x48, 0x8b, 0x04, 0x24}, 4, LOW, 2, NULL}, /* mov (%rsp), %rax */
		/* lea LOW(%rsp), %rsp */
		{{0x48, 0x8d, 0xa4, 0x24, LOW}, 8, LOW, 1, NULL},
		{{0xeb, 13}, 2, 0, 1, NULL}, /* jmp 2f */
		/* 1: sub $16, %r11d */
		{{0x41, 0x83, 0xeb, 16}, 4, 0, 1, NULL},
		/* mov %r11, %gs:top */
		{{0x65, 0x4c, 0x89, 0x1c, 0x25}, 5, 0, 1, &layout->graph.top},
		/* 2: mov -PLAN_KEPT(%rsp), %r11 */
		{{0x4c, 0x8b, 0x9c, 0x24, MINUS, ALL, ALL, ALL}, 8, 0, 1, NULL},
	};

	for (size_t i = 0; i < array_count(steps); i++) {
		emit_mark(emitter, (struct emit_mark){
					   .kind = PLAN_POSITION_PROBE,
					   .original = original,
					   .stack = steps[i].stack,
					   .kept = steps[i].kept,
				   });
		emit_bytes(emitter, steps[i].bytes, steps[i].size);
		if (steps[i].word)
			emit_word32(emitter, *steps[i].word);
	}
}

enum probe_form probe_beside(uint8_t live)
{
	if (live & ~FLAGS_CARRY)
		return PROBE_COUNT_KEEP_FLAGS;
	return live ? PROBE_COUNT_KEEP_CARRY : PROBE_COUNT;
}

void probe_emit(struct emitter *emitter, enum probe_form form, uint32_t slot,
		uint64_t original, enum plan_position_kind kind)
{
	static const uint8_t addition[] = {0x65, 0x48, 0x83, 0x04, 0x25};
	static const uint8_t increment[] = {0x65, 0x48, 0xff, 0x04, 0x25};
	static const uint8_t set[] = {0x65, 0xc6, 0x04, 0x25};

	static const struct plan_hook_layout unknown;

	if (form == PROBE_NONE)
		return;
	if (form == PROBE_RETURN) {
		probe_emit_return(emitter, &unknown, original);
		return;
	}
	mark_probe(emitter, kind, original);
	switch (form) {
	case PROBE_COUNT:
		emit_bytes(emitter, addition, sizeof(addition));
		emit_slot(emitter, slot);
		emit_byte(emitter, 1);
		break;
	case PROBE_COUNT_KEEP_CARRY:
		emit_bytes(emitter, increment, sizeof(increment));
		emit_slot(emitter, slot);
		break;
	case PROBE_FLAG:
		emit_bytes(emitter, set, sizeof(set));
		emit_slot(emitter, slot);
		emit_byte(emitter, 1);
		break;
	case PROBE_LEAVE:
	case PROBE_LEAVE_KEEP_FLAGS:
		emit_leave(emitter, slot, original, form == PROBE_LEAVE_KEEP_FLAGS);
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
		{{0x65, 0x48, 0x83, 0x04}, PROBE_COUNT},
		{{0x65, 0x48, 0xff, 0x04}, PROBE_COUNT_KEEP_CARRY},
		{{0x48, 0x8d, 0x64, 0x24}, PROBE_COUNT_KEEP_FLAGS},
		{{0x65, 0xc6, 0x04, 0x25}, PROBE_FLAG},
		{{0x48, 0x83, 0xc4, 0x80}, PROBE_LEAVE},
		{{0x48, 0x8d, 0xa4, 0x24}, PROBE_LEAVE_KEEP_FLAGS},
		{{0x4c, 0x89, 0x9c, 0x24}, PROBE_RETURN},
	};

	for (size_t i = 0; i < array_count(rows); i++)
		if (available >= 4 && !memcmp(code, rows[i].bytes, 4))
			return rows[i].form;
	return PROBE_NONE;
}

/* nopw displacement(...), of equal length: the first byte of the counter's displacement
 * is the SIB byte, and the rest, with the addend, the displacement. */
static const uint8_t omitted[PROBE_COUNT_SLOT] = {0x66, 0x2e, 0x0f, 0x1f, 0x84};

void probe_omit(uint8_t *code)
{
	memcpy(code, omitted, sizeof(omitted));
}

/* Of equal length, as above. */
bool probe_set_fired(uint8_t *code, bool fired)
{
	static const uint8_t forms[2][PROBE_FLAG_SLOT] = {
		{0x65, 0xc6, 0x04, 0x25}, /* movb $1, %gs:slot */
		{0x65, 0x0f, 0x1f, 0x84}, /* nopl %gs:slot(...) */
	};

	if (memcmp(code, forms[!fired], PROBE_FLAG_SLOT))
		return false;
	memcpy(code, forms[fired], PROBE_FLAG_SLOT);
	return true;
}

bool probe_is_of_call(const uint8_t *code, size_t size)
{
	enum { CALL = 0xe8, LENGTH = 5 };

	return size == PROBE_COUNT_SIZE + LENGTH && code[PROBE_COUNT_SIZE] == CALL &&
	       (probe_at(code, size) == PROBE_COUNT ||
		!memcmp(code, omitted, sizeof(omitted)));
}

uint32_t probe_slot(const struct plan *plan, size_t offset)
{
	const uint8_t *code = plan->code.items + offset;
	/* Offset of the displacement in each form. */
	static const uint8_t offsets[] = {
		[PROBE_NONE] = 0,
		[PROBE_COUNT] = PROBE_COUNT_SLOT,
		[PROBE_COUNT_KEEP_CARRY] = PROBE_COUNT_SLOT,
		[PROBE_COUNT_KEEP_FLAGS] = 5 + 1 + 5,
		[PROBE_FLAG] = PROBE_FLAG_SLOT,
	};
	enum probe_form form = probe_at(code, 4);
	uint32_t slot;

	if (form >= PROBE_LEAVE)
		return PLAN_NO_SLOT;
	memcpy(&slot, code + offsets[form], sizeof(slot));
	return slot - plan->counters_at;
}
