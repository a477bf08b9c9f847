/*
 * Begin, end and set: what a program calls while something measures.
 *
 * An event's way: the child of the current node is its `last_child` or is found in the
 * thread's hash table; the time since the last event goes to the node that was current;
 * the child becomes the current one. Nothing that other threads write is touched, nothing
 * is allocated but nodes, at their first time.
 */
#include "runtime/events/events.h"

#include "runtime/events/hooks.h"
#include "runtime/events/phases.h"
#include "runtime/events/program_attributes.h"
#include "runtime/events/sites.h"
#include "runtime/events/spans.h"
#include "runtime/events/tasks.h"
#include "runtime/events/threads.h"
#include "runtime/events/trace.h"
#include "runtime/store/attributes.h"
#include "runtime/store/faults.h"
#include "runtime/store/number.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"
#include "runtime/store/text.h"
#include "runtime/store/tree.h"
#include "runtime/store/values.h"
#include "wire/context_event.h"

#include <string.h>

/* An end fits a node of any value. */
#define ANY_VALUE 0

static inline void leave_library(void)
{
	phases_see_event();
	in_order();
	runtime_busy = 0;
}

/* A first event, or that of a child of fork; `event` is false where somebody asks. */
static __attribute__((noinline)) struct context_thread *enter_first(bool event)
{
	struct context_thread *thread = threads_self();

	if (thread)
		return thread;
	if (event && runtime_state->recording)
		spool_lose_memory();
	leave_library();
	return NULL;
}

static inline __attribute__((always_inline)) struct context_thread *
busy_thread(bool event)
{
	struct context_thread *thread = runtime_self;

	if (unlikely(!thread || !runtime_state->recording))
		return enter_first(event);
	return thread;
}

static inline __attribute__((always_inline)) struct context_thread *enter_library(void)
{
	if (unlikely(runtime_busy)) { /* in a signal handler */
		runtime_lose();
		return NULL;
	}
	runtime_busy = 1;
	in_order();
	return busy_thread(true);
}

/* What is not one cell. Memory that was missing is asked for now and then: that takes
 * system calls. */
static __attribute__((noinline)) void trace_else(struct context_thread *thread,
						 enum context_event_kind kind,
						 uint32_t what, uint64_t ticks,
						 const uint64_t *value)
{
	if (thread->event_at >= thread->event_end &&
	    ((!thread->event_at && thread->dropped % 1024) ||
	     !threads_more_events(thread))) {
		thread->dropped++;
		return;
	}
	if ((ticks - thread->event_ticks) >> 32)
		trace_time(thread, ticks);
	trace_long(thread, kind, what, ticks, value);
}

static inline __attribute__((always_inline)) void
trace_event(struct context_thread *thread, enum context_event_kind kind, uint32_t what,
	    uint64_t ticks, const uint64_t *value)
{
	if (kind > CONTEXT_EVENT_END || unlikely(!trace_short(thread, kind, what, ticks)))
		trace_else(thread, kind, what, ticks, value);
}

/* Channels see the event, too. */
static __attribute__((noinline)) void show_event(struct context_thread *thread,
						 enum runtime_event_kind kind,
						 struct context_node *before,
						 struct context_node *node, uint64_t now)
{
	runtime_hooks.event(thread,
			    &(struct runtime_event){kind, node->attribute, node->value,
						    before, node, now});
}

static inline bool has_channels(void)
{
	return unlikely(runtime_state->watching & (RUNTIME_CHANNELS | RUNTIME_TOLD));
}

void events_trace_move(struct context_thread *thread, uint64_t ticks)
{
	trace_event(thread, CONTEXT_EVENT_MOVE, thread->node->number, ticks, NULL);
}

/* The time up to now is the current node's. */
static uint64_t settle_time(struct context_thread *thread)
{
	uint64_t now = runtime_ticks();

	thread->node->ticks += now - thread->last;
	thread->last = now;
	return now;
}

