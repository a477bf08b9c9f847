/*
 * Patterns of the options that matched nothing, with what they may have been meant for.
 */
#ifndef TRAMMEL_SESSION_PROFILE_UNMATCHED_H
#define TRAMMEL_SESSION_PROFILE_UNMATCHED_H

#include "base/text.h"

struct session;

/* Adds a line for each pattern that meant nothing of what the session saw: functions,
 * modules, programs. Nothing is added if all did. */
void unmatched_describe(const struct session *session, struct text *text);

#endif
