/*
 * Which view of its bank a thread counts in. A table has the view of each node of the
 * thread's tree; what is not in it is asked of the tracer, once. The resident's routine
 * changes the view, since a thread may get another bank at any moment: then that has
 * another generation, and the table is made anew.
 *
 * This is built without vector registers, and calls nothing that may use them: see
 * events/spans_fast.c.
 */
#include "runtime/events/phases.h"

#include "runtime/events/classes.h"
#include "runtime/store/attributes.h"
#include "runtime/store/memory.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"
#include "wire/bank.h"
#include "wire/phase.h"
#include "wire/phase_names.h"

#include <errno.h>

enum {
	FIRST_ROWS = 4096 / sizeof(uint64_t), /* of a table */
	BY_CLASS =
		1, /* in the table: the view of a node is that of an iteration's class */
};

/* Views by nodes; 0: not known yet. */
struct views {
	uint64_t *items;
	uint32_t rows;
};

typedef int phase_change(uint64_t unused, uint64_t also_unused, uint64_t view,
			 uint64_t unused_too, uint32_t generation);

static runtime_local struct {
	bool on;
	bool allowed;        /* its bank of now has views */
	uint32_t generation; /* of the views in the table */
	phase_change *change;
	uint64_t view;  /* in which it counts */
	uint64_t other; /* for phases without one of their own; 0: not known yet */
	struct wire_phase_names *names; /* of its bank; NULL: none yet */
	struct views views;
	struct views *classed; /* by class, of nodes in loops that have classes; NULL:
				  there are none */
	char *text;            /* WIRE_PHASE_TEXT bytes */
	bool has_long;         /* it was in a path that needs more */
} phases;

static uint32_t generation_now(void)
{
	uint32_t generation;

	__asm__ volatile("movl %%gs:%c1, %0"
			 : "=r"(generation)
			 : "i"(WIRE_BANK_GENERATION));
	return generation;
}

static struct wire_bank *bank_now(void)
{
	struct wire_bank *bank;

	__asm__ volatile("movq %%gs:%c1, %0" : "=r"(bank) : "i"(WIRE_BANK_SELF));
	return bank;
}

/* The tracer sees each call of it, and answers before it begins: see WIRE_HOOK_PHASE. */
__attribute__((visibility("default"), noinline)) void
trm_phase_find(struct wire_phase *phase);

void trm_phase_find(struct wire_phase *phase)
{
	__asm__ volatile("nopw 0(%%rax,%%rax)" : : "r"(phase) : "memory");
}

static void forget_views(struct views *views)
{
	for (uint32_t i = 0; i < views->rows; i++)
		views->items[i] = 0;
}

static void begin_bank(const struct context_thread *thread)
{
	struct wire_bank *bank = bank_now();

	phases.generation = bank->generation;
	phases.allowed = bank->phases &&
			 (!bank->phases_of || bank->phases_of == (uintptr_t)thread);
	if (phases.allowed)
		bank->phases_of = (uintptr_t)thread;
	phases.change = (phase_change *)(uintptr_t)bank->phase;
	phases.view = bank->view ? bank->view : bank->self;
	phases.names = (struct wire_phase_names *)(uintptr_t)bank->phase_names;
	phases.other = phases.names ? phases.names->other : 0;
	forget_views(&phases.views);
	for (uint32_t i = 0; phases.classed && i < classes_count(); i++)
		forget_views(&phases.classed[i]);
}

/* Without memory for the table each change asks. */
static void keep_in(struct views *views, uint32_t number, uint64_t view)
{
	uint32_t rows = views->rows ? views->rows : FIRST_ROWS;
	uint64_t *items;

	while (number >= rows)
		rows *= 2;
	if (rows > views->rows) {
		items = runtime_map(rows * sizeof(*items));
		if (!items)
			return;
		for (uint32_t i = 0; i < views->rows; i++)
			items[i] = views->items[i];
		runtime_unmap(views->items, views->rows * sizeof(*items));
		views->items = items;
		views->rows = rows;
	}
	views->items[number] = view;
}