void events_move(struct context_thread *thread, struct context_node *to, bool ends,
		 uint64_t now)
{
	struct context_node *before = thread->node;

	thread->node->ticks += now - thread->last;
	thread->last = now;
	thread->node = to;
	if (thread->order && ends)
		trace_event(thread, CONTEXT_EVENT_END, before->number, now, NULL);
	if (thread->order)
		events_trace_move(thread, now);
	if (has_channels())
		show_event(thread, ends ? RUNTIME_END : RUNTIME_PUSH, before, before,
			   now);
}

/* What begins by an event of some kind. */
static inline __attribute__((always_inline)) void
push_by(struct context_thread *thread, uint32_t attribute, uint64_t value,
	enum context_event_kind traced, enum runtime_event_kind shown)
{
	struct context_node *from = thread->node, *to = from->last_child;

	if (unlikely(!to || to->value != value || to->attribute != attribute))
		to = tree_child(thread, from, attribute, value);
	if (unlikely(!to || thread->too_deep)) {
		thread->too_deep++;
		spool_lose_memory();
		return;
	}
	uint64_t now = settle_time(thread);

	to->count++;
	to->began = now;
	thread->node = to;
	if (unlikely(thread->order))
		trace_event(thread, traced, to->number, now, NULL);
	if (has_channels())
		show_event(thread, shown, from, to, now);
}

static void push_node(struct context_thread *thread, uint32_t attribute, uint64_t value)
{
	push_by(thread, attribute, value, CONTEXT_EVENT_BEGIN, RUNTIME_BEGIN);
}

static __attribute__((noinline)) void push_set(struct context_thread *thread,
					       uint32_t attribute, uint64_t value)
{
	push_by(thread, attribute, value, CONTEXT_EVENT_CHANGE, RUNTIME_CHANGE);
}

static void pop_node(struct context_thread *thread)
{
	struct context_node *node = thread->node;
	uint64_t now = settle_time(thread);

	thread->node = node->parent;
	if (unlikely(thread->order))
		trace_event(thread, CONTEXT_EVENT_END, node->number, now, NULL);
	if (has_channels())
		show_event(thread, RUNTIME_END, node, node, now);
}

static bool node_fits(const struct context_node *node, uint32_t attribute, uint64_t value)
{
	return node->attribute == attribute &&
	       (value == ANY_VALUE || node->value == value);
}

static bool is_nested(uint32_t attribute)
{
	return attributes_get(attribute)->properties & TRM_NESTED;
}

/* The innermost open node that fits; NULL: none. */
static struct context_node *find_open(const struct context_thread *thread,
				      uint32_t attribute, uint64_t value)
{
	for (struct context_node *node = thread->node; node->parent; node = node->parent)
		if (node_fits(node, attribute, value))
			return node;
	return NULL;
}

/* Whether a nested one is open further in than a node. A call of a function is none of
 * those that must fit each other. */
static bool is_crossed(const struct context_thread *thread,
		       const struct context_node *open)
{
	for (const struct context_node *node = thread->node; node != open;
	     node = node->parent)
		if (is_nested(node->attribute) && !spans_hold(node))
			return true;
	return false;
}

/* Takes a node, or puts another in its place, that others are open in: these go on in a
 * new place, and have not begun again. `change`: `with` has begun. */
static void replace_node(struct context_thread *thread, struct context_node *old,
			 struct context_node *with, bool change)
{
	struct context_node *to = with;

	/* Down again: what is open in a node is its last child. */
	for (struct context_node *node = thread->node; node != old; node = node->parent)
		node->parent->last_child = node;
	for (struct context_node *node = old; to && node != thread->node;) {
		node = node->last_child;
		to = tree_child(thread, to, node->attribute, node->value);
		if (to)
			to->began = node->began;
	}
	if (!to) {
		spool_lose_memory();
		return;
	}
	struct context_node *before = thread->node;
	uint64_t now = settle_time(thread);

	if (change) {
		with->count++;
		with->began = now;
	}
	thread->node = to;
	if (thread->order && change)
		trace_event(thread, CONTEXT_EVENT_CHANGE, with->number, now, NULL);
	if (thread->order && (to != with || !change))
		events_trace_move(thread, now);
	if (has_channels())
		runtime_hooks.event(thread, &(struct runtime_event){
						    change ? RUNTIME_CHANGE : RUNTIME_END,
						    old->attribute, old->value, before,
						    change ? with : old, now});
}

