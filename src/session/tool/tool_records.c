#include "session/tool/tool_records.h"

#include "base/cleanup.h"
#include "code/plan/position.h"
#include "control/remote.h"
#include "session/state/module.h"
#include "session/state/region_path.h"
#include "session/state/tool_rows.h"

#include <stddef.h>

/* What records are taken with. */
struct taking {
	const struct space *space;
	struct region_source regions;
};

/* The code at a run-time address, by the index of its file in the session. */
static uint64_t find_code(void *context, uint64_t address)
{
	const struct space *space = ((const struct taking *)context)->space;
	const struct module *relocated = space_module_of_code(space, address);

	/* Calls in relocated functions return there. */
	if (relocated)
		return tool_code_number(relocated->file->index,
					module_locate(relocated, address).original);
	vector_for_each (&space->modules, module)
		if (module_holds_text(module, address))
			return tool_code_number(module->file->index,
						address - module->bias);
	vector_for_each (&space->gone, gone)
		if (address >= gone->text_start && address < gone->text_end)
			return tool_code_number(gone->file->index, address - gone->bias);
	return 0;
}

static void add_region(void *context, const char *encoded, struct text *text)
{
	region_path_add(&((struct taking *)context)->regions, encoded, text);
}

uint64_t tool_records_original(const struct space *space, uint64_t address)
{
	const struct module *relocated = space_module_of_code(space, address);

	return relocated ? relocated->bias + module_locate(relocated, address).original
			 : address;
}

void tool_records_take(struct session *session, const struct process *process)
{
	struct space *space = process->space;
	const uint64_t at = space && space->tools ? space->tools->table.records : 0;
	struct taking taking = {
		space, {.folder = session->options->context.folder, .pid = process->pid}};
	const struct tool_finder finder = {find_code, add_region, &taking};
	scoped_free uint8_t *bytes = NULL;
	uint64_t used = 0;

	if (!at ||
	    remote_failed(remote_read(space->memory_fd, at, &used, sizeof(used))) ||
	    !used)
		return;
	if (used > WIRE_TOOL_RECORDS_SIZE) {
		session->tool_shapes.bad++;
		return;
	}
	bytes = memory_allocate((size_t)used);
	if (remote_failed(remote_read(space->memory_fd,
				      at + offsetof(struct wire_tool_records, bytes),
				      bytes, (size_t)used)))
		return;
	tool_rows_add(&session->tool_shapes, &process->image->tool_rows, bytes,
		      (size_t)used, &finder);
	region_source_deinit(&taking.regions);
	used = 0;
	trm_error_destroy(remote_write(space->memory_fd, at, &used, sizeof(used)));
}

void tool_records_drop(const struct process *process)
{
	const struct space *space = process->space;
	const uint64_t head[] = {0, 1}; /* of struct wire_tool_records */

	if (space->tools && space->tools->table.records)
		trm_error_destroy(remote_write(space->memory_fd,
					       space->tools->table.records, head,
					       sizeof(head)));
}
