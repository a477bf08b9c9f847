#include "session/position/reentry.h"

#include "code/count/edges.h"
#include "code/locate/address_map.h"
#include "code/locate/locate.h"
#include "code/plan/plan_rows.h"
#include "control/remote.h"
#include "session/cache/module_text.h"
#include "session/position/residues.h"
#include "session/position/signal_frames.h"
#include "session/state/module.h"
#include "wire/control.h"

#include <errno.h>
#include <string.h>
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

/* Returns whether a thread at an entry passes a gate next. */
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

/* Finds the place in relocated code of an address in a function relocated as a whole:
 * in front of the probes there if `counts`, else behind them. */
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

/* Redirects a faulting thread's return into the trampoline. In functions with only a
 * displaced entry, only faults are led back. */
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
	if (signal_frames_are_left(thread, registers.rsp, thread->fault_rsp))
		thread->fault_rip = 0;
	signal_frames_take_returned(thread);
	signal_frames_take_left(thread, registers.rsp);
	signal_frames_find_frame(thread, registers.rsp);
}

const struct module *reentry_before_stub(const struct space *space, uint64_t rip)
{
	const struct module *module =
		space->holding ? NULL : space_module_of_text(space, rip);
	const struct plan *plan = module ? module->file->plan : NULL;
	uint64_t link = module ? rip - module->bias : 0;
	const struct plan_function *function = plan ? plan_function_at(plan, link) : NULL;

	return function && edges_is_before_stub(plan, function, link) ? module : NULL;
}

/* Returns the row for an address: its own, or the next one to use, the oldest being
 * overwritten. */
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

void reentry_write_leads(const struct space *space, const struct module *module,
			 uint32_t index)
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

void reentry_lead_in(const struct space *space, struct user_regs_struct *registers)
{
	const struct module *module = space_module_of_text(space, registers->rip);
	const struct plan *plan = module ? module->file->plan : NULL;
	uint64_t link = module ? registers->rip - module->bias : 0;
	const struct plan_function *function = plan ? plan_function_at(plan, link) : NULL;
	uint64_t rip;
	uint32_t offset;

	if (reentry_find_displaced(space, registers->rip, false, &rip)) {
		registers->rip = rip;
		return;
	}
	/* Behind a system call, which the kernel may make again, there is a jump, or
	 * original code. At the entry of a function the jump leads to the call. */
	if (!function || !function->map_row_count || (int64_t)registers->orig_rax >= 0 ||
	    (plan_jump_at(plan, link, &offset) && offset == function->trampoline) ||
	    link == function->address)
		return;
	if (plan_moved_to(plan, link, true, &offset))
		registers->rip = module->code_address + offset;
}
