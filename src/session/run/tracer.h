/* What tracers have in common: how they begin, and what they tell the front. */
#ifndef TRAMMEL_SESSION_RUN_TRACER_H
#define TRAMMEL_SESSION_RUN_TRACER_H

#include "session/run/run.h"

#include <signal.h>

/* Blocks the signals that wake a tracer, and writes them to `signals`; leaves the
 * terminal to the program; and seizes the program. False: it cannot be traced, and the
 * front was told. */
bool tracer_begin(const struct tracer_start *start, sigset_t *signals);

/* Tells the front something; `text` may be NULL. */
void tracer_send(int fd, enum status_kind kind, const char *text);

/* Tells the front an error, which is freed. */
void tracer_fail(int fd, struct trm_error *error);

#endif