/* An end that does not fit: nested things that were left open are ended with what is
 * ended around them; an end without a begin is ignored. Either is told once. */
static void mend_order(struct context_thread *thread, uint32_t attribute, uint64_t value)
{
	const struct context_node *current = thread->node;
	struct context_node *open = find_open(thread, attribute, value);

	if (open && !(is_nested(attribute) && is_crossed(thread, open))) {
		replace_node(thread, open, open->parent, false);
		return;
	}
	faults_note(&(struct context_fault){
		.attribute = attribute,
		.value = value,
		.open_attribute = current->attribute,
		.open_value = current->value,
		.repaired = open != NULL,
	});
	while (open && thread->node != open)
		pop_node(thread);
	if (open)
		pop_node(thread);
}

static void finish_node(struct context_thread *thread, uint32_t attribute, uint64_t value)
{
	if (unlikely(thread->too_deep)) {
		thread->too_deep--;
		return;
	}
	if (likely(node_fits(thread->node, attribute, value)))
		pop_node(thread);
	else
		mend_order(thread, attribute, value);
}

/* What is lost is counted. */
bool events_to_bits(const struct context_attribute *attribute,
		    const struct trm_value *value, uint64_t *ret_number)
{
	if (number_is_text(value->type) != number_is_text(attribute->type) ||
	    (!number_is_text(value->type) &&
	     !number_convert(attribute->type, value, ret_number))) {
		__atomic_add_fetch(&runtime_spool->lost_for_type, 1, __ATOMIC_RELAXED);
		return false;
	}
	if (number_is_text(value->type)) {
		*ret_number = strings_intern(value->as.bytes, value->size);
		if (!*ret_number)
			spool_lose_memory();
		return *ret_number != 0;
	}
	return true;
}

static inline bool number_of(const struct context_attribute *attribute,
			     const struct trm_value *value, uint64_t *ret_number)
{
	if (unlikely(value->type != attribute->type || number_is_text(value->type)))
		return events_to_bits(attribute, value, ret_number);
	*ret_number = value->as.u;
	return true;
}

/* Whether a value of the moment is to be kept for the whole process: what holds of the
 * run in any case, others where somebody may ask for them. */
static inline bool is_for_process(const struct context_attribute *attribute)
{
	const uint32_t wanted =
		runtime_state->watching & (RUNTIME_KEEPS | RUNTIME_CHANNELS)
			? TRM_SCOPE_PROCESS | TRM_GLOBAL
			: TRM_GLOBAL;

	return attribute->properties & wanted;
}

/* A value of the moment, for those who see more than metrics. */
static __attribute__((noinline)) void
show_value(struct context_thread *thread, uint32_t number, uint64_t value, bool begins)
{
	uint64_t now = runtime_ticks();

	if (has_channels())
		runtime_hooks.event(
			thread,
			&(struct runtime_event){begins ? RUNTIME_START : RUNTIME_SET,
						number, value, thread->node, NULL, now});
	values_keep(number, value, now);
}

/* A value of the moment is gone. */
static __attribute__((noinline)) void
unset_value(struct context_thread *thread, uint32_t number,
	    const struct context_attribute *attribute)
{
	const struct moment *moment = values_get(number);

	classes_set(number, 0, false);
	if (moment && runtime_state->watching & RUNTIME_CHANNELS)
		runtime_hooks.event(thread, &(struct runtime_event){
						    RUNTIME_UNSET, number, moment->bits,
						    thread->node, NULL, runtime_ticks()});
	values_drop(number);
	if (is_for_process(attribute))
		values_drop_process(number);
}

