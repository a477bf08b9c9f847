/* Threads: their records, and what is left of them when they end. */
#include "runtime/events/threads.h"

#include "runtime/events/bank.h"
#include "runtime/events/fork.h"
#include "runtime/events/hooks.h"
#include "runtime/events/phases.h"
#include "runtime/events/spans.h"
#include "runtime/events/tasks.h"
#include "runtime/store/attributes.h"
#include "runtime/store/lock.h"
#include "runtime/store/number.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/tree.h"
#include "runtime/store/values.h"
#include "wire/context_event.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* Those that could not be counted where they belong, since there was no spool yet. */
static uint64_t losses;

void runtime_lose(void)
{
	__atomic_add_fetch(runtime_state->recording ? &runtime_spool->lost_in_handlers
						    : &losses,
			   1, __ATOMIC_RELAXED);
}

static struct {
	pthread_key_t key; /* its destructor sees threads end */
	uint32_t count;
	/* What ended threads had. */
	struct runtime_lock lock;
	struct context_thread *ended;
	struct context_block *rows;
} threads;

enum { EVENTS_RUN = 8 };

static struct context_thread *make_thread(uint32_t number)
{
	struct context_thread *thread = (void *)spool_block(CONTEXT_THREAD, number, 1);

	if (!thread)
		return NULL;
	thread->number = number;
	tree_init(thread);
	return thread;
}

/* Events begin where all their cells still fit. */
static void write_events_to(struct context_thread *thread, struct context_block *block)
{
	char *at = (char *)block + context_events_at(block->kind);

	thread->order++;
	thread->event_at = (uint32_t *)(void *)at;
	thread->event_end = thread->event_at +
			    context_events_room(block->kind, block->run) -
			    (CONTEXT_CELLS_MOST - 1);
	thread->event_ticks = 0;
}

bool threads_more_events(struct context_thread *thread)
{
	/* A thread that says little takes little. */
	uint32_t run = thread->order < 2 ? 2 : EVENTS_RUN;
	struct context_block *block = NULL;

	thread->event_at = thread->event_end = NULL;
	for (; run && !block; run /= 2)
		block = spool_block(CONTEXT_EVENTS, thread->number, run);
	if (!block)
		return false;
	block->order = thread->order;
	write_events_to(thread, block);
	return true;
}

static struct context_thread *begin_thread(void)
{
	uint32_t number = __atomic_add_fetch(&threads.count, 1, __ATOMIC_RELAXED);
	struct context_thread *thread = make_thread(number);

	if (!thread) { /* the next event tries again */
		uint32_t next = number - 1;

		__atomic_compare_exchange_n(&threads.count, &number, next, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
		return NULL;
	}
	thread->tid = runtime_sealed ? number : (uint32_t)gettid();
	thread->last = runtime_ticks();
	if (runtime_state->tracing)
		write_events_to(thread, &thread->head);
	__atomic_store_n(&thread->alive, 1, __ATOMIC_RELEASE);
	struct wire_bank *bank = bank_find();

	bank_tell(thread, bank);
	phases_begin_thread(thread, bank);
	__atomic_add_fetch(&runtime_spool->threads, 1, __ATOMIC_RELAXED);
	return thread;
}

struct context_thread *threads_self(void)
{
	int saved = errno;

	if (!runtime_state->recording && !runtime_hooks.record_child()) {
		errno = saved;
		return NULL;
	}
	if (!runtime_self) {
		runtime_self = begin_thread();
		if (runtime_self)
			pthread_setspecific(threads.key, runtime_self);
	}
	errno = saved;
	return runtime_self;
}

static struct context_row *new_row(void)
{
	struct context_block *block = threads.rows;
	struct context_row *row;

