#include "runtime/channel/happens.h"

#include "runtime/events/hooks.h"
#include "runtime/store/attributes.h"
#include "runtime/store/memory.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"
#include "runtime/store/tree.h"
#include "wire/context_channel.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 4096 };

/* By attribute: what begins, ends and is set there, as numbers of attributes; 0: nothing
 * has so far. Pages of it are there once they are touched. */
static uint32_t (*made)[3];

bool happens_init(void)
{
	uint32_t(*memory)[3];

	if (__atomic_load_n(&made, __ATOMIC_ACQUIRE))
		return true;
	memory = runtime_map((ATTRIBUTES_MAX + 1) * sizeof(*memory));
	if (memory)
		__atomic_store_n(&made, memory, __ATOMIC_RELEASE);
	return memory != NULL;
}

static __attribute__((noinline)) uint32_t
make_happening(enum runtime_event_kind kind, const struct context_attribute *known)
{
	const uint32_t kept = TRM_SCOPE_PROCESS | TRM_SCOPE_THREAD | TRM_SCOPE_TASK |
			      7 << TRM_LEVEL_SHIFT_;
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%s%s", context_snapshot_prefix(kind),
		 strings_at(known->name)->bytes);
	return attributes_create(name, known->type,
				 (known->properties & kept) | TRM_SKIP_EVENTS);
}

static inline uint32_t place_of(enum runtime_event_kind kind)
{
	return kind == RUNTIME_END ? 1 : kind == RUNTIME_CHANGE ? 2 : 0;
}

struct context_node *happens_below(struct context_thread *thread,
				   struct context_node *context,
				   const struct runtime_event *event)
{
	const struct context_attribute *known;
	uint32_t *number, found;

	if (event->kind > RUNTIME_CHANGE || !event->node)
		return context;
	known = attributes_get(event->attribute);
	if (!known || known->properties & (TRM_AS_VALUE | TRM_HIDDEN))
		return context;
	number = &made[event->attribute][place_of(event->kind)];
	found = __atomic_load_n(number, __ATOMIC_RELAXED);
	if (unlikely(!found)) {
		found = make_happening(event->kind, known);
		__atomic_store_n(number, found, __ATOMIC_RELAXED);
	}
	return found ? tree_key(thread, context, found, event->node->value) : NULL;
}
