/*
 * Which texts hold patches, told to the program: a call that is about to change one of
 * them (hot patching) must be heard of before. The table lies in the control page, which
 * all that is forked from an image share; so it is that of all their spaces together, and
 * a thread may ask for a text that its own process does not have.
 */
#include "session/session.h"

/* Where patches may lie: while ld.so loads a module its mapping may reach further. 0:
 * there are none. */
static uint64_t patched_end(const struct module *module)
{
	const struct module_text *text = module_text_of(module);

	if (module->broken || !text || !module->file->plan ||
	    !module->file->plan->code.count)
		return 0;
	uint64_t end = module->text_start + text->size;

	return end < module->text_end ? end : module->text_end;
}

/* With no row left the first one stands for all addresses: every call is asked for. */
static struct wire_text *row_for(struct wire_control *control, uint64_t *start,
				 uint64_t *end)
{
	struct wire_text *free_row = NULL;

	for (uint64_t i = 0; i < control->text_count; i++) {
		struct wire_text *row = &control->texts[i];

		if (row->start <= *start && row->end >= *end)
			return NULL;
		if (!row->end && !free_row)
			free_row = row;
	}
	if (free_row)
		return free_row;
	if (control->text_count < WIRE_TEXTS_MAX)
		return &control->texts[control->text_count];
	*start = 0;
	*end = UINT64_MAX;
	return &control->texts[0];
}

void texts_add(const struct space *space, const struct module *module)
{
	struct wire_control *control = space->family->arena->control;
	uint64_t start = module->text_start, end = patched_end(module);
	struct wire_text *row = end ? row_for(control, &start, &end) : NULL;

	if (!row)
		return;
	/* A row that is in use only grows. */
	__atomic_store_n(&row->start, start, __ATOMIC_RELEASE);
	__atomic_store_n(&row->end, end, __ATOMIC_RELEASE);
	if (row == &control->texts[control->text_count])
		__atomic_store_n(&control->text_count, control->text_count + 1,
				 __ATOMIC_RELEASE);
}

static bool has_text(const struct space *space, uint64_t start)
{
	vector_for_each (&space->modules, module)
		if (module->text_start == start && patched_end(module))
			return true;
	return false;
}

void texts_remove(const struct session *session, const struct space *space,
		  const struct module *module)
{
	struct wire_control *control = space->family->arena->control;
	uint64_t end = patched_end(module);

	vector_for_each (&session->all_processes, process) {
		const struct space *other = (*process)->space;

		if (other && other != space && other->family == space->family &&
		    has_text(other, module->text_start))
			return;
	}
	for (uint64_t i = 0; end && i < control->text_count; i++)
		if (control->texts[i].start == module->text_start &&
		    control->texts[i].end == end)
			__atomic_store_n(&control->texts[i].end, 0, __ATOMIC_RELEASE);
}

const struct module *texts_find(const struct space *space, uint64_t start, uint64_t size)
{
	uint64_t end = size > UINT64_MAX - start ? UINT64_MAX : start + size;

	vector_for_each (&space->modules, module)
		if (start < patched_end(module) && module->text_start < end)
			return module;
	return NULL;
}
