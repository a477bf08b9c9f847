#include "code/calls/gate_forms.h"

#include "code/plan/position.h"
#include "code/plan/request.h"

#include <string.h>

/* Kind of the last bytes of an instruction. */
enum operand {
	NONE,
	SLOT,    /* displacement in the bank of what it counts with, and the addend; or
		    distance to the function's name */
	COUNTER, /* the same, and 1 */
	ROUTINE, /* displacement in the bank of the address that is called */
	TARGET,  /* distance to where the function goes on */
	RETURN,  /* distance from rsp to the return address */
	RETURN_BYTE, /* the same in one byte */
	/* In the call tree, with the addend: */
	TOP,
	FRAMES,
	CALLS,    /* of a node, and 1 */
	LEFT,     /* the same */
	CHILD,    /* where a node has the function as its child */
	FUNCTION, /* a node's function, and this one's displacement to compare it with */
	DEPTH,
	NEAR, /* how near a call is to the one around it */
};

/* Location of the program's registers before an instruction. */
enum state {
	KEPT_R11 = 1,  /* r11 in the word PLAN_KEPT bytes below where rsp was */
	KEPT_BOTH = 2, /* and rax in the one below that */
	KEPT = 3,      /* either */
	PUSHED = 4,    /* rax at rsp, or behind the flags */
	FLAGS = 8,     /* flags at rsp */
};

struct step {
	uint8_t bytes[8];
	uint8_t size;
	uint8_t operand; /* enum operand */
	uint8_t addend;
	uint8_t stack; /* bytes that rsp is down before it */
	uint8_t state; /* before it */
	bool counted;  /* before it */
};

enum { STEPS = 36 };

/* A word below the red zone, -(PLAN_KEPT + more)(%rsp). */
#define BELOW(more) (uint8_t)(-PLAN_KEPT - (more)), 0xff, 0xff, 0xff

/* Bytes that rsp is down there. */
enum { LOW = PLAN_KEPT, LOWER = PLAN_KEPT + 8 };

/* clang-format off */
/* Beginning of gates of call graphs: is the call right below the last frame, on the same
 * stack, and the function one of the children that its node knows? `rest` is the distance
 * to 3, where the resident is asked. */
#define GRAPH_FINDS(rest) \
	/* lea below, %rsp */ \
	{{0x48, 0x8d, 0xa4, 0x24, BELOW(8)}, 8, NONE, 0, 0, 0, false}, \
	/* mov %r11, kept */ \
	{{0x4c, 0x89, 0x5c, 0x24, 8}, 5, NONE, 0, LOWER, 0, false}, \
	/* mov %rax, below that */ \
	{{0x48, 0x89, 0x04, 0x24}, 4, NONE, 0, LOWER, KEPT_R11, false}, \
	/* mov %gs:top, %eax */ \
	{{0x65, 0x8b, 0x04, 0x25}, 4, TOP, 0, LOWER, KEPT_BOTH, false}, \
	/* lea PLAN_KEPT+8(%rsp), %r11, or more */ \
	{{0x4c, 0x8d, 0x9c, 0x24}, 4, RETURN, 0, LOWER, KEPT_BOTH, false}, \
	/* sub %gs:frames(%rax), %r11 */ \
	{{0x65, 0x4c, 0x2b, 0x98}, 4, FRAMES, 0, LOWER, KEPT_BOTH, false}, \
	/* add $near, %r11 */ \
	{{0x49, 0x81, 0xc3}, 3, NEAR, 0, LOWER, KEPT_BOTH, false}, \
	/* jnc 3f */ \
	{{0x0f, 0x83, (rest) + 34, 0, 0, 0}, 6, NONE, 0, LOWER, KEPT_BOTH, false}, \
	/* mov %gs:frames+8(%rax), %r11d */ \
	{{0x65, 0x44, 0x8b, 0x98}, 4, FRAMES, 8, LOWER, KEPT_BOTH, false}, \
	/* mov %gs:nodes+children(%r11), %r11d */ \
	{{0x65, 0x45, 0x8b, 0x9b}, 4, CHILD, 0, LOWER, KEPT_BOTH, false}, \
	/* cmpl $function, %gs:nodes(%r11) */ \
	{{0x65, 0x41, 0x81, 0xbb}, 4, FUNCTION, 0, LOWER, KEPT_BOTH, false}, \
	/* jne 3f */ \
	{{0x0f, 0x85, (rest), 0, 0, 0}, 6, NONE, 0, LOWER, KEPT_BOTH, false},

