#include "session/state/module.h"

#include "code/locate/locate.h"
#include "code/plan/position.h"
#include "control/remote.h"
#include "session/cache/module_text.h"
#include "session/state/space.h"

const struct module *modules_using_gs(const struct space *space)
{
	vector_for_each (&space->modules, module)
		if (module->file->plan && module->file->plan->uses_gs)
			return module;
	return NULL;
}

struct module *space_module_of_text(const struct space *space, uint64_t address)
{
	vector_for_each (&space->modules, module)
		if (!module->broken && module_holds_text(module, address))
			return module;
	return NULL;
}

struct module *space_module_of_code(const struct space *space, uint64_t address)
{
	vector_for_each (&space->modules, module)
		if (module->code_size && address >= module->code_address &&
		    address < module->code_address + module->code_size)
			return module;
	return NULL;
}

/* Where the part of the text that patches change lies in the program. What is mapped
 * behind the text is taken along, unless the text itself goes on behind the part. */
struct image_range module_part_of(const struct module *module)
{
	const struct module_text *text = module_text_of(module);
	uint64_t end = text->part_offset + text->part_size;
	struct image_range range = {module->text_start + text->part_offset,
				    module->text_end};

	if (end < text->size && module->text_start + end < range.end)
		range.end = module->text_start + end;
	return range;
}

const struct module_text *module_text_of(const struct module *module)
{
	for (uint32_t i = 0; i < module->file->text_count; i++)
		if (module->file->texts[i].address + module->bias == module->text_start)
			return &module->file->texts[i];
	return NULL;
}

static const uint8_t *original_at(void *context, uint64_t address, size_t size)
{
	return module_file_original(context, address, size);
}

struct plan_position module_locate(const struct module *module, uint64_t address)
{
	return plan_locate(module->file->plan, original_at, module->file,
			   (uint32_t)(address - module->code_address));
}

bool module_callee(const struct space *space, const struct module *module,
		   const struct plan_position *place, unsigned long long *ret_address)
{
	uint64_t address = place->original + module->bias;

	if (place->word && remote_failed(remote_read(space->memory_fd, address, &address,
						     sizeof(address))))
		return false;
	*ret_address = address;
	return true;
}
