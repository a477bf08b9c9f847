/* Where an instruction of the program runs. */
#ifndef TRAMMEL_SESSION_DEBUG_PLACES_H
#define TRAMMEL_SESSION_DEBUG_PLACES_H

#include "session/debug/debug.h"
#include "session/debug/view.h"

/* Whether hits at an address are counted exactly; else those are counted that come to
 * the next instruction in another way, too: relocated code has none for padding, nor
 * for a jump to what follows it. */
bool debug_counts_exactly(const struct session *session, pid_t pid, uint64_t address);

/* A place of an instruction: where it runs. */
struct debug_place {
	uint64_t address;
	bool text; /* where the program has it; else in trammel's code */
};

/* Finds the places where the instruction at an original address runs, at most `room`;
 * returns how many there are. */
size_t debug_places(const struct session *session, pid_t pid, uint64_t address,
		    struct debug_place *places, size_t room);

/* Returns where the probes begin that run in front of the instruction at an original
 * address, in relocated code; 0: there are none, or that is not known. */
uint64_t debug_probes_before(const struct session *session, pid_t pid, uint64_t address);

enum { DEBUG_PLACES = 8 };

/* Finds them; as debug_places(). `ret_exact`: see debug_counts_exactly(). */
size_t debug_places_in(const struct space *space, uint64_t address,
		       struct debug_place places[DEBUG_PLACES], bool *ret_exact);

/* Returns the address of an instruction without code of its own, if a thread that has
 * executed the one at `from` is in front of it; 0: it is not. */
uint64_t debug_skipped(const struct space *space, uint64_t from,
		       const struct debug_view *view);

/* Returns where a thread goes on that is in front of such an instruction: at another one;
 * 0: it has come to what it really is in front of; DEBUG_RUNS_IT: it has code after all.
 */
#define DEBUG_RUNS_IT UINT64_MAX
uint64_t debug_skip(const struct space *space, uint64_t address,
		    const struct debug_view *view);

#endif