/* End of gates of call graphs: they count, and go on; or ask. */
#define GRAPH_COUNTS \
	/* addq $1, %gs:nodes+8(%r11) */ \
	{{0x65, 0x49, 0x83, 0x83}, 4, CALLS, 8, LOWER, KEPT_BOTH, false}, \
	/* 2: mov below, %rax */ \
	{{0x48, 0x8b, 0x04, 0x24}, 4, NONE, 0, LOWER, KEPT_BOTH, true}, \
	/* mov kept, %r11 */ \
	{{0x4c, 0x8b, 0x5c, 0x24, 8}, 5, NONE, 0, LOWER, KEPT_R11, true}, \
	/* lea PLAN_KEPT+8(%rsp), %rsp */ \
	{{0x48, 0x8d, 0xa4, 0x24, LOWER, 0, 0, 0}, 8, NONE, 0, LOWER, 0, true}, \
	{{0xe9}, 1, TARGET, 0, 0, 0, true}, /* jmp */ \
	/* 3: lea PLAN_KEPT+8(%rsp), %rax */ \
	{{0x48, 0x8d, 0x84, 0x24}, 4, RETURN, 0, LOWER, KEPT_BOTH, false}, \
	/* mov $function, %r11d */ \
	{{0x41, 0xbb}, 2, SLOT, 0, LOWER, KEPT_BOTH, false}, \
	/* call *%gs:enter, or tally */ \
	{{0x65, 0xff, 0x14, 0x25}, 4, ROUTINE, 0, LOWER, KEPT_BOTH, false}, \
	{{0xeb, (uint8_t)-46}, 2, NONE, 0, LOWER, KEPT_BOTH, true}, /* jmp 2b */

/* GRAPH_FINDS where rax is dead and the return address is at rsp. */
#define FREE_FINDS(rest) \
	/* mov %r11, kept */ \
	{{0x4c, 0x89, 0x9c, 0x24, BELOW(0)}, 8, NONE, 0, 0, 0, false}, \
	/* mov %gs:top, %eax */ \
	{{0x65, 0x8b, 0x04, 0x25}, 4, TOP, 0, 0, KEPT_R11, false}, \
	{{0x49, 0x89, 0xe3}, 3, NONE, 0, 0, KEPT_R11, false}, /* mov %rsp, %r11 */ \
	/* sub %gs:frames(%rax), %r11 */ \
	{{0x65, 0x4c, 0x2b, 0x98}, 4, FRAMES, 0, 0, KEPT_R11, false}, \
	/* add $near, %r11 */ \
	{{0x49, 0x81, 0xc3}, 3, NEAR, 0, 0, KEPT_R11, false}, \
	/* jnc 3f */ \
	{{0x0f, 0x83, (rest) + 34, 0, 0, 0}, 6, NONE, 0, 0, KEPT_R11, false}, \
	/* mov %gs:frames+8(%rax), %r11d */ \
	{{0x65, 0x44, 0x8b, 0x98}, 4, FRAMES, 8, 0, KEPT_R11, false}, \
	/* mov %gs:nodes+children(%r11), %r11d */ \
	{{0x65, 0x45, 0x8b, 0x9b}, 4, CHILD, 0, 0, KEPT_R11, false}, \
	/* cmpl $function, %gs:nodes(%r11) */ \
	{{0x65, 0x41, 0x81, 0xbb}, 4, FUNCTION, 0, 0, KEPT_R11, false}, \
	/* jne 3f */ \
	{{0x0f, 0x85, (rest), 0, 0, 0}, 6, NONE, 0, 0, KEPT_R11, false},

