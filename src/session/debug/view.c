#include "session/debug/view.h"

#include "code/locate/address_map.h"
#include "code/locate/locate.h"
#include "control/remote.h"
#include "session/cache/module_text.h"
#include "session/position/interrupted_calls.h"
#include "session/position/reentry.h"
#include "session/position/settle.h"
#include "session/position/text_jumps.h"
#include "session/state/module.h"
#include "session/state/space.h"
#include "wire/layout.h"

#include <string.h>

enum { ENDBR64 = 4 }; /* bytes of that instruction */

/* Whether nothing of the program's is put by at a place. */
static bool is_clean(const struct plan_position *place)
{
	return !place->stack && !place->pushed && !place->flags && !place->kept &&
	       !place->inside;
}

bool debug_is_own(const struct module *module, const struct plan_position *place,
		  uint64_t address)
{
	const struct plan *plan = module->file->plan;
	const uint32_t at = (uint32_t)(address - module->code_address);
	const struct plan_function *function;
	const uint8_t *original;
	uint32_t offset;

	if (place->kind == PLAN_POSITION_DISPLACED)
		return !place->inside;
	if (place->kind == PLAN_POSITION_MOVED)
		return plan_moved_to(plan, place->original, false, &offset) &&
		       offset == at;
	if (place->kind != PLAN_POSITION_START)
		return false;
	function = &plan->functions.items[place->function];
	original = module_file_original(module->file, function->address,
					function->displaced);
	return original &&
	       plan_offset_of(plan, place->function, original, place->original,
			      &offset) &&
	       offset == at;
}

/* Whether a thread is behind the begin of the instruction's own code: it may count once
 * more. */
static bool has_begun(const struct module *module, const struct plan_position *place,
		      uint64_t address)
{
	uint32_t offset;

	return place->kind == PLAN_POSITION_MOVED &&
	       plan_moved_to(module->file->plan, place->original, false, &offset) &&
	       address - module->code_address - offset - 1 < MAP_ROW_CODE_MAX;
}

static void view_code(const struct space *space, const struct module *module,
		      struct debug_view *view)
{
	const struct plan_position place = module_locate(module, view->real.rip);
	unsigned long long callee = 0;

	view->original = place.original + module->bias;
	switch (place.kind) {
	case PLAN_POSITION_PROBE:
	case PLAN_POSITION_START:
	case PLAN_POSITION_DISPLACED:
	case PLAN_POSITION_MOVED:
		view->front = is_clean(&place);
		view->own = view->front && debug_is_own(module, &place, view->real.rip);
		view->begun = view->front && has_begun(module, &place, view->real.rip);
		break;
	case PLAN_POSITION_BACK: {
		const struct plan_function *function =
			&module->file->plan->functions.items[place.function];

		view->front = true;
		view->original = function->address + function->displaced + module->bias;
		break;
	}
	case PLAN_POSITION_CALL_DONE:
		view->front =
			is_clean(&place) && module_callee(space, module, &place, &callee);
		if (view->front)
			view->original = callee;
		break;
	default:
		break;
	}
}

bool debug_is_at_jump(const struct space *space, uint64_t address)
{
	const struct module *module = space_module_of_text(space, address);
	const struct plan_patch *patch;
	uint8_t bytes[sizeof(patch->bytes)];

	if (!module || !module->file->plan || !module->code_size || module->restored)
		return false;
	patch = plan_patch_behind(module->file->plan, address - module->bias);
	return patch && patch->address == address - module->bias &&
	       (patch->bytes[0] == 0xe9 || patch->bytes[0] == 0xeb) &&
	       !remote_failed(
		       remote_read(space->memory_fd, address, bytes, patch->size)) &&
	       !memcmp(bytes, patch->bytes, patch->size);
}

static void view_text(const struct space *space, struct debug_view *view)
{
	struct text_jump jump;

	view->original = view->real.rip;
	if (space->holding || !debug_is_at_jump(space, view->real.rip)) {
		view->front = view->own = true;
		return;
	}
	/* What leads to a gate is in front of an entry, or behind its endbr64. */
	view->front = !text_jump_find(space, view->real.rip, &jump) ||
		      jump.place.original == jump.link ||
		      jump.place.original + ENDBR64 == jump.link;
	if (!view->front)
		view->original = jump.place.original + jump.module->bias;
}

bool debug_view(const struct thread *thread, struct debug_view *ret_view)
{
	const struct space *space = thread->process->space;
	struct debug_view view = {0};

	if (remote_failed(remote_get_registers(thread->tid, &view.real)))
		return false;
	view.shown = view.real;
	view.original = view.real.rip;
	if (!space || !space->family) {
		view.front = view.own = true;
	} else if (interrupted_calls_are_in_rest(thread, view.real.rip)) {
		interrupted_calls_leave_rest(thread, &view.shown);
		view.front = true;
		view.original = view.shown.rip;
	} else {
		const uint64_t arena = space->family->arena->address;
		const struct module *module = space_module_of_code(space, view.real.rip);

		if (module)
			view_code(space, module, &view);
		else if (view.real.rip - arena >= WIRE_BANKS_OFFSET)
			view_text(space, &view);
	}
	view.shown.rip = view.original;
	view.shown.gs_base = 0;
	view.shown.eflags &= ~0x100ull;
	*ret_view = view;
	return true;
}

uint64_t debug_way_to(const struct space *space, uint64_t original)
{
	uint64_t way;

	if (space && space->family && !space->holding &&
	    settle_is_in_patch(space, original) && reentry_find(space, original, &way))
		return way;
	return original;
}
