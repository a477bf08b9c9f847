#include "runtime/upcall/defer.h"

#include "runtime/channel/stack.h"
#include "runtime/libraries/wrap.h"
#include "runtime/upcall/stacks.h"
#include "runtime/upcall/threads.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

enum {
	UNSAFE_MAX = 8,
	/* __libc_start_call_main and __libc_start_main, or start_thread and clone. */
	FIRST_FRAMES_MAX = 2,
};

/* Each is in a module that has locks, or state of the thread that it changes. */
static const struct unsafe_function {
	const char *name;
	bool in_program_too; /* a program that has it itself has no safe place */
} unsafe_functions[] = {
	{"malloc", true},          {"free", true},           {"pthread_mutex_lock", true},
	{"fopen", true},           {"__tls_get_addr", true}, {"__cxa_throw", false},
	{"_Unwind_Resume", false},
};

static struct {
	const struct link_map *modules[UNSAFE_MAX];
	size_t count;
	bool possible;
} unsafe;

static const struct link_map *module_of(uint64_t address)
{
	struct dl_find_object object;

	return stack_find_code(address, &object) ? object.dlfo_link_map : NULL;
}

static bool is_unsafe(const struct link_map *module)
{
	for (size_t i = 0; i < unsafe.count; i++)
		if (unsafe.modules[i] == module)
			return true;
	return false;
}

void upcall_defer_init(void)
{
	unsafe.possible = stack_is_possible();
	unsafe.count = 0;
	for (size_t i = 0; i < sizeof(unsafe_functions) / sizeof(unsafe_functions[0]);
	     i++) {
		const struct unsafe_function *wanted = &unsafe_functions[i];
		void *function = wrap_find_function(wanted->name);
		const struct link_map *module =
			function ? module_of((uint64_t)function) : NULL;

		/* The program's own name is empty. */
		if (module && !*module->l_name && !wanted->in_program_too)
			continue;
		if (module && !is_unsafe(module) && unsafe.count < UNSAFE_MAX)
			unsafe.modules[unsafe.count++] = module;
	}
}

/* The stack's frames, without those that began the thread; 0: not all are known. */
static uint32_t count_frames(const struct stack_walker *walker)
{
	uint32_t count = walker->count;

	if (!count || !stack_walk_is_whole(walker))
		return 0;
	if (!is_unsafe(module_of(walker->frames[count - 1])))
		count--; /* _start */
	for (int i = 0; i < FIRST_FRAMES_MAX && count > 0; i++)
		count -= is_unsafe(module_of(walker->frames[count - 1]));
	return count;
}

static bool is_safe(struct upcall_thread *thread, const ucontext_t *context)
{
	struct stack_walker *walker = thread->walker;
	uint32_t count;

	trm_runtime_walk_signal(walker, context);
	count = count_frames(walker);
	for (uint32_t i = 0; i < count; i++) {
		const struct link_map *module = module_of(walker->frames[i]);

		if (!module || is_unsafe(module))
			return false;
	}
	return count > 0 && !walker->skipped;
}

static size_t run_waiting(struct upcall_thread *thread)
{
	size_t count = 0;

	thread->deferring = true;
	while (thread->deferred_count) {
		struct upcall_deferred first = thread->deferred[0];

		thread->deferred_count--;
		for (uint32_t i = 0; i < thread->deferred_count; i++)
			thread->deferred[i] = thread->deferred[i + 1];
		first.function(first.data);
		count++;
	}
	thread->deferring = false;
	__atomic_add_fetch(&upcalls.deferred_run, count, __ATOMIC_RELAXED);
	return count;
}

static void run_on_stack(struct upcall_frame *frame)
{
	run_waiting(frame->thread);
}

void upcall_defer_try(struct upcall_thread *thread, ucontext_t *context)
{
	struct upcall_frame frame = {.thread = thread, .upcall.context = context};

	if (!thread->deferred_count || thread->deferring || thread->top ||
	    !unsafe.possible || !is_safe(thread, context))
		return;
	/* That of any user, since none is in use. */
	while (frame.user + 1 < TRM_UPCALL_USERS_MAX && !thread->stacks[frame.user].low)
		frame.user++;
	upcall_stack_call(run_on_stack, &frame, context);
}

__attribute__((visibility("default"))) bool trm_upcall_defer(void (*function)(void *data),
							     void *data)
{
	struct upcall_thread *thread = upcall_threads_self();
	bool taken = false;

	if (thread && !thread->walker)
		thread->walker = stack_walker_create();
	if (thread && thread->walker &&
	    thread->deferred_count < TRM_UPCALL_DEFERRED_MAX) {
		thread->deferred[thread->deferred_count++] =
			(struct upcall_deferred){function, data};
		taken = true;
	}
	__atomic_add_fetch(taken ? &upcalls.deferred : &upcalls.deferred_lost, 1,
			   __ATOMIC_RELAXED);
	return taken;
}

__attribute__((visibility("default"))) size_t trm_upcall_run_deferred(void)
{
	struct upcall_thread *thread = upcall_threads_known();

	/* One that waits and is interrupted here by an upcall keeps its place. */
	if (!thread || thread->top || thread->deferring || !thread->deferred_count)
		return 0;
	return run_waiting(thread);
}
