#include "session/position/view.h"

#include "code/plan/position.h"
#include "control/phase_names.h"
#include "control/remote.h"
#include "resident/resident.h"
#include "session/state/module.h"
#include "session/state/space.h"
#include "wire/bank.h"
#include "wire/phase.h"

#include <string.h>

static struct bank *view_in(const struct arena_chunk *chunk, uint64_t slot)
{
	return slot < chunk->first ? NULL : chunk->views.items[slot - chunk->first];
}

/* The view of the thread's bank at an address; 0: the bank itself. */
static struct bank *view_at(const struct thread *thread, uint64_t address)
{
	struct bank *bank = thread->bank;

	if (!address || !bank)
		return bank;
	vector_for_each (&thread->process->space->chunks, chunk) {
		const uint64_t at = address - (*chunk)->address;

		if ((*chunk)->front == bank &&
		    at < (*chunk)->stride * (*chunk)->bank_count)
			return view_in(*chunk, at / (*chunk)->stride) ?: bank;
	}
	return bank;
}

struct bank *thread_view(const struct thread *thread)
{
	return view_at(thread, thread->bank ? thread->bank->shared->view : 0);
}

uint32_t bank_phase(const struct bank *bank)
{
	if (!bank->front && bank->shared->phases & WIRE_PHASES_MIXED)
		return ARENA_PHASE_OTHER;
	if (bank->front && !bank->phase)
		phase_names_learn(bank->chunk->arena, bank->front);
	return bank->phase;
}

uint32_t bank_phase_at(const struct bank *bank, uint64_t address)
{
	vector_for_each (&bank->views, view)
		if ((*view)->address == address && bank_phase(*view))
			return bank_phase(*view);
	return bank_phase(bank);
}

uint32_t thread_phase(const struct thread *thread)
{
	return view_phase_at(thread, thread->bank ? thread->bank->shared->view : 0);
}

uint32_t view_phase_at(const struct thread *thread, uint64_t address)
{
	const struct bank *view = view_at(thread, address);

	return view ? bank_phase(view) : ARENA_PHASE_UNSET;
}

/* Where in the routine that changes the view a thread is: an offset in the resident; 0:
 * it is elsewhere. */
static uint64_t place_in_change(const struct thread *thread, uint64_t rip)
{
	const struct space *space = thread->process ? thread->process->space : NULL;
	uint64_t offset;

	if (!space || !space->family)
		return 0;
	offset = rip - space->family->arena->address;
	return offset >= resident_table()->phase && offset < resident_table()->phase_end
		       ? offset
		       : 0;
}

static bool is_written(uint64_t offset)
{
	const struct resident_table *table = resident_table();

	return (offset >= table->phase_written && offset < table->phase_slow) ||
	       offset >= table->phase_slow_written;
}

void view_begin_anew(const struct thread *thread)
{
	struct user_regs_struct registers;
	uint64_t offset;

	if (remote_failed(remote_get_registers(thread->tid, &registers)))
		return;
	offset = place_in_change(thread, registers.rip);
	if (!offset || is_written(offset))
		return;
	registers.rip +=
		(offset >= resident_table()->phase_slow ? resident_table()->phase_slow
							: resident_table()->phase) -
		offset;
	trm_error_destroy(remote_set_registers(thread->tid, &registers));
}

bool view_finish_change(const struct thread *thread, struct user_regs_struct *registers)
{
	const uint64_t offset = place_in_change(thread, registers->rip);
	uint64_t back;

	if (!offset || !thread->bank ||
	    remote_failed(remote_read(thread->process->space->memory_fd, registers->rsp,
				      &back, sizeof(back))))
		return false;
	if (is_written(offset)) {
		registers->rax = registers->gs_base == registers->rdx;
	} else {
		registers->rax =
			thread->bank->shared->generation == (uint32_t)registers->r8;
		if (registers->rax) {
			registers->gs_base = registers->rdx;
			if (thread->bank->shared->view != registers->rdx)
				thread->bank->shared->last_view =
					thread->bank->shared->view;
			thread->bank->shared->view = registers->rdx;
		}
	}
	registers->rip = back;
	registers->rsp += sizeof(back);
	return true;
}

uint32_t view_phase_ended(const struct thread *thread, const struct module *module,
			  uint64_t rip)
{
	static const uint8_t end[] = {0x65,
				      0xff,
				      0x14,
				      0x25,
				      WIRE_BANK_SPAN_END & 0xff,
				      WIRE_BANK_SPAN_END >> 8,
				      0,
				      0};
	enum { BEHIND = 16 }; /* bytes of the probe behind its call, at most */
	uint8_t bytes[BEHIND + sizeof(end)];
	const uint64_t first = rip - sizeof(bytes);

	if (!thread->bank || !thread->bank->shared->phases ||
	    !module->file->plan->spans ||
	    remote_failed(remote_read(thread->process->space->memory_fd, first, bytes,
				      sizeof(bytes))))
		return ARENA_PHASE_UNSET;
	for (size_t at = 0; at <= BEHIND; at++)
		if (!memcmp(bytes + at, end, sizeof(end)) &&
		    module_locate(module, first + at).original ==
			    module_locate(module, rip).original)
			return view_phase_at(thread, thread->bank->shared->last_view);
	return ARENA_PHASE_UNSET;
}
