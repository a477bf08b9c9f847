#include "session/modules/texts.h"

#include "base/page.h"
#include "session/cache/address_maps.h"
#include "session/cache/module_text.h"
#include "session/modules/trampolines.h"
#include "session/state/module.h"
#include "session/state/session.h"
#include "wire/control.h"

#include <string.h>

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

/* False if the patch is none to be told by. */
static bool make_seal(const struct module *module, const struct module_text *text,
		      const struct plan_patch *patch, struct wire_seal *ret_seal)
{
	const struct module_file *file = module->file;
	const uint8_t *patched = file->patched[text - file->texts];
	const uint8_t *original = file->bytes + text->file_offset;
	uint64_t at = patch->address - text->address;
	uint64_t in_part = at - text->part_offset;

	/* Others may follow in what surrounds functions that are not planned. */
	if (file->plan->functions.items[patch->function].trampoline == PLAN_LATER ||
	    patch->address < text->address + text->part_offset ||
	    at + sizeof(ret_seal->bytes) > module_text_available(file, text) ||
	    at % PAGE > PAGE - sizeof(ret_seal->bytes) ||
	    !memcmp(patched + in_part, original + at, sizeof(ret_seal->bytes)))
		return false;
	ret_seal->address = module->text_start + at;
	memcpy(ret_seal->bytes, patched + in_part, sizeof(ret_seal->bytes));
	return true;
}

static struct wire_undo undo_of(const struct module *module)
{
	const struct module_text *text = module_text_of(module);
	const struct module_file *file = module->file;
	const struct plan_patches *patches = &file->plan->patches;
	struct wire_undo undo = {
		.device = file->identity.device,
		.inode = file->identity.inode,
		.size = file->identity.size,
		.modified_ns = (uint64_t)file->identity.modified_ns,
		.file_offset = text->file_offset,
		.ways = trampolines_maps_header(module),
		.code = module->code_address,
		.code_size = address_maps_header_offset(file),
	};

	if (file->unwind.header) {
		undo.unwind_header = file->unwind.header + module->bias;
		undo.unwind_start = file->unwind.start + module->bias;
		undo.unwind_end = file->unwind.end + module->bias;
	}

	for (size_t i = 0; i < patches->count; i++)
		if (make_seal(module, text, &patches->items[i], &undo.seals[0]))
			break;
	for (size_t i = patches->count; i-- > 0;)
		if (make_seal(module, text, &patches->items[i], &undo.seals[1]))
			break;
	if (strlen(file->path) < sizeof(undo.path))
		strcpy(undo.path, file->path);
	return undo;
}

/* The last row is kept for when there are too many: it stands for all addresses, so every
 * call is asked for. */
static uint64_t row_for(const struct wire_control *control, uint64_t start, uint64_t end,
			const struct wire_undo *undo, bool *ret_known)
{
	uint64_t free_row = control->text_count;

	*ret_known = true;
	for (uint64_t i = 0; i < control->text_count; i++) {
		const struct wire_text *row = &control->texts[i];

		if (row->start == start && row->end == end &&
		    !memcmp(&control->undos[i], undo, sizeof(*undo)))
			return i;
		if (!row->end && free_row == control->text_count)
			free_row = i;
	}
	*ret_known = free_row == WIRE_TEXTS_MAX;
	return free_row;
}

/* What threads know by heart of texts holds no longer. */
static void note_change(struct wire_control *control)
{
	__atomic_fetch_add(&control->texts_changed, 1, __ATOMIC_SEQ_CST);
}

bool texts_add(const struct space *space, const struct module *module)
{
	struct wire_control *control = space->family->arena->control;
	uint64_t start = module->text_start, end = patched_end(module);
	struct wire_undo undo = {0};
	bool known;

	if (!end)
		return true;
	undo = undo_of(module);
	uint64_t row = row_for(control, start, end, &undo, &known);

	if (known)
		return true;
	if (row == WIRE_TEXTS_MAX - 1) {
		/* The resident must know its return addresses. */
		if (space->copies_calls)
			return false;
		start = 0;
		end = UINT64_MAX;
		undo = (struct wire_undo){0};
	}
	note_change(control);
	control->undos[row] = undo;
	__atomic_store_n(&control->texts[row].start, start, __ATOMIC_RELEASE);
	__atomic_store_n(&control->texts[row].end, end, __ATOMIC_RELEASE);
	if (row == control->text_count)
		__atomic_store_n(&control->text_count, row + 1, __ATOMIC_RELEASE);
	return true;
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
		    control->texts[i].end == end) {
			__atomic_store_n(&control->texts[i].end, 0, __ATOMIC_RELEASE);
			note_change(control);
		}
}

const struct module *texts_find(const struct space *space, uint64_t start, uint64_t size)
{
	uint64_t end = size > UINT64_MAX - start ? UINT64_MAX : start + size;

	vector_for_each (&space->modules, module)
		if (start < patched_end(module) && module->text_start < end)
			return module;
	return NULL;
}