static inline uint64_t view_in(const struct views *views, uint32_t number)
{
	return number < views->rows ? views->items[number] : 0;
}

/* Whether a node is in a loop whose iterations have classes. */
static bool has_class(const struct context_node *node)
{
	for (; node->parent; node = node->parent)
		if (classes_rule_of(node) < CLASSES_RULES)
			return true;
	return false;
}

static void keep_view(const struct context_node *node, uint64_t view)
{
	if (!classes_count() || !has_class(node)) {
		keep_in(&phases.views, node->number, view);
		return;
	}
	if (!phases.classed)
		phases.classed = runtime_map(classes_count() * sizeof(*phases.classed));
	if (!phases.classed)
		return;
	keep_in(&phases.views, node->number, BY_CLASS);
	keep_in(&phases.classed[classes_now()], node->number, view);
}

static uint64_t known_view(const struct context_node *node)
{
	const uint64_t view = view_in(&phases.views, node->number);

	return view == BY_CLASS ? view_in(&phases.classed[classes_now()], node->number)
				: view;
}

static bool is_phase(const struct context_node *node)
{
	const struct context_attribute *attribute = attributes_get(node->attribute);

	return attribute && attribute->properties & TRM_NESTED &&
	       !(attribute->properties & TRM_HIDDEN);
}

/* Texts are written from their end on, at `at` bytes from the buffer's start. */
static size_t add_byte(size_t at, char byte)
{
	if (at)
		phases.text[--at] = byte;
	return at;
}

static size_t add_bytes(size_t at, const char *bytes, size_t size)
{
	while (size--)
		at = add_byte(at, bytes[size]);
	return at;
}

static size_t add_number(size_t at, uint64_t number, unsigned base)
{
	do
		at = add_byte(at, "0123456789abcdef"[number % base]);
	while (number /= base);
	return at;
}

/* As profiles have values: record/value.h. */
static size_t add_value(size_t at, uint32_t type, uint64_t bits)
{
	const struct context_string *string;

	switch (type) {
	case TRM_TYPE_STRING:
		string = strings_at(bits);
		return add_bytes(at, string->bytes, string->size);
	case TRM_TYPE_INT:
		if ((int64_t)bits >= 0)
			return add_number(at, bits, 10);
		return add_byte(add_number(at, -bits, 10), '-');
	case TRM_TYPE_BOOL:
		return bits ? add_bytes(at, "true", 4) : add_bytes(at, "false", 5);
	case TRM_TYPE_UINT:
		return add_number(at, bits, 10);
	default:
		return add_bytes(add_number(at, bits, 16), "0x", 2);
	}
}

/* Of a loop whose iterations have classes: "timestep%10=3". */
static size_t add_class(size_t at, const struct context_node *node)
{
	const uint32_t rule = classes_rule_of(node);
	uint32_t modulus, class;

	if (rule == CLASSES_RULES || !classes_are(rule, &modulus, &class))
		return at;
	at = add_byte(add_number(at, class, 10), '=');
	return add_byte(add_number(at, modulus, 10), '%');
}

/* Where the path of a node begins in the buffer, "main/solve"; 0: it is too long. */
static size_t write_path(const struct context_node *node)
{
	size_t at = WIRE_PHASE_TEXT;

	for (; at && node->parent; node = node->parent) {
		if (!is_phase(node))
			continue;
		if (at < WIRE_PHASE_TEXT)
			at = add_byte(at, '/');
		at = add_class(at, node);
		at = add_value(at, attributes_get(node->attribute)->type, node->value);
	}
	return at;
}

/* The view of a path that needs no tracer: known, or taken now. 0: there is none. */
static uint64_t take_view(const char *text, uint64_t size)
{
	struct wire_phase_names *names = phases.names;
	uint64_t view;

	if (!names)
		return 0;
	view = phase_names_find(names, text, size);
	if (view)
		return view;
	if (names->next >= names->end)
		return names->full ? names->other : 0;
	view = names->next;
	if (!phase_names_add(names, view, text, size))
		return 0;
	names->next += names->stride;
	return view;
}

