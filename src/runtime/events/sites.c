/*
 * Begin and end of what a program's macros mark: the events that are to cost least. The
 * usual case stands here by itself, with all else behind jumps, so that no register need
 * be kept; all else is in events.c.
 */
#include "runtime/events/sites.h"

#include "runtime/events/events.h"
#include "runtime/events/phases.h"
#include "runtime/events/threads.h"
#include "runtime/events/trace.h"
#include "runtime/store/state.h"
#include "wire/context_event.h"

static __attribute__((noinline)) void change_phase(const struct context_thread *thread)
{
	phases_follow(thread);
	in_order();
	runtime_busy = 0;
}

static inline void sites_done(const struct context_thread *thread)
{
	if (unlikely(runtime_state->phases)) {
		change_phase(thread);
		return;
	}
	in_order();
	runtime_busy = 0;
}

static inline __attribute__((always_inline)) bool
is_usual(const struct context_thread *thread, const struct runtime_state *state)
{
	return likely(thread && state->usual && !thread->too_deep);
}

/* False if another event of the thread is under way. In the usual case `ret_node` is the
 * innermost node, else NULL. */
static inline __attribute__((always_inline)) bool
begin(struct context_thread **ret_thread, struct context_node **ret_node)
{
	if (unlikely(runtime_busy)) {
		runtime_lose();
		return false;
	}
	runtime_busy = 1;
	in_order();
	*ret_thread = runtime_self;
	*ret_node = is_usual(*ret_thread, runtime_state) ? (*ret_thread)->node : NULL;
	return true;
}

void sites_enter(struct trm_site *site)
{
	struct context_thread *thread;
	struct context_node *from, *to;

	if (!begin(&thread, &from))
		return;
	to = from ? from->last_child : NULL;
	if (unlikely(!to || to->value != site->number ||
		     to->attribute != site->attribute)) {
		events_enter_site(site);
		return;
	}
	uint64_t now = __rdtsc();

	from->ticks += now - thread->last;
	thread->last = now;
	to->count++;
	to->began = now;
	thread->node = to;
	if (unlikely(thread->order) &&
	    unlikely(!trace_short(thread, CONTEXT_EVENT_BEGIN, to->number, now)))
		events_trace_last(thread, CONTEXT_EVENT_BEGIN, to->number, now);
	else
		sites_done(thread);
}

void sites_leave(struct trm_site *site)
{
	struct context_thread *thread;
	struct context_node *node;

	if (!begin(&thread, &node))
		return;
	if (unlikely(!node || node->value != site->number ||
		     node->attribute != site->attribute || !node->parent)) {
		events_leave_site(site);
		return;
	}
	uint64_t now = __rdtsc();

	node->ticks += now - thread->last;
	thread->last = now;
	thread->node = node->parent;
	if (unlikely(thread->order) &&
	    unlikely(!trace_short(thread, CONTEXT_EVENT_END, node->number, now)))
		events_trace_last(thread, CONTEXT_EVENT_END, node->number, now);
	else
		sites_done(thread);
}
