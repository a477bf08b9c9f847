/*
 * A child of fork begins where its parent was: what is open in the thread that forks is
 * noted before, in memory that the two do not share. In the spool the parent goes on, and
 * the child may look there much later, or never.
 */
#include "runtime/events/fork.h"
#include "runtime/events/events.h"
#include "runtime/store/memory.h"
#include "runtime/store/state.h"
#include "runtime/store/tree.h"

#include <dlfcn.h>
#include <unistd.h>

struct open_item {
	uint64_t value;
	uint32_t attribute;
};

struct open_path {
	size_t count, room;
	struct open_item items[]; /* innermost first */
};

static runtime_local struct open_path *noted;

static size_t size_for(size_t room)
{
	return sizeof(struct open_path) + room * sizeof(struct open_item);
}

static bool make_room(size_t count)
{
	size_t room = (4096 - sizeof(struct open_path)) / sizeof(struct open_item);

	if (noted && noted->room >= count)
		return true;
	fork_forget();
	while (room < count)
		room *= 2;
	noted = runtime_map(size_for(room));
	if (noted)
		noted->room = room;
	return noted != NULL;
}

void fork_prepare(void)
{
	const struct context_node *node = runtime_self ? runtime_self->node : NULL;
	size_t count = 0;

	/* A child that has said nothing passes on what it was born with. */
	if (!runtime_state->recording || !node || !node->parent)
		return;
	for (const struct context_node *at = node; at->parent; at = at->parent)
		count++;
	if (!make_room(count))
		return;
	for (size_t i = 0; node->parent && i < count; node = node->parent, i++)
		noted->items[i] = (struct open_item){node->value, node->attribute};
	noted->count = count;
}

void fork_parent(void)
{
	if (noted && runtime_state->recording)
		noted->count = 0;
}

void fork_enter_path(struct context_thread *thread)
{
	for (size_t i = noted ? noted->count : 0; thread && i > 0; i--) {
		struct context_node *node =
			tree_child(thread, thread->node, noted->items[i - 1].attribute,
				   noted->items[i - 1].value);

		if (!node)
			break;
		node->began = thread->last;
		thread->node = node;
	}
	if (noted)
		noted->count = 0;
	if (thread && thread->order && thread->node->parent)
		events_trace_move(thread, thread->last);
}

void fork_forget(void)
{
	if (noted)
		runtime_unmap(noted, size_for(noted->room));
	noted = NULL;
}

extern void *__dso_handle __attribute__((visibility("hidden")));
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
		      void *owner) __attribute__((weak));

bool fork_handle(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	int (*handle)(void (*)(void), void (*)(void), void (*)(void));

	if (__register_atfork) /* glibc */
		return !__register_atfork(prepare, parent, child, __dso_handle);
	*(void **)&handle = dlsym(RTLD_DEFAULT, "pthread_atfork"); /* musl */
	return handle && !handle(prepare, parent, child);
}

/* It calls no handlers of pthread_atfork. */
__attribute__((visibility("default"))) pid_t _Fork(void)
{
	static pid_t (*real)(void);
	pid_t child;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "_Fork");
	fork_prepare();
	child = real();
	if (child)
		fork_parent();
	return child;
}
