/*
 * Patterns of the options that matched nothing, with suggestions.
 */
#ifndef TRAMMEL_SESSION_PROFILE_UNMATCHED_H
#define TRAMMEL_SESSION_PROFILE_UNMATCHED_H

#include "base/text.h"

struct session;

/* Adds to `text` a line for each pattern that matched none of the functions, modules
 * and programs of the session. Adds nothing if all matched. */
void unmatched_describe(const struct session *session, struct text *text);

#endif