#define FREE_COUNTS \
	/* addq $1, %gs:nodes+8(%r11) */ \
	{{0x65, 0x49, 0x83, 0x83}, 4, CALLS, 8, 0, KEPT_R11, false}, \
	/* 2: mov kept, %r11 */ \
	{{0x4c, 0x8b, 0x9c, 0x24, BELOW(0)}, 8, NONE, 0, 0, KEPT_R11, true}, \
	{{0xe9}, 1, TARGET, 0, 0, 0, true}, /* jmp */ \
	/* 3: lea below, %rsp */ \
	{{0x48, 0x8d, 0xa4, 0x24, BELOW(8)}, 8, NONE, 0, 0, KEPT_R11, false}, \
	/* lea PLAN_KEPT+8(%rsp), %rax */ \
	{{0x48, 0x8d, 0x84, 0x24}, 4, RETURN, 0, LOWER, KEPT_R11, false}, \
	/* mov $function, %r11d */ \
	{{0x41, 0xbb}, 2, SLOT, 0, LOWER, KEPT_R11, false}, \
	/* call *%gs:enter, or tally */ \
	{{0x65, 0xff, 0x14, 0x25}, 4, ROUTINE, 0, LOWER, KEPT_R11, false}, \
	/* lea PLAN_KEPT+8(%rsp), %rsp */ \
	{{0x48, 0x8d, 0xa4, 0x24, LOWER, 0, 0, 0}, 8, NONE, 0, LOWER, KEPT_R11, true}, \
	{{0xeb, (uint8_t)-53}, 2, NONE, 0, 0, KEPT_R11, true}, /* jmp 2b */

