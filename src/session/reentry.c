#include "session/reentry.h"

#include "code/locate/address_map.h"
#include "code/locate/locate.h"
#include "code/plan/plan_rows.h"
#include "session/module_text.h"
#include "session/modules.h"
#include "session/residues.h"
#include "session/shown.h"
#include "session/signals.h"

#include <errno.h>
#include <sys/syscall.h>

enum { ENDBR64 = 4 }; /* bytes of that instruction, in front of a jump at an entry */

bool reentry_find_displaced(const struct space *space, uint64_t rip, bool entry,
			    uint64_t *ret_rip)
{
	const struct module *module = space_module_of_text(space, rip);
	const struct plan *plan = module ? module->file->plan : NULL;
	uint64_t link = module ? rip - module->bias : 0;
	const struct plan_function *function = plan ? plan_function_at(plan, link) : NULL;
	const uint8_t *original;
	uint32_t offset;

	if (!function || link - function->address >= function->displaced ||
	    (link == function->address && !entry))
		return false;
	original = module_file_original(module->file, function->address,
					function->displaced);
	if (!original ||
	    !plan_offset_of(plan, (uint32_t)(function - plan->functions.items), original,
			    link, &offset))
		return false;
	*ret_rip = module->code_address + offset;
	return true;
}

/* Whether the next thing that the thread does at an entry is to pass a gate. */
static bool is_at_gate(const struct module *module, uint64_t rip)
{
	const struct plan *plan = module->file->plan;
	const struct plan_function *function = plan_function_at(plan, rip - module->bias);
	const struct plan_patch *patch = plan_patch_behind(plan, rip - module->bias);

	return plan->gates_size && function && function->map_row_count && patch &&
	       (rip - module->bias == function->address ||
		(rip - module->bias == patch->address &&
		 patch->address == function->address + ENDBR64)) &&
	       !function->call_end;
}

/* In a function that was relocated whole; with the probes in front of it, or behind them.
 */
static bool find_moved(const struct module *module, uint64_t rip, bool counts,
		       uint64_t *ret_way)
{
	uint32_t offset;

	if (!plan_moved_to(module->file->plan, rip - module->bias, counts, &offset))
		return false;
	*ret_way = module->code_address + offset;
	return true;
}

bool reentry_find(const struct space *space, uint64_t rip, uint64_t *ret_way)
{
	const struct module *module = space_module_of_text(space, rip);

	return module && (find_moved(module, rip, false, ret_way) ||
			  reentry_find_displaced(space, rip, true, ret_way));
}

/* In functions of whose entry alone was displaced only faults are led back. */
static void lead_back(struct thread *thread, uint64_t context)
{
	const struct space *space = thread->process->space;
	const struct module *module;
	struct saved_place saved;
	uint64_t way;
	bool counted;

	if (remote_failed(remote_read(space->memory_fd, context + UCONTEXT_RSP, &saved,
				      sizeof(saved))))
		return;
	counted = residues_return(thread, saved.rsp, saved.rip);
	module = space_module_of_text(space, saved.rip);
	if (!module || (!counted && is_at_gate(module, saved.rip)))
		return;
	if (find_moved(module, saved.rip, !counted, &way)) {
		if (!counted)
			residues_came(thread, module, saved.rip - module->bias, true);
	} else if (!reentry_find_displaced(space, saved.rip,
					   counted || saved.rip == thread->fault_rip,
					   &way)) {
		return;
	}
	saved.rip = way;
	trm_error_destroy(remote_write(space->memory_fd, context + UCONTEXT_RSP, &saved,
				       sizeof(saved)));
}

void reentry_watch_return(struct thread *thread)
{
	struct user_regs_struct registers;

	if (remote_failed(remote_get_registers(thread->tid, &registers)) ||
	    (int64_t)registers.rax != -ENOSYS)
		return;
	if (registers.orig_rax == SYS_rt_sigreturn) {
		lead_back(thread, registers.rsp);
		thread->fault_rip = 0;
		return;
	}
	if (shown_is_left(thread, registers.rsp, thread->fault_rsp))
		thread->fault_rip = 0;
	shown_take_returned(thread);
	shown_take_left(thread, registers.rsp);
	shown_find_frame(thread, registers.rsp);
}
