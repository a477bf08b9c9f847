#include "session/cache/address_maps.h"

#include "base/cleanup.h"
#include "base/page.h"
#include "code/plan/plan_rows.h"
#include "wire/ways.h"

#include <string.h>

_Static_assert(sizeof(struct wire_step) == sizeof(struct map_row) &&
		       WIRE_STEP_MOVED == (int)MAP_ROW_MOVED &&
		       WIRE_STEP_AWAY == (int)MAP_ROW_AWAY &&
		       WIRE_STEP_POINT == (int)MAP_ROW_POINT &&
		       WIRE_STEP_PATH == (int)MAP_ROW_PATH,
	       "the resident reads the steps of plans");
_Static_assert(sizeof(struct wire_ways) <= PAGE, "room for a header");

static uint64_t rows_size(const struct module_file *file)
{
	return file->address_maps.count * sizeof(*file->address_maps.items);
}

static uint64_t steps_size(const struct module_file *file)
{
	return file->lazy
		       ? file->steps_room
		       : file->plan->map_rows.count * sizeof(*file->plan->map_rows.items);
}

uint64_t address_maps_header_offset(const struct module_file *file)
{
	return page_round_up(file->lazy ? file->code_room : file->plan->code.count);
}

uint64_t address_maps_header_size(const struct module_file *file)
{
	return file->address_maps.count ? PAGE : 0;
}

uint64_t address_maps_size(const struct module_file *file)
{
	return file->address_maps.count
		       ? page_round_up(rows_size(file)) + page_round_up(steps_size(file))
		       : 0;
}

void address_maps_make(struct module_file *file)
{
	const struct plan *plan = file->plan;
	scoped_free uint32_t *numbers =
		memory_allocate((plan->functions.count + 1) * sizeof(*numbers));
	uint32_t count = 0;

	for (size_t i = 0; i < plan->functions.count; i++) {
		const struct plan_function *function = &plan->functions.items[i];

		numbers[i] = (uint32_t)file->address_maps.count;
		if (function->map_row_count)
			vector_push(&file->address_maps,
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
			file->address_maps.items[count++].by_code =
				numbers[function - plan->functions.items];
	}
}

void address_maps_write(const struct module_file *file, uint8_t *ways)
{
	if (!file->address_maps.count)
		return;
	memcpy(ways, file->address_maps.items, rows_size(file));
	memcpy(ways + page_round_up(rows_size(file)), file->plan->map_rows.items,
	       steps_size(file));
}

uint64_t address_maps_steps_offset(const struct module_file *file)
{
	return page_round_up(rows_size(file));
}

uint64_t address_maps_code_size(const struct module_file *file)
{
	return address_maps_header_offset(file) + address_maps_header_size(file) +
	       ADDRESS_MAPS_FINISH_SIZE;
}
