#include "session/follow/dropping.h"

#include "base/page.h"
#include "control/remote.h"
#include "session/modules/texts.h"
#include "session/state/space.h"
#include "session/thread/injection.h"
#include "wire/hooks.h"
#include "wire/mailbox.h"
#include "wire/registers.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* The texts with patches that overlap, sorted by address, as far as there is room. */
static size_t find_texts(const struct space *space, uint64_t start, uint64_t end,
			 struct image_range *ranges, size_t room)
{
	size_t count = 0;

	for (uint64_t at = start; count < room; at = ranges[count++].end) {
		const struct module *first = NULL;

		vector_for_each (&space->modules, module)
			if (module->text_end > at && module->text_start < end &&
			    texts_find(space, module->text_start, 1) &&
			    (!first || module->text_start < first->text_start))
				first = module;
		if (!first)
			break;
		ranges[count] = (struct image_range){first->text_start, first->text_end};
	}
	return count;
}

/* The arguments as the hook has saved them: the call is made with what is there. */
static void change_call(const struct thread *thread, uint64_t rsp,
			const struct dropping *dropping, const uint64_t arguments[3])
{
	static const uint64_t places[2][3] = {
		{offsetof(struct wire_registers, rdi),
		 offsetof(struct wire_registers, rsi),
		 offsetof(struct wire_registers, rdx)},
		{offsetof(struct wire_registers, rsi),
		 offsetof(struct wire_registers, rdx),
		 offsetof(struct wire_registers, rcx)},
	};

	for (int i = 0; i < 3; i++)
		remote_failed(remote_write(thread->process->space->memory_fd,
					   rsp - WIRE_HOOK_FRAME +
						   places[dropping->in_syscall][i],
					   &arguments[i], sizeof(arguments[i])));
}

void dropping_serve(struct session *session, struct thread *thread, uint64_t rsp,
		    const struct dropping *dropping)
{
	const uint64_t end = page_round_up(dropping->address + dropping->size);
	struct image_range texts[WIRE_BATCH_MAX - 1];
	struct wire_batch batch = {0};
	uint64_t at = dropping->address;

	if (dropping->address % PAGE || end < at)
		return; /* the kernel refuses it */
	size_t count =
		find_texts(thread->process->space, at, end, texts, WIRE_BATCH_MAX - 1);

	for (size_t i = 0; i <= count; i++) {
		uint64_t stop = i < count ? texts[i].start : end;

		if (at < stop)
			BATCH_ADD(&batch, SYS_madvise, at, stop - at, dropping->advice, 0,
				  0, 0);
		at = i < count ? texts[i].end : end;
	}
	if (!count || (batch.count && remote_failed(space_run(session, thread, &batch))))
		return;
	uint64_t first =
		texts[0].start > dropping->address ? texts[0].start : dropping->address;
	uint64_t arguments[3] = {first, (texts[0].end < end ? texts[0].end : end) - first,
				 MADV_WILLNEED};

	/* What fails is left to the program's own call. */
	for (unsigned int i = 0; i < batch.count; i++)
		if (batch.calls[i].result < 0) {
			arguments[0] = batch.calls[i].arguments[0];
			arguments[1] = batch.calls[i].arguments[1];
			arguments[2] = dropping->advice;
			break;
		}
	change_call(thread, rsp, dropping, arguments);
}
