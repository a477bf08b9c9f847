#include "runtime/foreign/ranges.h"
#include "runtime/events/events.h"
#include "runtime/process/start.h"
#include "runtime/store/attributes.h"
#include "runtime/store/memory.h"
#include "runtime/store/state.h"

enum { OPEN_MAX = 256, STARTED_MAX = 1024, SLOT_BITS = 10 };

/* Where a range is in the thread's tree. */
struct range {
	uint64_t domain;
	const struct context_node *node; /* NULL: nothing was recorded */
	uint64_t value;
};

static runtime_local struct {
	struct range *items; /* OPEN_MAX */
	uint32_t count;
	uint32_t over; /* for which there was no room */
} own;

enum state { UNUSED, OPEN, TO_BE_ENDED };

static struct started {
	uint32_t state;
	uint32_t uses;
	struct context_thread *thread;
	struct range range;
} started[STARTED_MAX];

static uint32_t to_be_ended; /* how many */
static uint32_t region;      /* attribute */

bool ranges_init(void)
{
	if (!start_host())
		return false;
	region = attributes_create("region", TRM_TYPE_STRING, TRM_NESTED);
	return region != 0;
}

static struct range begin_range(struct context_thread *thread, uint64_t domain,
				const char *text)
{
	const struct context_node *from = thread->node;

	events_begin_node(thread, region, text);
	if (thread->node == from)
		return (struct range){domain, NULL, 0};
	return (struct range){domain, thread->node, thread->node->value};
}

static void end_range(struct context_thread *thread, const struct range *range)
{
	if (range->node)
		events_end_node(thread, range->node, region, range->value);
}

static __attribute__((noinline)) void end_others(struct context_thread *thread)
{
	for (size_t i = 0; i < STARTED_MAX; i++) {
		struct started *range = &started[i];

		if (range->thread != thread ||
		    __atomic_load_n(&range->state, __ATOMIC_ACQUIRE) != TO_BE_ENDED)
			continue;
		end_range(thread, &range->range);
		__atomic_sub_fetch(&to_be_ended, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&range->state, UNUSED, __ATOMIC_RELEASE);
	}
}

static struct context_thread *enter_thread(void)
{
	struct context_thread *thread = events_enter();

	if (thread && unlikely(__atomic_load_n(&to_be_ended, __ATOMIC_RELAXED)))
		end_others(thread);
	return thread;
}

void ranges_push(uint64_t domain, const char *text)
{
	struct context_thread *thread = enter_thread();

	if (!thread)
		return;
	if (!own.items)
		own.items = runtime_map(OPEN_MAX * sizeof(*own.items));
	if (!own.items || own.count == OPEN_MAX)
		own.over++;
	else if (!text)
		own.items[own.count++] = (struct range){domain, NULL, 0};
	else
		own.items[own.count++] = begin_range(thread, domain, text);
	events_leave();
}

void ranges_pop(uint64_t domain)
{
	struct context_thread *thread = enter_thread();
	uint32_t at = own.count;

	if (!thread)
		return;
	while (!own.over && at && own.items[at - 1].domain != domain)
		at--;
	if (own.over) {
		own.over--;
	} else if (at) {
		end_range(thread, &own.items[at - 1]);
		own.count--;
		for (uint32_t i = at - 1; i < own.count; i++)
			own.items[i] = own.items[i + 1];
	}
	events_leave();
}

static struct started *take_slot(void)
{
	for (size_t i = 0; i < STARTED_MAX; i++) {
		uint32_t unused = UNUSED;

		if (__atomic_compare_exchange_n(&started[i].state, &unused, OPEN, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return &started[i];
	}
	return NULL;
}

uint64_t ranges_start(const char *text)
{
	struct context_thread *thread = text ? enter_thread() : NULL;
	struct started *range = thread ? take_slot() : NULL;
	uint64_t number = 0;

	if (range) {
		range->thread = thread;
		range->range = begin_range(thread, 0, text);
		number = (uint64_t)++range->uses << SLOT_BITS |
			 (uint64_t)(range - started);
	}
	if (thread)
		events_leave();
	return number;
}

void ranges_finish(uint64_t number)
{
	struct started *range = &started[number & (STARTED_MAX - 1)];
	struct context_thread *thread;

	if (number >> SLOT_BITS != range->uses ||
	    __atomic_load_n(&range->state, __ATOMIC_ACQUIRE) != OPEN)
		return;
	thread = enter_thread();
	if (thread && range->thread == thread) {
		end_range(thread, &range->range);
		__atomic_store_n(&range->state, UNUSED, __ATOMIC_RELEASE);
	} else {
		__atomic_store_n(&range->state, TO_BE_ENDED, __ATOMIC_RELEASE);
		__atomic_add_fetch(&to_be_ended, 1, __ATOMIC_RELAXED);
	}
	if (thread)
		events_leave();
}