/* A value of the moment: summed up where it is a metric, traced in any case. */
static void note_value(struct context_thread *thread, uint32_t number,
		       const struct context_attribute *attribute, uint64_t value,
		       bool begins)
{
	struct context_node *node = NULL;

	classes_set(number, (int64_t)value, true);
	if (attribute->properties & TRM_AGGREGATABLE) {
		node = tree_metric(thread, thread->node, number);
		if (!node)
			spool_lose_memory();
	}
	if (node) {
		uint32_t type = attribute->type;

		node->least =
			node->count ? number_least(type, node->least, value) : value;
		node->most = node->count ? number_most(type, node->most, value) : value;
		node->sum = number_add(attribute->type, node->sum, value);
		node->count++;
	}
	if (unlikely(thread->order))
		trace_event(thread, CONTEXT_EVENT_SET, number, runtime_ticks(), &value);
	if (unlikely(runtime_state->watching & (RUNTIME_KEEPS | RUNTIME_CHANNELS)))
		show_value(thread, number, value, begins);
	if (unlikely(attribute->properties & (TRM_SCOPE_PROCESS | TRM_GLOBAL)) &&
	    is_for_process(attribute))
		values_keep_process(number, value);
}

/* A context of the process: others may ask for it. */
static __attribute__((noinline)) void note_process(const struct context_thread *thread,
						   uint32_t number)
{
	const struct context_node *open = find_open(thread, number, ANY_VALUE);

	if (!(runtime_state->watching & RUNTIME_KEEPS) ||
	    attributes_get(number)->properties & TRM_AS_VALUE)
		return;
	if (open)
		values_keep_process(number, open->value);
	else
		values_drop_process(number);
}

/* A context begins. */
static void begin_context(struct context_thread *thread, uint32_t number,
			  const struct context_attribute *attribute,
			  const struct trm_value *value)
{
	bool text = number_is_text(attribute->type) && number_is_text(value->type);
	struct context_node *from = thread->node, *to = NULL;
	uint64_t bits;

	if (text)
		to = tree_find_text(thread, number, value->as.bytes, value->size);
	if (to) {
		from->last_child = to;
		push_node(thread, number, to->value);
		return;
	}
	if (!number_of(attribute, value, &bits)) {
		thread->too_deep++; /* its end comes */
		return;
	}
	push_node(thread, number, bits);
	if (text && thread->node != from)
		tree_note_text(thread, from, value->as.bytes);
}

static void begin_region(trm_attribute number, const struct trm_value *value)
{
	const struct context_attribute *attribute = attributes_get(number);
	struct context_thread *thread = attribute ? enter_library() : NULL;
	uint64_t bits;

	if (!thread)
		return;
	if (attribute->properties & TRM_AS_VALUE) {
		if (number_of(attribute, value, &bits))
			note_value(thread, number, attribute, bits, true);
	} else {
		begin_context(thread, number, attribute, value);
		if (unlikely(attribute->properties & TRM_SCOPE_PROCESS))
			note_process(thread, number);
	}
	leave_library();
}

static void end_region(trm_attribute number)
{
	const struct context_attribute *attribute = attributes_get(number);
	struct context_thread *thread = attribute ? enter_library() : NULL;

	if (!thread)
		return;
	if (attribute->properties & TRM_AS_VALUE)
		unset_value(thread, number, attribute);
	else
		finish_node(thread, number, ANY_VALUE);
	if (unlikely(attribute->properties & TRM_SCOPE_PROCESS))
		note_process(thread, number);
	leave_library();
}

/* Another context takes the place of the innermost one of the attribute, or is the first.
 */
static void set_context(struct context_thread *thread, uint32_t number, uint64_t bits)
{
	struct context_node *open = find_open(thread, number, ANY_VALUE);
	struct context_node *with =
		open ? tree_child(thread, open->parent, number, bits) : NULL;

	if (with)
		replace_node(thread, open, with, true);
	else if (!open)
		push_set(thread, number, bits);
	else
		spool_lose_memory();
}

static void set_value(trm_attribute number, const struct trm_value *value)
{
	const struct context_attribute *attribute = attributes_get(number);
	struct context_thread *thread = attribute ? enter_library() : NULL;
	uint64_t bits;

	if (!thread)
		return;
	if (number_of(attribute, value, &bits)) {
		if (attribute->properties & TRM_AS_VALUE)
			note_value(thread, number, attribute, bits, false);
		else
			set_context(thread, number, bits);
		if (unlikely(attribute->properties & TRM_SCOPE_PROCESS))
			note_process(thread, number);
	}
	leave_library();
}

