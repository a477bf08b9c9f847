/* Calls by call site in a profile: see docs/profile.md. */
#ifndef TRAMMEL_SESSION_PROFILE_CALL_SITES_SAVE_H
#define TRAMMEL_SESSION_PROFILE_CALL_SITES_SAVE_H

#include "session/profile/profile_writer.h"

/*
 * Writes records of all arcs (calls by call site) of `tally`. Where calls of functions
 * have no counters, the sums of their arcs take that place; where they have, the
 * difference came from unknown call sites. A thread that was between the two counters
 * when an interval ended belongs to a call counted in an earlier interval:
 * `writer->entering` keeps the number of such calls, for images saved in the order of
 * intervals. Functions with arcs are marked in `seen`, one bit each.
 */
void call_sites_save(struct profile_writer *writer,
		     const struct profile_writer_tally *tally, uint64_t *seen);

#endif