/* The last step is empty. */
static const struct step forms[GATE_FORMS][STEPS] = {
	[GATE_CELL] = {
		/* mov %r11, kept */
		{{0x4c, 0x89, 0x9c, 0x24, BELOW(0)}, 8, NONE, 0, 0, 0, false},
		/* movzbl 0(%rsp), %r11d, or more */
		{{0x44, 0x0f, 0xb6, 0x5c, 0x24}, 5, RETURN_BYTE, 0, 0, KEPT_R11, false},
		/* and $PLAN_CELL_MASK, %r11d */
		{{0x41, 0x81, 0xe3, PLAN_CELL_MASK, 0, 0, 0}, 7, NONE, 0, 0, KEPT_R11, false},
		/* mov %gs:cells(%r11), %r11 */
		{{0x65, 0x4d, 0x8b, 0x9b}, 4, SLOT, 0, 0, KEPT_R11, false},
		/* cmp %r11, 0(%rsp) */
		{{0x4c, 0x39, 0x5c, 0x24}, 4, RETURN_BYTE, 0, 0, KEPT_R11, false},
		{{0x75, 38}, 2, NONE, 0, 0, KEPT_R11, false}, /* jne 3f */
		/* and $PLAN_CELL_MASK, %r11d */
		{{0x41, 0x81, 0xe3, PLAN_CELL_MASK, 0, 0, 0}, 7, NONE, 0, 0, KEPT_R11, false},
		/* mov %gs:cells+8(%r11), %r11 */
		{{0x65, 0x4d, 0x8b, 0x9b}, 4, SLOT, 8, 0, KEPT_R11, false},
		{{0x4d, 0x85, 0xdb}, 3, NONE, 0, 0, KEPT_R11, false}, /* test %r11, %r11 */
		{{0x74, 18}, 2, NONE, 0, 0, KEPT_R11, false}, /* jz 3f */
		/* addq $1, %gs:(%r11) */
		{{0x65, 0x49, 0x83, 0x03, 1}, 5, NONE, 0, 0, KEPT_R11, false},
		/* 2: mov kept, %r11 */
		{{0x4c, 0x8b, 0x9c, 0x24, BELOW(0)}, 8, NONE, 0, 0, KEPT_R11, true},
		{{0xe9}, 1, TARGET, 0, 0, 0, true}, /* jmp */
		/* 3: mov 0(%rsp), %r11 */
		{{0x4c, 0x8b, 0x5c, 0x24}, 4, RETURN_BYTE, 0, 0, KEPT_R11, false},
		/* lea kept, %rsp */
		{{0x48, 0x8d, 0xa4, 0x24, BELOW(0)}, 8, NONE, 0, 0, KEPT_R11, false},
		/* call *%gs:arc */
		{{0x65, 0xff, 0x14, 0x25}, 4, ROUTINE, 0, LOW, KEPT_R11, false},
		/* mov $cells, %r11d */
		{{0x41, 0xbb}, 2, SLOT, 0, LOW, KEPT_R11, true},
		/* lea PLAN_KEPT(%rsp), %rsp */
		{{0x48, 0x8d, 0xa4, 0x24, LOW, 0, 0, 0}, 8, NONE, 0, LOW, KEPT_R11, true},
		{{0xeb, (uint8_t)-50}, 2, NONE, 0, 0, KEPT_R11, true}, /* jmp 2b */
	},
	[GATE_KEEP_FLAGS] = {
		/* mov %r11, kept */
		{{0x4c, 0x89, 0x9c, 0x24, BELOW(0)}, 8, NONE, 0, 0, 0, false},
		/* lea kept, %rsp */
		{{0x48, 0x8d, 0xa4, 0x24, BELOW(0)}, 8, NONE, 0, 0, KEPT_R11, false},
		{{0x9c}, 1, NONE, 0, LOW, KEPT_R11, false}, /* pushfq */
		/* mov PLAN_KEPT+8(%rsp), %r11 */
		{{0x4c, 0x8b, 0x9c, 0x24}, 4, RETURN, 0, LOWER, KEPT_R11 | FLAGS, false},
		/* call *%gs:arc */
		{{0x65, 0xff, 0x14, 0x25}, 4, ROUTINE, 0, LOWER, KEPT_R11 | FLAGS, false},
		/* mov $cells, %r11d */
		{{0x41, 0xbb}, 2, SLOT, 0, LOWER, KEPT_R11 | FLAGS, true},
		{{0x9d}, 1, NONE, 0, LOWER, KEPT_R11 | FLAGS, true}, /* popfq */
		/* lea PLAN_KEPT(%rsp), %rsp */
		{{0x48, 0x8d, 0xa4, 0x24, LOW, 0, 0, 0}, 8, NONE, 0, LOW, KEPT_R11, true},
		/* mov kept, %r11 */
		{{0x4c, 0x8b, 0x9c, 0x24, BELOW(0)}, 8, NONE, 0, 0, KEPT_R11, true},
		{{0xe9}, 1, TARGET, 0, 0, 0, true}, /* jmp */
	},
	/* rsp stays lowered: rax may be alive, and with the tracer dead signals may
	 * overwrite anything below the red zone. If the node is found at once the call is
	 * counted here, and else by the resident. A call is not timed while calls remain
	 * until the next timed one. The frame counts once `top` leads to it. */
	[GATE_GRAPH] = {
		GRAPH_FINDS(101)
		/* addl $1, %gs:nodes+left(%r11) */
		{{0x65, 0x41, 0x83, 0x83}, 4, LEFT, 0, LOWER, KEPT_BOTH, false},
		/* jns 3f */
		{{0x0f, 0x89, 86, 0, 0, 0}, 6, NONE, 0, LOWER, KEPT_BOTH, false},
		{{0x3d}, 1, DEPTH, 0, LOWER, KEPT_BOTH, false}, /* cmp $depth, %eax */
		/* jae 3f */
		{{0x0f, 0x83, 75, 0, 0, 0}, 6, NONE, 0, LOWER, KEPT_BOTH, false},
		/* mov %r11, %gs:frames+24(%rax) */
		{{0x65, 0x4c, 0x89, 0x98}, 4, FRAMES, 24, LOWER, KEPT_BOTH, false},
		/* lea PLAN_KEPT+8(%rsp), %r11, or more */
		{{0x4c, 0x8d, 0x9c, 0x24}, 4, RETURN, 0, LOWER, KEPT_BOTH, false},
		/* mov %r11, %gs:frames+16(%rax) */
		{{0x65, 0x4c, 0x89, 0x98}, 4, FRAMES, 16, LOWER, KEPT_BOTH, false},
		/* mov %gs:frames+24(%rax), %r11d */
		{{0x65, 0x44, 0x8b, 0x98}, 4, FRAMES, 24, LOWER, KEPT_BOTH, false},
		/* add $16, %eax */
		{{0x83, 0xc0, 16}, 3, NONE, 0, LOWER, KEPT_BOTH, false},
		/* mov %rax, %gs:top */
		{{0x65, 0x48, 0x89, 0x04, 0x25}, 5, TOP, 0, LOWER, KEPT_BOTH, false},
		GRAPH_COUNTS
	},
	[GATE_GRAPH_FREE] = {
		FREE_FINDS(76)
		/* addl $1, %gs:nodes+left(%r11) */
		{{0x65, 0x41, 0x83, 0x83}, 4, LEFT, 0, 0, KEPT_R11, false},
		/* jns 3f */
		{{0x0f, 0x89, 61, 0, 0, 0}, 6, NONE, 0, 0, KEPT_R11, false},
		{{0x3d}, 1, DEPTH, 0, 0, KEPT_R11, false}, /* cmp $depth, %eax */
		/* jae 3f */
		{{0x0f, 0x83, 50, 0, 0, 0}, 6, NONE, 0, 0, KEPT_R11, false},
		/* mov %r11, %gs:frames+24(%rax) */
		{{0x65, 0x4c, 0x89, 0x98}, 4, FRAMES, 24, 0, KEPT_R11, false},
		/* mov %rsp, %gs:frames+16(%rax) */
		{{0x65, 0x48, 0x89, 0xa0}, 4, FRAMES, 16, 0, KEPT_R11, false},
		/* add $16, %eax */
		{{0x83, 0xc0, 16}, 3, NONE, 0, 0, KEPT_R11, false},
		/* mov %rax, %gs:top */
		{{0x65, 0x48, 0x89, 0x04, 0x25}, 5, TOP, 0, 0, KEPT_R11, false},
		FREE_COUNTS
	},
	[GATE_TALLY_FREE] = {
		FREE_FINDS(22)
		FREE_COUNTS
	},
	[GATE_GRAPH_KEEP_FLAGS] = {
		/* mov %r11, kept */
		{{0x4c, 0x89, 0x9c, 0x24, BELOW(0)}, 8, NONE, 0, 0, 0, false},
		/* lea below, %rsp */
		{{0x48, 0x8d, 0xa4, 0x24, BELOW(8)}, 8, NONE, 0, 0, KEPT_R11, false},
		/* mov %rax, below */
		{{0x48, 0x89, 0x04, 0x24}, 4, NONE, 0, LOWER, KEPT_R11, false},
		{{0x9c}, 1, NONE, 0, LOWER, KEPT_BOTH, false}, /* pushfq */
		/* lea PLAN_KEPT+16(%rsp), %rax, or more */
		{{0x48, 0x8d, 0x84, 0x24}, 4, RETURN, 0, LOWER + 8, KEPT_BOTH | FLAGS, false},
		/* mov $function, %r11d */
		{{0x41, 0xbb}, 2, SLOT, 0, LOWER + 8, KEPT_BOTH | FLAGS, false},
		/* call *%gs:enter */
		{{0x65, 0xff, 0x14, 0x25}, 4, ROUTINE, 0, LOWER + 8, KEPT_BOTH | FLAGS, false},
		{{0x9d}, 1, NONE, 0, LOWER + 8, KEPT_BOTH | FLAGS, true}, /* popfq */
		/* mov below, %rax */
		{{0x48, 0x8b, 0x04, 0x24}, 4, NONE, 0, LOWER, KEPT_BOTH, true},
		/* mov kept, %r11 */
		{{0x4c, 0x8b, 0x5c, 0x24, 8}, 5, NONE, 0, LOWER, KEPT_R11, true},
		/* lea PLAN_KEPT+8(%rsp), %rsp */
		{{0x48, 0x8d, 0xa4, 0x24, LOWER, 0, 0, 0}, 8, NONE, 0, LOWER, 0, true},
		{{0xe9}, 1, TARGET, 0, 0, 0, true}, /* jmp */
	},
	[GATE_PASS] = {
		{{0xe9}, 1, TARGET, 0, 0, 0, false}, /* jmp */
	},
	[GATE_PLAIN] = {
		/* addq $1, %gs:slot */
		{{0x65, 0x48, 0x83, 4, 0x25}, 5, COUNTER, 0, 0, 0, false},
		{{0xe9}, 1, TARGET, 0, 0, 0, true}, /* jmp */
	},
	[GATE_SPAN] = {
		/* lea -128(%rsp), %rsp */
		{{0x48, 0x8d, 0x64, 0x24, 0x80}, 5, NONE, 0, 0, 0, false},
		{{0x50}, 1, NONE, 0, 128, 0, false}, /* push %rax */
		{{0x9c}, 1, NONE, 0, 136, PUSHED, false}, /* pushfq */
		/* lea 144(%rsp), %rax, or more */
		{{0x48, 0x8d, 0x84, 0x24}, 4, RETURN, 0, 144, PUSHED | FLAGS, false},
		/* call *%gs:span_begin */
		{{0x65, 0xff, 0x14, 0x25}, 4, ROUTINE, 0, 144, PUSHED | FLAGS, false},
		{{0xb8}, 1, SLOT, 0, 144, PUSHED | FLAGS, true}, /* mov $name, %eax */
		{{0x9d}, 1, NONE, 0, 144, PUSHED | FLAGS, true}, /* popfq */
		{{0x58}, 1, NONE, 0, 136, PUSHED, true}, /* pop %rax */
		/* lea 128(%rsp), %rsp */
		{{0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0}, 8, NONE, 0, 128, 0, true},
		{{0xe9}, 1, TARGET, 0, 0, 0, true}, /* jmp */
	},
	[GATE_TALLY] = {
		GRAPH_FINDS(31)
		GRAPH_COUNTS
	},
};
/* clang-format on */