/* A site gets its numbers at its first time; every thread finds the same ones. */
static bool know_site(struct trm_site *site)
{
	uint32_t attribute =
		attributes_tell(site->attribute_name, TRM_TYPE_STRING, TRM_NESTED);
	uint64_t number = strings_intern(site->value, strlen(site->value));

	site->attribute = attribute;
	site->number = number;
	if (attribute && number)
		__atomic_store_n(&site->ready, 1, __ATOMIC_RELEASE);
	return attribute && number;
}

void events_enter_site(struct trm_site *site)
{
	struct context_thread *thread = busy_thread(true);

	if (unlikely(!thread))
		return;
	if (likely(__atomic_load_n(&site->ready, __ATOMIC_ACQUIRE)) || know_site(site)) {
		push_node(thread, site->attribute, site->number);
	} else {
		thread->too_deep++;
		spool_lose_memory();
	}
	leave_library();
}

void events_leave_site(struct trm_site *site)
{
	struct context_thread *thread = busy_thread(true);

	if (unlikely(!thread))
		return;
	finish_node(thread, site->attribute, site->number);
	leave_library();
}

void events_trace_last(struct context_thread *thread, enum context_event_kind kind,
		       uint32_t what, uint64_t ticks)
{
	trace_event(thread, kind, what, ticks, NULL);
	leave_library();
}

/* The number of an iteration is a value of its own: iteration#NAME. */
static uint32_t iterations_of(struct trm_site *site)
{
	uint64_t number = __atomic_load_n(&site->iterations, __ATOMIC_RELAXED);
	char name[256] = "iteration#";

	if (likely(number))
		return (uint32_t)number;
	strncat(name, site->value, sizeof(name) - 32);
	number = attributes_create(name, TRM_TYPE_INT, TRM_AS_VALUE);
	__atomic_store_n(&site->iterations, number, __ATOMIC_RELAXED);
	return (uint32_t)number;
}

static void iterate_loop(struct trm_site *site, int64_t iteration)
{
	const uint64_t value = (uint64_t)iteration;

	classes_iterate(site->value, iteration);
	sites_enter(site);
	if (!runtime_self || (!runtime_self->order && !has_channels()))
		return;
	struct context_thread *thread = enter_library();
	uint32_t number = thread ? iterations_of(site) : 0;

	if (!thread)
		return;
	if (number && thread->order)
		trace_event(thread, CONTEXT_EVENT_SET, number, thread->last, &value);
	if (number && runtime_state->watching & RUNTIME_CHANNELS)
		runtime_hooks.event(thread,
				    &(struct runtime_event){RUNTIME_ITERATION, number,
							    value, thread->node,
							    thread->node, thread->last});
	leave_library();
}

struct context_thread *events_enter_event(void)
{
	return enter_library();
}

struct context_thread *events_enter(void)
{
	if (runtime_busy)
		return NULL;
	runtime_busy = 1;
	in_order();
	return busy_thread(false);
}

void events_leave(void)
{
	leave_library();
}

static inline bool is_text_of(const struct context_node *node, uint32_t attribute,
			      const char *text)
{
	return node && node->attribute == attribute &&
	       text_is(strings_at(node->value), text);
}

/* Nobody looks on: then an event is a step in the tree, which a handler cannot disturb.
 */
static inline struct context_thread *idle_thread(void)
{
	struct context_thread *thread = runtime_self;

	return likely(thread && !runtime_busy && runtime_state->idle && !thread->too_deep)
		       ? thread
		       : NULL;
}

/* The child that had this text when it was last begun from this place in memory; the text
 * may be another one now. */
static struct context_node *find_noted(struct context_thread *thread, uint32_t attribute,
				       const char *text)
{
	struct context_node *from = thread->node;
	struct context_node *const *noted = tree_noted(thread, from, text);

	return noted && *noted && (*noted)->parent == from &&
			       is_text_of(*noted, attribute, text)
		       ? *noted
		       : NULL;
}

