#include "session/place.h"

#include "code/locate/locate.h"
#include "code/plan/position.h"
#include "session/module_text.h"
#include "session/signals.h"

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
