/*
 * Search for functions that run often (hot functions), among those in which a probe
 * fired (session/adapt/fired.h). Flags that are set are marked; code that runs within
 * the next moment sets them again. Several such moments are sampled, and a function
 * that runs in each of them is hot. Unpatching hot functions at once pays: unpatching
 * one takes as long as it loses in relocated code in some thousand calls, and a program
 * that has run for that long may be expected to run for as long again. Of the other
 * functions, the ones that ran most often follow bit by bit.
 */
#ifndef TRAMMEL_SESSION_ADAPT_HOT_H
#define TRAMMEL_SESSION_ADAPT_HOT_H

#include "session/state/session.h"

/* Reads the flags of all processes. Functions with newly set flags are put on the
 * waiting list; waiting functions that run often, or with `all` every waiting
 * function, are moved to space_fired.hot. Returns the number of functions in that list
 * over all spaces. */
size_t hot_find(struct session *session, bool all);

#endif
