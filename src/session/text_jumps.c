#include "session/text_jumps.h"

#include "session/signals.h"

#include <string.h>

/* Where a function is at home, the jump may not be there. */
static bool holds_patch(const struct space *space, uint64_t rip,
			const struct plan_patch *patch)
{
	uint8_t bytes[sizeof(patch->bytes)];

	return !space->fired.homes.count ||
	       (!remote_failed(remote_read(space->memory_fd, rip, bytes, patch->size)) &&
		!memcmp(bytes, patch->bytes, patch->size));
}

bool text_jump_find(const struct space *space, uint64_t rip, struct text_jump *ret)
{
	vector_for_each (&space->modules, module) {
		const struct plan *plan = module->file->plan;
		uint64_t link = rip - module->bias;
		int32_t distance;

		if (rip < module->text_start || rip >= module->text_end || module->broken)
			continue;
		const struct plan_patch *patch = plan_patch_behind(plan, link);

		if (!patch || patch->address != link || patch->size != 5 ||
		    patch->bytes[0] != 0xe9 || !holds_patch(space, rip, patch))
			return false;
		memcpy(&distance, patch->bytes + 1, sizeof(distance));
		uint64_t target = link + 5 + (uint64_t)(int64_t)distance -
				  plan->code_address + module->code_address;

		*ret = (struct text_jump){module, link, target,
					  module_locate(module, target)};
		return ret->place.kind != PLAN_PLACE_UNKNOWN;
	}
	return false;
}

void signals_leave_island(const struct thread *thread)
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
