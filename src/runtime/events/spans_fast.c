/*
 * The usual begin and end of a call that is a region. This is built without vector
 * registers, which take longer to keep than all of this: see resident/spans.S.
 */
#include "runtime/events/spans_fast.h"
#include "runtime/events/phases.h"
#include "runtime/events/spans_calls.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"
#include "runtime/store/tree.h"

/* Nobody but the tree is to see it, and its times are the processor's. */
static struct context_thread *usual_thread(void)
{
	struct context_thread *thread = runtime_self;
	const struct runtime_state *state = runtime_state;

	if (unlikely(!thread || runtime_busy || !state->usual || thread->order ||
		     thread->too_deep || spans_calls.over))
		return NULL;
	runtime_busy = 1;
	in_order();
	return thread;
}

static int span_done(const struct context_thread *thread, int result)
{
	if (unlikely(result && runtime_state->phases))
		phases_follow(thread);
	in_order();
	runtime_busy = 0;
	return result;
}

static uint64_t settle_time(struct context_thread *thread)
{
	uint64_t now = __rdtsc();

	thread->node->ticks += now - thread->last;
	thread->last = now;
	return now;
}

/* strcmp may use vectors. */
static bool has_name(const struct context_node *node, const char *name)
{
	const char *text;

	if (!node || node->attribute != spans_attribute)
		return false;
	text = strings_at(node->value)->bytes;
	while (*text && *text == *name)
		text++, name++;
	return *text == *name;
}

static struct context_node *find_child(const struct context_thread *thread,
				       const char *name)
{
	struct context_node *from = thread->node, **noted;

	if (likely(has_name(from->last_child, name)))
		return from->last_child;
	if (!thread->noted || thread->noted_mask != thread->slot_mask)
		return NULL;
	noted = tree_noted_at(thread, from, name);
	return *noted && (*noted)->parent == from && has_name(*noted, name) ? *noted
									    : NULL;
}

int spans_try_begin(uint64_t place, const char *name)
{
	struct spans_calls *calls = &spans_calls;
	struct context_thread *thread;
	struct context_node *to;
	uint64_t now;

	if (calls->count >= calls->room || spans_is_over(place) ||
	    !(thread = usual_thread()))
		return 0;
	to = find_child(thread, name);
	if (unlikely(!to))
		return span_done(thread, 0);
	now = settle_time(thread);
	to->count++;
	to->began = now;
	to->parent->last_child = to;
	thread->node = to;
	calls->frames[calls->count++] = (struct spans_frame){place, to, to->value};
	return span_done(thread, 1);
}

int spans_try_end(uint64_t place)
{
	struct spans_calls *calls = &spans_calls;
	const struct spans_frame *frame = &calls->frames[calls->count - 1];
	struct context_thread *thread;

	if (!spans_is_over(place))
		return 1;
	if ((calls->count > 1 && frame[-1].place <= place) || !(thread = usual_thread()))
		return 0;
	if (unlikely(thread->node != frame->node || thread->node->value != frame->value ||
		     thread->node->attribute != spans_attribute))
		return span_done(thread, 0);
	settle_time(thread);
	thread->node = thread->node->parent;
	calls->count--;
	return span_done(thread, 1);
}
