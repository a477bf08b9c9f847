/*
 * Texts are given back as they came in one system call of the program's: pages of its
 * own, which have the patches, are dropped, and those of the module's file show again
 * (madvise(2)). Writing the original bytes goes page by page, and a tracer that is killed
 * in between leaves a jump cut in half where it lies on two pages. Besides, the program's
 * pages are clean then.
 */
#include "session/session.h"
#include "session/signals.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24 /* since Linux 5.18 */
#endif

/* Calls for a module; of both one works, where pages are locked the second. */
enum { CALLS = 2, MODULES = WIRE_BATCH_MAX / CALLS };

static void add_calls(struct wire_batch *batch, const struct module *module)
{
	static const uint64_t advice[CALLS] = {MADV_DONTNEED, MADV_DONTNEED_LOCKED};

	for (int i = 0; i < CALLS; i++)
		BATCH_ADD(batch, SYS_madvise, module->text_start,
			  module->text_end - module->text_start, advice[i], 0, 0, 0);
}

static void show(struct session *session, struct thread *thread, struct module **modules,
		 size_t count)
{
	/* With the controller dead, other threads would run meanwhile: see resident.c. */
	struct wire_batch batch = {.together = 1};

	for (size_t i = 0; i < count; i++)
		add_calls(&batch, modules[i]);
	for (unsigned int i = 0; i < batch.count; i++)
		batch.calls[i].result = -1;
	if (!count || remote_failed(space_run(session, thread, &batch)))
		return;
	for (unsigned int i = 0; i < batch.count; i++)
		modules[i / CALLS]->restored |= !batch.calls[i].result;
}

void originals_show(struct session *session, struct space *space)
{
	struct module *modules[MODULES];
	size_t count = 0;
	struct loan loan;

	/* A system call filter might not like it. */
	if (!loan_find(session, space, &loan))
		return;
	if (thread_filters(loan.thread->tid) == space->filters) {
		vector_for_each (&space->modules, module) {
			if (!module->there || !module->code_size)
				continue;
			modules[count++] = module;
			if (count < MODULES)
				continue;
			show(session, loan.thread, modules, count);
			count = 0;
		}
		show(session, loan.thread, modules, count);
	}
	loan_end(session, &loan);
}
