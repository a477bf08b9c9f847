#include "session/session.h"

static const uint8_t *original_at(void *context, uint64_t address, size_t size)
{
	return module_file_original(context, address, size);
}

struct plan_place module_locate(const struct module *module, uint64_t address)
{
	return plan_locate(module->file->plan, original_at, module->file,
			   (uint32_t)(address - module->code_address));
}