static void emit_graph_operand(struct emitter *emitter, const struct step *step,
			       const struct gate *gate)
{
	static const struct plan_graph_layout none;
	const struct plan_graph_layout *graph = gate->graph ? gate->graph : &none;
	uint32_t child = gate->number % PLAN_GRAPH_CHILDREN * sizeof(uint32_t);
	const uint32_t places[] = {
		[TOP] = graph->top,
		[FRAMES] = graph->frames,
		[CALLS] = graph->nodes,
		[LEFT] = graph->nodes + graph->left,
		[CHILD] = graph->nodes + graph->children + child,
		[FUNCTION] = graph->nodes,
		[DEPTH] = graph->depth,
		[NEAR] = graph->near,
	};

	emit_word32(emitter, places[step->operand] + step->addend);
	if (step->operand == FUNCTION)
		emit_slot(emitter, gate->slot);
}

static void emit_operand(struct emitter *emitter, const struct step *step,
			 const struct gate *gate)
{
	switch ((enum operand)step->operand) {
	case NONE:
		break;
	case SLOT:
	case COUNTER:
		if (gate->name)
			emit_relative(emitter, gate->name, 0);
		else
			emit_slot(emitter, gate->slot + step->addend);
		break;
	case ROUTINE:
		emit_word32(emitter, gate->routine);
		break;
	case TARGET:
		emit_relative(emitter, gate->target, 0);
		break;
	case RETURN:
		emit_word32(emitter, step->stack + gate->depth + step->addend);
		break;
	case RETURN_BYTE:
		emit_byte(emitter, (uint8_t)gate->depth);
		break;
	default:
		emit_graph_operand(emitter, step, gate);
		break;
	}
}

