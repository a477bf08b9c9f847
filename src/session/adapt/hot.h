/*
 * Functions that run often, among those of which something fired (session/adapt/fired.h).
 * Flags that are set are marked, and set again by what runs within a moment; it is asked
 * for some moments, and what runs in each of them is hot. It pays to take care of such
 * functions at once: to unpatch one takes as long as it loses in relocated code in
 * some thousand calls, and a program that has run for so long may be expected to run for
 * as long again. Of the others those that ran most often follow bit by bit.
 */
#ifndef TRAMMEL_SESSION_ADAPT_HOT_H
#define TRAMMEL_SESSION_ADAPT_HOT_H

#include "session/state/session.h"

/* Looks at the flags of all processes. Functions of which some are set that were not seen
 * before wait; those that wait and run often, or with `all` all that wait, go to
 * space_fired.hot. Returns how many these are in all spaces. */
size_t hot_find(struct session *session, bool all);

#endif