static inline __attribute__((always_inline)) void
begin_text(struct context_thread *thread, uint32_t attribute, const char *text)
{
	struct context_node *from = thread->node, *to = from->last_child, **noted;
	uint64_t number;

	if (unlikely(!is_text_of(to, attribute, text)))
		to = find_noted(thread, attribute, text);
	if (likely(to)) {
		from->last_child = to;
		push_node(thread, attribute, to->value);
		return;
	}
	number = strings_intern(text, strlen(text));
	if (!number) {
		thread->too_deep++;
		spool_lose_memory();
		return;
	}
	push_node(thread, attribute, number);
	noted = tree_noted(thread, from, text);
	if (noted && thread->node != from)
		*noted = thread->node;
}

static __attribute__((noinline)) void begin_other_text(uint32_t attribute,
						       const char *text)
{
	struct context_thread *thread = idle_thread();

	if (likely(thread)) {
		struct context_node *to = find_noted(thread, attribute, text);

		if (likely(to)) {
			to->parent->last_child = to;
			thread->node = to;
			return;
		}
	}
	thread = enter_library();
	if (unlikely(!thread))
		return;
	begin_text(thread, attribute, text);
	leave_library();
}

void events_begin_text(uint32_t attribute, const char *text)
{
	struct context_thread *thread = idle_thread();

	if (likely(thread)) {
		struct context_node *to = thread->node->last_child;

		if (likely(is_text_of(to, attribute, text))) {
			thread->node = to;
			return;
		}
	}
	begin_other_text(attribute, text);
}

static __attribute__((noinline)) void end_other_text(uint32_t attribute, const char *text)
{
	struct context_thread *thread = enter_library();

	if (unlikely(!thread))
		return;
	if (likely(!thread->too_deep && is_text_of(thread->node, attribute, text)))
		pop_node(thread);
	else
		finish_node(thread, attribute, strings_intern(text, strlen(text)));
	leave_library();
}

void events_end_text(uint32_t attribute, const char *text)
{
	struct context_thread *thread = idle_thread();

	if (likely(thread && is_text_of(thread->node, attribute, text)))
		thread->node = thread->node->parent;
	else
		end_other_text(attribute, text);
}

void events_begin_node(struct context_thread *thread, uint32_t attribute,
		       const char *text)
{
	const struct context_node *from = thread->node;

	begin_text(thread, attribute, text);
	if (unlikely(thread->node == from))
		thread->too_deep--; /* nobody will end it */
}

void events_end_node(struct context_thread *thread, const struct context_node *node,
		     uint32_t attribute, uint64_t value)
{
	struct context_node *open = thread->node;

	while (open->parent && open != node)
		open = open->parent;
	if (!open->parent || !node_fits(open, attribute, value))
		open = find_open(thread, attribute, value);
	if (likely(open == thread->node))
		pop_node(thread);
	else if (open)
		replace_node(thread, open, open->parent, false);
}

bool events_get(uint32_t number, struct trm_value *ret_value)
{
	const struct context_attribute *attribute = attributes_get(number);
	struct context_thread *thread = attribute ? events_enter() : NULL;
	const struct context_node *open = NULL;
	const struct moment *moment = NULL;
	bool found;
	uint64_t bits = 0;

	if (!thread)
		return false;
	if (attribute->properties & TRM_AS_VALUE)
		moment = values_get(number);
	else
		open = find_open(thread, number, ANY_VALUE);
	if (open || moment)
		bits = open ? open->value : moment->bits;
	found = open || moment ||
		(attribute->properties & TRM_SCOPE_PROCESS &&
		 values_get_process(number, &bits));
	leave_library();
	if (found)
		*ret_value = values_from_bits(attribute, bits);
	return found;
}

const struct trm_api events_api = {
	.abi = TRM_ABI,
	.size = sizeof(events_api),
	.attribute = program_attributes_make,
	.begin = begin_region,
	.end = end_region,
	.set = set_value,
	.enter = sites_enter,
	.leave = sites_leave,
	.iterate = iterate_loop,
	.task_create = tasks_create,
	.task_switch = tasks_switch,
	.task_destroy = tasks_destroy,
};