/* The addend lies behind the operand. */
static bool adds_one(const struct step *step)
{
	return step->operand == COUNTER || step->operand == CALLS ||
	       step->operand == LEFT;
}

void gate_emit(struct emitter *emitter, const struct gate *gate)
{
	for (const struct step *step = forms[gate->form]; step->size; step++) {
		emit_mark(emitter, (struct emit_mark){
					   .kind = step->counted ? PLAN_POSITION_START
								 : PLAN_POSITION_PROBE,
					   .original = gate->original,
					   .stack = step->stack,
					   .kept = step->state & KEPT,
					   .pushed = step->state & PUSHED,
					   .flags = step->state & FLAGS,
				   });
		emit_bytes(emitter, step->bytes, step->size);
		emit_operand(emitter, step, gate);
		if (adds_one(step))
			emit_byte(emitter, 1);
	}
}

/* Up to the first operand. */
static bool begins_with(const uint8_t *code, enum gate_form form)
{
	for (const struct step *step = forms[form]; step->size; step++) {
		if (memcmp(code, step->bytes, step->size))
			return false;
		if (step->operand)
			break;
		code += step->size;
	}
	return true;
}

enum gate_form gate_form_at(const uint8_t *code, bool returns)
{
	enum gate_form form = 0;

	while (form < GATE_PLAIN && !begins_with(code, form))
		form++;
	if (!returns && form == GATE_GRAPH)
		return GATE_TALLY;
	if (!returns && form == GATE_GRAPH_FREE)
		return GATE_TALLY_FREE;
	return form;
}

uint32_t gate_depth(const uint8_t *code)
{
	const struct gate gate = {.form = gate_form_at(code, true)};
	const struct step *step = forms[gate.form];
	struct emit_marks marks = {.count = 0};
	uint8_t scratch[STEPS * sizeof(step->bytes)];
	struct emitter emitter = {
		.code = scratch, .capacity = sizeof(scratch), .marks = &marks};
	uint32_t i = 0, distance;

	gate_emit(&emitter, &gate);
	while (step[i].operand != RETURN)
		i++;
	memcpy(&distance, code + marks.items[i].offset + step[i].size, sizeof(distance));
	return distance - step[i].stack - step[i].addend;
}
