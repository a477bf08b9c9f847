#include "runtime/foreign/openmp_tasks.h"
#include "runtime/events/events.h"
#include "runtime/store/memory.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"
#include "runtime/store/tree.h"

enum { EXPLICIT = 1, RUNNING_MAX = 256, OPEN_MAX = 30, ROOMS = 4096 };

/* What was open in a task that left its thread; in its data, with EXPLICIT added. */
struct left_open {
	struct left_open *next; /* unused ones */
	uint64_t count;
	struct {
		uint32_t attribute;
		uint64_t value;
	} items[OPEN_MAX]; /* innermost first */
};

/* Explicit tasks that this thread has begun, and not ended, outermost first. */
struct running {
	union openmp_data *task;
	struct context_node *node;
	uint64_t value;
};

static runtime_local struct {
	struct running *items; /* RUNNING_MAX */
	uint32_t count;
	struct left_open *unused;
} own;

void openmp_task_create(union openmp_data *task, bool is_explicit)
{
	task->value = is_explicit ? EXPLICIT : 0;
}

void openmp_tasks_forget(void)
{
	own.count = 0;
}

static struct left_open *new_room(void)
{
	struct left_open *room = own.unused;

	if (!room) {
		room = runtime_map(ROOMS);
		for (size_t i = 1; room && i < ROOMS / sizeof(*room); i++) {
			room[i].next = own.unused;
			own.unused = &room[i];
		}
		return room;
	}
	own.unused = room->next;
	return room;
}

/* Without room what is open in the task ends when it leaves. */
static void keep_open(union openmp_data *task, const struct context_node *node,
		      const struct context_node *in)
{
	struct left_open *room = new_room();

	if (!room)
		return;
	room->count = 0;
	for (; node->parent && node != in && room->count < OPEN_MAX;
	     node = node->parent) {
		room->items[room->count].attribute = node->attribute;
		room->items[room->count++].value = node->value;
	}
	task->value = (uint64_t)(uintptr_t)room | EXPLICIT;
}

static bool is_open(const struct context_node *node, const struct context_node *in)
{
	while (node->parent && node != in)
		node = node->parent;
	return node == in;
}

/* The thread is where it was before the task. */
static void leave_task(struct context_thread *thread, const struct running *running,
		       bool over)
{
	struct context_node *node = running->node;

	if (!is_open(thread->node, node))
		return;
	if (!over)
		keep_open(running->task, thread->node, node);
	if (over && thread->node == node)
		events_end_node(thread, node, node->attribute, node->value);
	else
		events_move(thread, node->parent, over, runtime_ticks());
}

/* Where the task goes on: nothing begins anew. */
static void enter_again(struct context_thread *thread, uint32_t attribute, uint64_t value,
			struct left_open *room, struct context_node **ret_node)
{
	struct context_node *to = tree_child(thread, thread->node, attribute, value);

	*ret_node = to;
	while (to && room->count) {
		room->count--;
		to = tree_child(thread, to, room->items[room->count].attribute,
				room->items[room->count].value);
	}
	room->next = own.unused;
	own.unused = room;
	if (to)
		events_move(thread, to, false, runtime_ticks());
}

static void enter_task(struct context_thread *thread, uint32_t attribute,
		       union openmp_data *task)
{
	struct left_open *room = (void *)(uintptr_t)(task->value & ~(uint64_t)EXPLICIT);
	uint64_t value = strings_intern("task", 4);
	struct context_node *node = NULL;

	if (!own.items)
		own.items = runtime_map(RUNNING_MAX * sizeof(*own.items));
	if (!own.items || own.count == RUNNING_MAX || !value)
		return;
	if (room) {
		task->value = EXPLICIT;
		enter_again(thread, attribute, value, room, &node);
	} else {
		events_begin_node(thread, attribute, "task");
		node = thread->node;
	}
	if (node)
		own.items[own.count++] = (struct running){task, node, value};
}

void openmp_task_switch(struct context_thread *thread, uint32_t attribute,
			union openmp_data *prior, bool over, union openmp_data *next)
{
	uint32_t found = 0;

	for (uint32_t i = own.count; next && i && !found; i--)
		if (own.items[i - 1].task == next)
			found = i;
	if (!found && next && next->value & EXPLICIT && !over) {
		enter_task(thread, attribute, next);
		return;
	}
	/* One that is over is the innermost; what is between it and the next one left. */
	while (own.count > found) {
		const struct running *last = &own.items[--own.count];

		leave_task(thread, last, over || last->task != prior);
		if (!found && next && next->value & EXPLICIT && last->task == prior)
			break;
	}
	if (!found && next && next->value & EXPLICIT)
		enter_task(thread, attribute, next);
}
