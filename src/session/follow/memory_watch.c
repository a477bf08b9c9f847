#include "session/follow/memory_watch.h"

#include "base/clock.h"
#include "session/follow/release.h"
#include "session/state/memory.h"
#include "session/state/session.h"

#define ACT_NS 250000000

/* What all banks of a process take. */
static uint64_t memory_of(const struct process *process)
{
	uint64_t sum = 0;

	if (!process->space || !process->space->family || process->watched)
		return 0;
	const struct arena *arena = process->space->family->arena;

	vector_for_each (&arena->banks, bank) {
		if ((*bank)->owner != process->pid)
			continue;
		sum += arena_bank_memory(arena, *bank);
		vector_for_each (&(*bank)->views, view)
			sum += (*view)->phase ? arena_bank_memory(arena, *view) : 0;
	}
	return sum;
}

/* The counters of running threads grow as they are used: only those that were promised
 * something are counted on when new ones come. */
uint64_t memory_watch_act(struct session *session)
{
	struct memory_use *memory = &session->memory;
	const uint64_t limit = session->options->memory_limit, now = clock_now_ns();
	struct process *largest = NULL;
	uint64_t most = 0;

	if (!limit)
		return UINT64_MAX;
	if (now < memory->next_look_ns)
		return memory->next_look_ns - now;
	memory->next_look_ns = now + ACT_NS;
	memory_look(session);
	if (memory->used < limit / 4 * 5 + memory->retired)
		return ACT_NS;
	vector_for_each (&session->all_processes, process) {
		uint64_t size = memory_of(*process);

		if (size <= most)
			continue;
		most = size;
		largest = *process;
	}
	if (!largest)
		return ACT_NS;
	/* It takes the memory along that it has. */
	memory->retired += most;
	memory_set_reason(session);
	release_space(session, largest, "%s", memory->reason);
	return ACT_NS;
}
