/*
 * Tasks: a program that runs several on a thread, or moves them from one to another, says
 * when it switches. What is open goes with the task, and so do values of the moment whose
 * scope is the task. Trees belong to threads, so a task that waits is noted as a path.
 */
#include "runtime/events/tasks.h"
#include "runtime/events/events.h"
#include "runtime/store/attributes.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/tree.h"
#include "runtime/store/values.h"

#include <string.h>

struct item {
	uint64_t value, began;
	uint32_t attribute;
};

/* A value of the moment of an attribute. */
struct kept {
	uint64_t bits;
	uint32_t attribute;
};

enum { SLOT = 1024, CHUNK = 64 << 10, VALUES_MAX = 8 };

struct trm_task {
	struct item *items; /* outermost first */
	uint32_t count, room;
	uint64_t too_deep;
	uint64_t left; /* ticks: it waits since then */
	struct kept values[VALUES_MAX];
	uint32_t value_count;
	uint32_t unused;
	struct trm_task *next; /* of those that are free */
	struct item first[];
};

enum { FIRST_ITEMS = (SLOT - sizeof(struct trm_task)) / sizeof(struct item) };

static struct {
	struct runtime_lock lock;
	struct trm_task *free;
} tasks;

/* What the thread had open itself before it switched; the task that it runs, NULL: its
 * own. */
static runtime_local struct trm_task *thread_own, *current;

static void give_back(struct trm_task *task)
{
	runtime_lock(&tasks.lock);
	task->next = tasks.free;
	tasks.free = task;
	runtime_unlock(&tasks.lock);
}

static void fill_pool(void)
{
	char *chunk = runtime_map(CHUNK);

	for (size_t at = 0; chunk && at < CHUNK; at += SLOT) {
		struct trm_task *task = (struct trm_task *)(void *)(chunk + at);

		task->items = task->first;
		task->room = FIRST_ITEMS;
		task->next = tasks.free;
		tasks.free = task;
	}
}

static struct trm_task *take_task(void)
{
	struct trm_task *task;

	runtime_lock(&tasks.lock);
	if (!tasks.free)
		fill_pool();
	task = tasks.free;
	if (task)
		tasks.free = task->next;
	runtime_unlock(&tasks.lock);
	if (!task)
		return NULL;
	task->count = task->value_count = 0;
	task->too_deep = 0;
	return task;
}

static bool make_room(struct trm_task *task, uint32_t count)
{
	uint32_t room = 4096 / sizeof(struct item);
	struct item *items;

	if (count <= task->room)
		return true;
	while (room < count)
		room *= 2;
	items = runtime_map(room * sizeof(*items));
	if (!items)
		return false;
	if (task->items != task->first)
		runtime_unmap(task->items, task->room * sizeof(*items));
	task->items = items;
	task->room = room;
	return true;
}

/* False: there is no memory for so many. */
static bool note_path(struct trm_task *task, const struct context_thread *thread)
{
	uint32_t count = 0;

	for (const struct context_node *node = thread->node; node->parent;
	     node = node->parent)
		count++;
	if (!make_room(task, count))
		return false;
	task->count = count;
	for (const struct context_node *node = thread->node; node->parent;
	     node = node->parent)
		task->items[--count] =
			(struct item){node->value, node->began, node->attribute};
	return true;
}

static bool is_of_task(uint32_t attribute)
{
	const struct context_attribute *known = attributes_get(attribute);

	return known && known->properties & TRM_SCOPE_TASK;
}

static void note_values(struct trm_task *task)
{
	task->value_count = 0;
	for (uint32_t i = 1; attributes_have_tasks() && i < values_room(); i++) {
		const struct moment *moment = values_get(i);

		if (!moment || !is_of_task(i))
			continue;
		if (task->value_count < VALUES_MAX)
			task->values[task->value_count++] =
				(struct kept){moment->bits, i};
		values_drop(i);
	}
}

static void put_by(struct trm_task *task, struct context_thread *thread)
{
	if (!note_path(task, thread)) {
		task->count = 0;
		spool_lose_memory();
	}
	task->too_deep = thread->too_deep;
	note_values(task);
	task->left = runtime_ticks();
}

/* What waits begins no region anew, and was in none meanwhile. */
static void go_on(const struct trm_task *task, struct context_thread *thread)
{
	struct context_node *node = thread->root, *next;
	uint64_t waited = runtime_ticks() - task->left;
	uint32_t i = 0;

	thread->too_deep = task->too_deep;
	for (; i < task->count; i++, node = next) {
		const struct item *item = &task->items[i];

		next = tree_child(thread, node, item->attribute, item->value);
		if (!next)
			break;
		next->began = item->began + waited;
	}
	if (i < task->count) {
		thread->too_deep += task->count - i;
		spool_lose_memory();
	}
	events_move(thread, node, false, runtime_ticks());
	for (uint32_t j = 0; j < task->value_count; j++)
		values_keep(task->values[j].attribute, task->values[j].bits,
			    thread->last);
}

struct trm_task *tasks_create(void)
{
	struct context_thread *thread = events_enter();
	struct trm_task *task = thread ? take_task() : NULL;

	if (task) {
		if (!note_path(task, thread))
			task->count = 0;
		task->left = runtime_ticks();
	}
	if (thread)
		events_leave();
	return task;
}

struct trm_task *tasks_switch(struct trm_task *task)
{
	struct context_thread *thread = events_enter();
	struct trm_task *before = current;

	if (!thread)
		return before;
	if (!thread_own)
		thread_own = take_task();
	if (thread_own && task != before) {
		put_by(before ? before : thread_own, thread);
		go_on(task ? task : thread_own, thread);
		current = task;
	}
	events_leave();
	return before;
}

void tasks_destroy(struct trm_task *task)
{
	if (!task)
		return;
	if (task == current)
		tasks_switch(NULL);
	give_back(task);
}

void tasks_end_thread(void)
{
	if (thread_own)
		give_back(thread_own);
	thread_own = current = NULL;
}

void tasks_resume(void)
{
	tasks.lock.taken = 0;
}
