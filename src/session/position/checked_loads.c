#include "session/position/checked_loads.h"

#include "control/remote.h"
#include "resident/resident.h"
#include "session/state/module.h"
#include "session/state/space.h"

bool checked_loads_pass(const struct thread *thread,
			const struct user_regs_struct *registers)
{
	const struct space *space = thread->process->space;
	const struct resident_table *table = resident_table();
	struct user_regs_struct then = *registers;

	if (!space->family ||
	    registers->rip - space->family->arena->address != table->probe_load)
		return false;
	then.rip = space->family->arena->address + table->probe_load_failed;
	return !remote_failed(remote_set_registers(thread->tid, &then));
}
