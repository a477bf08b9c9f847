#include "session/position/text_jumps.h"

#include "code/locate/address_map.h"
#include "code/locate/locate.h"
#include "code/plan/position.h"
#include "control/remote.h"
#include "session/state/module.h"
#include "session/state/unpatched_list.h"

#include <string.h>

static bool is_at_home(const struct space *space, const struct module *module,
		       uint64_t rip)
{
	return space->fired.unpatched.count && unpatched_list_has(space, module, rip);
}

/* Finds a patch of the plan, which may be gone where a function is unpatched. */
static bool find_patch(const struct space *space, const struct module *module,
		       uint64_t rip, uint32_t *ret_offset)
{
	const struct plan *plan = module->file->plan;
	uint64_t link = rip - module->bias;
	const struct plan_patch *patch = plan_patch_behind(plan, link);
	uint8_t bytes[PLAN_JUMP];

	if (!patch || patch->address != link || patch->size != PLAN_JUMP ||
	    !plan_jump_leads(plan, link, patch->bytes, ret_offset))
		return false;
	return !is_at_home(space, module, rip) ||
	       (!remote_failed(
			remote_read(space->memory_fd, rip, bytes, sizeof(bytes))) &&
		!memcmp(bytes, patch->bytes, sizeof(bytes)));
}

/* Finds an island in an unpatched function: other jumps there lie where blocks begin. */
static bool find_island(const struct space *space, const struct module *module,
			uint64_t rip, uint32_t *ret_offset)
{
	const struct plan *plan = module->file->plan;
	uint8_t bytes[PLAN_JUMP];

	return is_at_home(space, module, rip) &&
	       !remote_failed(remote_read(space->memory_fd, rip, bytes, sizeof(bytes))) &&
	       plan_jump_leads(plan, rip - module->bias, bytes, ret_offset) &&
	       module_locate(module, module->code_address + *ret_offset).original !=
		       rip - module->bias;
}

bool text_jump_find(const struct space *space, uint64_t rip, struct text_jump *ret)
{
	const struct module *module = space_module_of_text(space, rip);
	uint32_t offset;

	if (!module || module->broken || !module->file->plan ||
	    (!find_patch(space, module, rip, &offset) &&
	     !find_island(space, module, rip, &offset)))
		return false;
	*ret = (struct text_jump){
		.module = module,
		.link = rip - module->bias,
		.target = module->code_address + offset,
		.place = module_locate(module, module->code_address + offset),
	};
	return ret->place.kind != PLAN_POSITION_UNKNOWN;
}

void text_jump_leave(const struct thread *thread)
{
	const struct space *space = thread->process->space;
	struct user_regs_struct registers;
	struct text_jump jump;

	if (!space->family || space->holding ||
	    remote_failed(remote_get_registers(thread->tid, &registers)) ||
	    !text_jump_find(space, registers.rip, &jump) ||
	    jump.place.original == jump.link)
		return;
	registers.rip = jump.target;
	trm_error_destroy(remote_set_registers(thread->tid, &registers));
}
