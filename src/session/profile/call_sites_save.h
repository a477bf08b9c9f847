/* Calls by call site in a profile: see docs/profile.md. */
#ifndef TRAMMEL_SESSION_PROFILE_CALL_SITES_SAVE_H
#define TRAMMEL_SESSION_PROFILE_CALL_SITES_SAVE_H

#include "session/profile/profile_writer.h"

/*
 * Writes records of all arcs. Where calls of functions have no counters, they become the
 * sums of these; where they have, the rest came from unknown call sites. But a
 * thread that was between the two counters when an interval ended is of the call that an
 * earlier interval has: `saving.entering` says how many those are, for what is saved in
 * the order of intervals. Functions with arcs are marked in `seen`, one bit each.
 */
void call_sites_save(struct profile_writer *writer,
		     const struct profile_writer_tally *tally, uint64_t *seen);

#endif
