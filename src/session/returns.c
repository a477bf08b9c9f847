/*
 * Return addresses in relocated code: see src/resident/look.c, which does the same from
 * inside when a program is about to look at them. Here it is done for signal handlers.
 */
#include "session/session.h"

#include <unistd.h>

enum { PAGE = 4096, CHUNK = 64 << 10 };

/* Two addresses further apart than this are on different stacks. */
#define STACK_MAX (64ull << 20)

/* Of a stack whose end is not known, as a coroutine's, so much is looked through. It is
 * less than in look.c: signals may come often. */
#define UNKNOWN_MAX (1ull << 20)

/* Where code of ours is at all. */
static struct image_range all_code(const struct space *space)
{
	struct image_range all = {UINT64_MAX, 0};

	vector_for_each (&space->modules, module) {
		uint64_t end = module->code_address + module->code_size;

		if (!module->code_size)
			continue;
		all.start = module->code_address < all.start ? module->code_address
							     : all.start;
		all.end = end > all.end ? end : all.end;
	}
	return all;
}

static void show_word(const struct space *space, uint64_t address, uint64_t word)
{
	const struct module *module = space_module_of_code(space, word);
	uint64_t original;

	if (!module ||
	    !plan_return_of(module->file->plan, (uint32_t)(word - module->code_address),
			    &original))
		return;
	original += module->bias;
	trm_error_destroy(
		remote_write(space->memory_fd, address, &original, sizeof(original)));
}

void returns_show(const struct thread *thread, uint64_t rsp)
{
	const struct space *space = thread->process->space;
	uint64_t at = rsp & ~7ull, end = at + UNKNOWN_MAX;
	static uint64_t words[CHUNK / sizeof(uint64_t)];

	if (!space->copies_calls)
		return;
	const struct image_range code = all_code(space);

	if (thread->bank && thread->bank->shared->stack_end > at &&
	    thread->bank->shared->stack_end - at < STACK_MAX)
		end = thread->bank->shared->stack_end;
	while (at < end) {
		size_t size = CHUNK - at % PAGE;

		if (size > end - at)
			size = end - at;
		/* Up to where the stack ends. */
		ssize_t got = pread(space->memory_fd, words, size, (off_t)at);

		for (ssize_t i = 0; i < got / (ssize_t)sizeof(words[0]); i++)
			if (words[i] - code.start < code.end - code.start)
				show_word(space, at + (uint64_t)i * sizeof(words[0]),
					  words[i]);
		if (got < (ssize_t)size)
			return;
		at += size;
	}
}
