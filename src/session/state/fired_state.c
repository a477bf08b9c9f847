#include "session/state/fired_state.h"

#include "base/bits.h"
#include "base/clock.h"
#include "session/state/unpatched_list.h"

#include <stdlib.h>

/* What it takes to give an unpatched function back in a process that forks off, and in
 * what part of the time all of a space are to be given back. */
enum { COPY_NS = 10000, COPY_SHARE = 32 };

static void clear_bits(struct file_bits *bits)
{
	vector_for_each (bits, words)
		free(*words);
	bits->count = 0;
}

bool fired_has_seen(const struct space_fired *fired, const struct module_file *file,
		    uint32_t slot)
{
	return file->index < fired->seen.count && fired->seen.items[file->index] &&
	       bit_test(fired->seen.items[file->index], slot);
}

void fired_forget(struct space_fired *fired)
{
	clear_bits(&fired->seen);
	clear_bits(&fired->waits);
	fired->waiting.count = fired->hot.count = 0;
	fired->afresh = true;
}

static void seen_deinit(struct space_fired *fired)
{
	fired_forget(fired);
	vector_deinit(&fired->seen);
	vector_deinit(&fired->waits);
	vector_deinit(&fired->waiting);
	vector_deinit(&fired->hot);
}

bool fired_costs_forks(const struct session *session, const struct space *space)
{
	return space->fired.copied * COPY_NS >
	       (clock_now_ns() - session->fired_schedule.begin) / COPY_SHARE;
}

void fired_deinit(struct space_fired *fired)
{
	seen_deinit(fired);
	vector_deinit(&fired->probes);
	unpatched_list_deinit(&fired->unpatched);
	vector_deinit(&fired->return_jumps);
}