/* Asks the tracer if need be; 0: it has no view. */
static uint64_t ask_view(const struct context_node *node)
{
	struct wire_phase phase = {0};
	size_t at = 0;

	if (phases.text)
		at = write_path(node);
	if (at)
		phase.view = take_view(phases.text + at, WIRE_PHASE_TEXT - at);
	if (phase.view)
		return phase.view;
	/* Paths that are too long have none, which is told once. */
	if (!at && phases.other && phases.has_long)
		return phases.other;
	phases.has_long |= !at;
	phase.known = at != 0;
	phase.text = (uintptr_t)phases.text + at;
	phase.size = WIRE_PHASE_TEXT - at;
	trm_phase_find(&phase);
	if (phase.other)
		phases.other = phase.other;
	phases.names = (struct wire_phase_names *)(uintptr_t)bank_now()->phase_names;
	return phase.view;
}

/* The view of a node that is not in the table. Nobody answers under a filter of system
 * calls, or if the tracer is gone: then it is one of those without a view. */
static uint64_t find_view(const struct context_node *node)
{
	const struct context_node *of = node;
	uint64_t view;

	while (of->parent && !is_phase(of))
		of = of->parent;
	view = of != node ? known_view(of) : 0;
	if (!of->parent && !(bank_now()->phases & WIRE_PHASES_INSIDE))
		view = bank_now()->self;
	if (!view)
		view = ask_view(of);
	if (view) {
		keep_view(node, view);
		return view;
	}
	if (!phases.other) {
		bank_now()->phases |= WIRE_PHASES_MIXED;
		return bank_now()->self;
	}
	return phases.other;
}

/* Until the view is the right one. */
static __attribute__((noinline)) void follow_slowly(const struct context_thread *thread)
{
	const struct context_node *node = thread->node;
	uint64_t view;

	while (phases.on) {
		if (generation_now() != phases.generation)
			begin_bank(thread);
		if (!phases.allowed)
			return;
		view = known_view(node);
		if (!view) {
			int saved = errno;

			view = find_view(node);
			errno = saved;
		}
		if (view == phases.view)
			return;
		if (phases.change(0, 0, view, 0, phases.generation)) {
			phases.view = view;
			return;
		}
	}
}

/* A thread that gets another bank goes on in the same phase, so that generations need
 * only be compared where the view changes, which the routine does. Nothing is in the
 * table if phases are not told. */
void phases_follow(const struct context_thread *thread)
{
	uint64_t view;

	if (unlikely(!thread))
		return;
	view = view_in(&phases.views, thread->node->number);
	if (likely(view > BY_CLASS)) {
		if (view == phases.view)
			return;
		if (likely(phases.change(0, 0, view, 0, phases.generation))) {
			phases.view = view;
			return;
		}
	}
	follow_slowly(thread);
}

void phases_begin_thread(const struct context_thread *thread, struct wire_bank *bank)
{
	phases.on = bank && bank->phases;
	phases.generation = 0;
	if (!phases.on)
		return;
	/* Later system calls may be trapped. */
	if (!phases.text)
		phases.text = runtime_map(WIRE_PHASE_TEXT);
	begin_bank(thread);
	keep_in(&phases.views, 0, 0);
	__atomic_store_n(&runtime_state->phases, 1, __ATOMIC_RELAXED);
}

static void end_views(struct views *views)
{
	runtime_unmap(views->items, views->rows * sizeof(*views->items));
	*views = (struct views){NULL, 0};
}

void phases_end_thread(void)
{
	phases.on = false;
	end_views(&phases.views);
	for (uint32_t i = 0; phases.classed && i < classes_count(); i++)
		end_views(&phases.classed[i]);
	runtime_unmap(phases.classed, classes_count() * sizeof(*phases.classed));
	runtime_unmap(phases.text, WIRE_PHASE_TEXT);
	phases.classed = NULL;
	phases.text = NULL;
}
