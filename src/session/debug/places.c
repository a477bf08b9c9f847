#include "session/debug/places.h"

#include "code/locate/address_map.h"
#include "code/locate/locate.h"
#include "control/remote.h"
#include "session/cache/module_text.h"
#include "session/state/module.h"
#include "session/state/space.h"
#include "session/state/tables.h"
#include "session/state/unpatched_list.h"
#include "wire/layout.h"
#include "x86/decode.h"

#include <string.h>

enum { INSTRUCTION = 15, ENDBR64 = 4, TRAMPOLINE_MAX = 4096 };

static void add_place(struct debug_place places[DEBUG_PLACES], size_t *count,
		      uint64_t address, bool text)
{
	if (*count < DEBUG_PLACES)
		places[(*count)++] = (struct debug_place){address, text};
}

static bool is_endbr64(const struct module *module, uint64_t link)
{
	static const uint8_t bytes[ENDBR64] = {0xf3, 0x0f, 0x1e, 0xfa};
	const uint8_t *there = module_file_original(module->file, link, ENDBR64);

	return there && !memcmp(there, bytes, ENDBR64);
}

static bool is_measured(const struct module *module)
{
	return module && !module->broken && !module->restored && module->code_size &&
	       module->file->plan;
}

/* Finds the copies of an instruction in the trampoline of a function of which only the
 * entry was relocated. */
static void add_displaced(const struct module *module,
			  const struct plan_function *function, uint64_t link,
			  struct debug_place places[DEBUG_PLACES], size_t *count)
{
	const struct plan *plan = module->file->plan;
	const uint32_t copied = function->copied > function->displaced
					? function->copied
					: function->displaced;
	size_t end;

	if (function->trampoline == PLAN_LATER || link - function->address >= copied)
		return;
	end = plan_code_end(plan, function);
	if (end > function->trampoline + (size_t)TRAMPOLINE_MAX)
		end = function->trampoline + (size_t)TRAMPOLINE_MAX;
	for (size_t at = function->trampoline; at < end; at++) {
		const struct plan_position place =
			module_locate(module, module->code_address + at);

		if (place.kind != PLAN_POSITION_MOVED && place.original == link &&
		    debug_is_own(module, &place, module->code_address + at))
			add_place(places, count, module->code_address + at, false);
	}
}

/* Whether the bytes of a patch are there: where a function is led back they are not. */
static bool is_there(const struct space *space, const struct module *module,
		     const struct plan_patch *patch)
{
	uint8_t bytes[sizeof(patch->bytes)];

	if (!space->fired.unpatched.count)
		return true;
	return !remote_failed(remote_read(space->memory_fd, patch->address + module->bias,
					  bytes, patch->size)) &&
	       !memcmp(bytes, patch->bytes, patch->size);
}

/* Whether the program may execute its own bytes at an address. */
static bool runs_in_text(const struct space *space, const struct module *module,
			 uint64_t link)
{
	const struct plan_patch *patch;

	if (!is_measured(module) || space->holding)
		return true;
	patch = plan_patch_behind(module->file->plan, link);
	return !patch || patch->address > link || !is_there(space, module, patch);
}

/* The rows of a function that was relocated whole. */
static bool add_moved(const struct module *module, uint64_t link,
		      struct debug_place places[DEBUG_PLACES], size_t *count)
{
	const struct plan *plan = module->file->plan;
	uint32_t offset;

	if (!plan_moved_to(plan, link, false, &offset))
		return true;
	add_place(places, count, module->code_address + offset, false);
	return module_locate(module, module->code_address + offset).original == link;
}

static bool is_of_ours(const struct space *space, uint64_t address)
{
	return space->family &&
	       (address - space->family->arena->address < WIRE_BANKS_OFFSET ||
		space_module_of_code(space, address));
}

size_t debug_places_in(const struct space *space, uint64_t address,
		       struct debug_place places[DEBUG_PLACES], bool *ret_exact)
{
	const struct module *module = space_module_of_text(space, address);
	const struct plan_function *function = NULL;
	uint64_t link = module ? address - module->bias : 0;
	size_t count = 0;

	*ret_exact = true;
	if (is_of_ours(space, address))
		return 0;
	if (is_measured(module) && !space->holding)
		function = plan_function_at(module->file->plan, link);
	if (function && link - function->address >= function->size)
		function = NULL;
	if (!function) {
		add_place(places, &count, address, true);
		return count;
	}
	/* Calls lead around an endbr64, which stays where it is. */
	const bool mark = link == function->address && is_endbr64(module, link);

