#include "session/modules/originals.h"

#include "control/remote.h"
#include "session/state/session.h"
#include "session/state/space.h"
#include "session/thread/borrowed_thread.h"
#include "session/thread/injection.h"
#include "wire/mailbox.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24 /* since Linux 5.18 */
#endif

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4 /* of files since Linux 5.13 */
#endif

/* Calls for a module. */
enum { MOVE, UNMAP, DROP, CALLS, MODULES = WIRE_BATCH_MAX / CALLS };

/* What is dropped behind the first two calls is nothing, if they did it. */
static void add_calls(struct wire_batch *batch, const struct module *module, bool locked)
{
	const uint64_t start = module->text_start, size = module->text_end - start;
	unsigned int moved = BATCH_ADD(batch, SYS_mremap, start, locked ? 0 : size, size,
				       MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0, 0);

	BATCH_ADD(batch, SYS_munmap, WIRE_RESULT(moved), size, 0, 0, 0, 0);
	BATCH_ADD(batch, SYS_madvise, start, size,
		  locked ? MADV_DONTNEED_LOCKED : MADV_DONTNEED, 0, 0, 0);
}

/* Whether it has locked pages in memory (mlock(2)). */
static bool has_locked(pid_t tid)
{
	uint64_t locked;

	return !remote_status(tid, "VmLck", 10, &locked) || locked;
}

static void show_original(struct session *session, struct thread *thread,
			  struct module **modules, size_t count)
{
	/* With the tracer dead, other threads would run meanwhile: see resident/ask.c. */
	struct wire_batch batch = {.together = 1};

	for (size_t i = 0; i < count; i++)
		add_calls(&batch, modules[i], has_locked(thread->tid));
	for (unsigned int i = 0; i < batch.count; i++)
		batch.calls[i].result = -1;
	if (!count || remote_failed(space_run(session, thread, &batch)))
		return;
	for (size_t i = 0; i < count; i++)
		modules[i]->restored = batch.calls[i * CALLS + MOVE].result > 0 ||
				       !batch.calls[i * CALLS + DROP].result;
}

void originals_show(struct session *session, struct space *space)
{
	struct module *modules[MODULES];
	size_t count = 0;
	struct borrowed_thread borrowed;

	/* A system call filter might not like it. */
	if (!borrowed_thread_find(session, space, &borrowed))
		return;
	if (remote_filters(borrowed.thread->tid) == space->filters) {
		vector_for_each (&space->modules, module) {
			if (!module->there || !module->code_size)
				continue;
			modules[count++] = module;
			if (count < MODULES)
				continue;
			show_original(session, borrowed.thread, modules, count);
			count = 0;
		}
		show_original(session, borrowed.thread, modules, count);
	}
	borrowed_thread_end(session, &borrowed);
}