	if (!block || sizeof(*block) + block->used + sizeof(*row) > CONTEXT_BLOCK)
		block = threads.rows = spool_block(CONTEXT_ROWS, 0, 1);
	if (!block)
		return NULL;
	row = (void *)((char *)(block + 1) + block->used);
	return row;
}

static void sum_up(struct context_node *to, const struct context_node *from)
{
	if (from->flags & CONTEXT_METRIC) {
		uint32_t type = attributes_get(from->attribute)->type;

		to->sum = number_add(type, to->sum, from->sum);
		to->least = to->count ? number_least(type, to->least, from->least)
				      : from->least;
		to->most =
			to->count ? number_most(type, to->most, from->most) : from->most;
	} else {
		to->ticks += from->ticks;
	}
	to->count += from->count;
}

/* Moves a node's numbers to the tree of ended threads; `last_child` of a node that was
 * moved leads there. */
static void move_node(struct context_thread *thread, struct context_node *node)
{
	struct context_thread *ended = threads.ended;
	struct context_node *parent = node->parent ? node->parent->last_child : NULL;
	bool metric = node->flags & CONTEXT_METRIC;
	struct context_node *to = ended->root;
	struct context_row *row = NULL;

	if (node->parent && !parent)
		to = NULL;
	else if (node->parent && metric)
		to = tree_metric(ended, parent, node->attribute);
	else if (node->parent)
		to = tree_child(ended, parent, node->attribute, node->value);
	if (to && (node->count || node->ticks)) {
		row = thread->number <= CONTEXT_ROWS_MAX ? new_row() : NULL;
		if (row) {
			*row = (struct context_row){
				thread->number, thread->tid, to->number,
				node->count,    node->ticks, metric ? node->least : 0,
				node->most};
			__atomic_store_n(&threads.rows->used,
					 threads.rows->used + (uint32_t)sizeof(*row),
					 __ATOMIC_RELEASE);
		} else {
			sum_up(to, node);
		}
	}
	if (!to)
		__atomic_add_fetch(&runtime_spool->lost_for_memory, node->count,
				   __ATOMIC_RELAXED);
	if (!row)
		__atomic_store_n(&thread->rowless, thread->rowless + 1, __ATOMIC_RELEASE);
	node->last_child = metric ? NULL : to;
}

/* The blocks of nodes the other way round; returns the first one of them. */
static struct context_block *turn_links(struct context_block *block)
{
	struct context_block *next = NULL;

	while (block) {
		struct context_block *before = (void *)(uintptr_t)block->link;

		block->link = (uintptr_t)next;
		next = block;
		block = before;
	}
	return next;
}

static void move_all(struct context_thread *thread)
{
	uint32_t left = thread->node_count;
	/* Links lead backwards, and shall do so again: channels look for nodes, too. */
	struct context_block *first = turn_links(thread->node_block);

	for (struct context_block *block = first; block;
	     block = (void *)(uintptr_t)block->link) {
		struct context_node *node = tree_nodes_of(block);

		for (uint32_t i = 0; left && i < context_nodes_room(block->kind);
		     i++, left--)
			move_node(thread, node + i);
	}
	turn_links(first);
}

static void free_all(struct context_thread *thread)
{
	struct context_block *block = thread->node_block;

	while (block != &thread->head) {
		struct context_block *next = (void *)(uintptr_t)block->link;

		spool_free(block);
		block = next;
	}
	tree_deinit(thread);
	spool_free(&thread->head);
}

/* Its numbers go to the tree of ended threads, and its memory to the next thread. What
 * was traced speaks of the thread's own nodes, so that those stay then. */
static void end_record(void *record)
{
	struct context_thread *thread = record;
	int saved = errno;

	fork_forget();
	tasks_end_thread();
	spans_end_thread();
	phases_end_thread();
	if (!runtime_state->recording || thread != runtime_self)
		return;
	runtime_busy = 1;
	in_order();
	bank_forget(thread);
	thread->node->ticks += runtime_ticks() - thread->last;
	__atomic_store_n(&thread->alive, 0, __ATOMIC_RELEASE);
	runtime_hooks.leave_thread();
	runtime_self = NULL;
	values_forget();
	if (!thread->order && !runtime_hooks.keep_nodes(thread)) {
		runtime_lock(&threads.lock);
		if (!threads.ended)
			threads.ended = make_thread(0);
		if (threads.ended) {
			move_all(thread);
			runtime_hooks.end_thread(thread, threads.ended);
			free_all(thread);
		}
		runtime_unlock(&threads.lock);
	}
	in_order();
	runtime_busy = 0;
	errno = saved;
}

bool threads_init(void)
{
	return !pthread_key_create(&threads.key, end_record);
}

void threads_forget(bool own)
{
	pthread_key_t key = threads.key;
	uint32_t count = threads.count;

	memset(&threads, 0, sizeof(threads));
	threads.key = key;
	if (own)
		runtime_self = NULL;
	else
		threads.count = count;
	runtime_spool->lost_in_handlers = losses;
	losses = 0;
}