	if (function->map_row_count)
		*ret_exact = add_moved(module, link, places, &count);
	else
		add_displaced(module, function, link, places, &count);
	if (mark && !count && function->map_row_count)
		add_moved(module, link + ENDBR64, places, &count);
	else if (mark && !count)
		add_displaced(module, function, link + ENDBR64, places, &count);
	if (mark && count) {
		*ret_exact = true;
		return count;
	}
	if (runs_in_text(space, module, link)) {
		add_place(places, &count, address, true);
	} else if (!count && debug_is_at_jump(space, address)) {
		/* It is met by those that come to the jump. */
		add_place(places, &count, address, true);
		*ret_exact = false;
	}
	return count;
}

/* The instruction of the original at an address; false: it is not known. */
static bool decode_original(const struct module *module, uint64_t link,
			    struct instruction *ret)
{
	size_t size = INSTRUCTION;
	const uint8_t *bytes = NULL;

	while (size && !(bytes = module_file_original(module->file, link, size)))
		size--;
	return size && decode_instruction(bytes, size, link, ret);
}

/* Whether what a thread is in front of is there for another instruction, too, which has
 * no code of its own. */
static bool has_no_code(const struct module *module, uint64_t link,
			const struct debug_view *view)
{
	uint32_t offset;

	return link + module->bias != view->original &&
	       plan_moved_to(module->file->plan, link, false, &offset) &&
	       module_locate(module, module->code_address + offset).original != link &&
	       module_locate(module, module->code_address + offset).original +
			       module->bias ==
		       view->original;
}

uint64_t debug_skipped(const struct space *space, uint64_t from,
		       const struct debug_view *view)
{
	const struct module *module =
		space && space->family && !space->holding
			? space_module_of_text(space, view->original)
			: NULL;
	const struct plan_function *function;
	struct instruction instruction = {0};
	const uint64_t link = module ? view->original - module->bias : 0;

	if (!is_measured(module) || view->real.rip == view->original)
		return 0;
	function = plan_function_at(module->file->plan, link);
	if (function && link == function->address + ENDBR64 &&
	    is_endbr64(module, function->address) &&
	    from - module->bias != function->address)
		return function->address + module->bias;
	if (!module_holds_text(module, from) ||
	    !decode_original(module, from - module->bias, &instruction))
		return 0;
	if (has_no_code(module, from - module->bias + instruction.length, view))
		return from + instruction.length;
	if ((instruction.kind == INSTRUCTION_JUMP ||
	     instruction.kind == INSTRUCTION_CONDITION) &&
	    has_no_code(module, instruction.target, view))
		return instruction.target + module->bias;
	return 0;
}

uint64_t debug_skip(const struct space *space, uint64_t address,
		    const struct debug_view *view)
{
	const struct module *module = space_module_of_text(space, address);
	struct instruction instruction = {0};
	uint32_t offset;
	uint64_t next;

	if (!module || !decode_original(module, address - module->bias, &instruction))
		return 0;
	if (is_endbr64(module, address - module->bias) &&
	    plan_moved_to(module->file->plan, address - module->bias, false, &offset) &&
	    module_locate(module, module->code_address + offset).original ==
		    address - module->bias)
		return DEBUG_RUNS_IT;
	next = instruction.kind == INSTRUCTION_JUMP
		       ? instruction.target
		       : address - module->bias + instruction.length;
	return has_no_code(module, next, view) ? next + module->bias : 0;
}

size_t debug_places(const struct session *session, pid_t pid, uint64_t address,
		    struct debug_place *places, size_t room)
{
	struct debug_place found[DEBUG_PLACES];
	size_t count = 0;
	bool exact;

	vector_for_each (&session->all_processes, process)
		if ((*process)->pid == pid && (*process)->space)
			count = debug_places_in((*process)->space, address, found,
						&exact);
	count = count < room ? count : room;
	memcpy(places, found, count * sizeof(*places));
	return count;
}

bool debug_counts_exactly(const struct session *session, pid_t pid, uint64_t address)
{
	struct debug_place found[DEBUG_PLACES];
	bool exact = true;

	vector_for_each (&session->all_processes, process)
		if ((*process)->pid == pid && (*process)->space)
			debug_places_in((*process)->space, address, found, &exact);
	return exact;
}

uint64_t debug_probes_before(const struct session *session, pid_t pid, uint64_t address)
{
	const struct process *process = session_find_process(session, pid);
	const struct module *module =
		process && process->space && process->space->family
			? space_module_of_text(process->space, address)
			: NULL;
	const struct plan_function *function;
	uint64_t link = module ? address - module->bias : 0;
	uint32_t front;

	if (!is_measured(module))
		return 0;
	function = plan_function_at(module->file->plan, link);
	if (!function)
		return 0;
	if (plan_moved_to(module->file->plan, link, true, &front))
		return module->code_address + front;
	if (function->trampoline == PLAN_LATER || function->call_end ||
	    link - function->address > ENDBR64 || !function->displaced)
		return 0;
	return module->code_address + function->trampoline;
}
