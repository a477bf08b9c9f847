#include "session/ways.h"

#include "base/cleanup.h"
#include "code/locate/locate.h"
#include "code/plan/plan_rows.h"
#include "session/module_text.h"

#include <string.h>

#define PAGE 4096u

_Static_assert(sizeof(struct wire_step) == sizeof(struct map_row) &&
		       WIRE_STEP_MOVED == (int)MAP_ROW_MOVED &&
		       WIRE_STEP_AWAY == (int)MAP_ROW_AWAY,
	       "the resident reads the steps of plans");
_Static_assert(sizeof(struct wire_ways) <= PAGE, "room for a header");

static uint64_t round_up(uint64_t size)
{
	return (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static uint64_t rows_size(const struct module_file *file)
{
	return file->ways.count * sizeof(*file->ways.items);
}

static uint64_t steps_size(const struct module_file *file)
{
	return file->lazy
		       ? file->steps_room
		       : file->plan->map_rows.count * sizeof(*file->plan->map_rows.items);
}

uint64_t ways_header_offset(const struct module_file *file)
{
	return round_up(file->lazy ? file->code_room : file->plan->code.count);
}

uint64_t ways_header_size(const struct module_file *file)
{
	return file->ways.count ? PAGE : 0;
}

uint64_t ways_size(const struct module_file *file)
{
	return file->ways.count ? round_up(rows_size(file)) + round_up(steps_size(file))
				: 0;
}

void ways_make(struct module_file *file)
{
	const struct plan *plan = file->plan;
	scoped_free uint32_t *numbers =
		memory_allocate((plan->functions.count + 1) * sizeof(*numbers));
	uint32_t count = 0;

	for (size_t i = 0; i < plan->functions.count; i++) {
		const struct plan_function *function = &plan->functions.items[i];

		numbers[i] = (uint32_t)file->ways.count;
		if (function->map_row_count)
			vector_push(&file->ways,
				    ((struct wire_way){
					    .address = function->address,
					    .size = function->size,
					    .code = function->trampoline,
					    .first_map_row = function->first_map_row,
					    .map_row_count = function->map_row_count,
				    }));
	}
	for (size_t place = 0; place < plan->functions.count; place++) {
		const struct plan_function *function = plan_by_code(plan, place);

		if (function->map_row_count)
			file->ways.items[count++].by_code =
				numbers[function - plan->functions.items];
	}
}

void ways_write(const struct module_file *file, uint8_t *ways)
{
	if (!file->ways.count)
		return;
	memcpy(ways, file->ways.items, rows_size(file));
	memcpy(ways + round_up(rows_size(file)), file->plan->map_rows.items,
	       steps_size(file));
}

void ways_write_header(const struct module *module, uint8_t *header)
{
	int64_t rows = (int64_t)(module->ways_at - ways_address(module));
	struct wire_ways ways = {
		.bias = module->bias,
		.code = module->code_address,
		.count = module->file->ways.count,
		.rows = rows,
		.steps = rows + (int64_t)round_up(rows_size(module->file)),
	};

	if (ways.count)
		memcpy(header, &ways, sizeof(ways));
}

uint64_t ways_address(const struct module *module)
{
	return module->file->ways.count
		       ? module->code_address + ways_header_offset(module->file)
		       : 0;
}

/* The row for an address: its own, or the next one, of which the oldest is given up. */
static struct wire_lead *row_for(struct wire_control *control, uint64_t original)
{
	uint64_t count = control->lead_count;

	for (uint64_t i = 0; i < count && i < WIRE_LEADS_MAX; i++)
		if (control->leads[i].original == original)
			return &control->leads[i];
	__atomic_store_n(&control->lead_count, count + 1, __ATOMIC_RELEASE);
	return &control->leads[count % WIRE_LEADS_MAX];
}

static void add_lead(struct wire_control *control, const struct wire_lead *lead)
{
	struct wire_lead *row = row_for(control, lead->original);
	struct wire_lead unready = *lead;

	if (!memcmp(row, lead, sizeof(*row)))
		return;
	unready.original = 0;
	__atomic_store_n(&row->original, 0, __ATOMIC_SEQ_CST);
	*row = unready;
	__atomic_store_n(&row->original, lead->original, __ATOMIC_SEQ_CST);
}

void ways_lead(const struct space *space, const struct module *module, uint32_t index)
{
	const struct plan *plan = module->file->plan;
	const struct plan_function *function = &plan->functions.items[index];
	const uint8_t *bytes = module_file_original(module->file, function->address,
						    function->displaced);

	for (unsigned i = 1; bytes && i < function->displaced; i++) {
		uint64_t link = function->address + i;
		const struct plan_patch *patch = plan_patch_behind(plan, link);
		struct wire_lead lead = {.original = link + module->bias};
		uint32_t offset;

		if (!patch || patch->address >= link ||
		    !plan_offset_of(plan, index, bytes, link, &offset))
			continue;
		lead.code = module->code_address + offset;
		lead.patch = patch->address + module->bias;
		lead.size = patch->size;
		memcpy(lead.bytes, patch->bytes, patch->size);
		add_lead(space->family->arena->control, &lead);
	}
}
