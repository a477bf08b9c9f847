/*
 * Sampled values: at each interrupt a thread that has used its share of time is stopped
 * for a moment, and executes its next instructions as copies that write down what they
 * read and leave. See docs/design/values.md.
 */
#ifndef TRAMMEL_SESSION_COUNT_VALUES_H
#define TRAMMEL_SESSION_COUNT_VALUES_H

#include "session/state/session.h"

/* Begins, if values are sampled. */
void values_begin(struct session *session);

/* Interrupts the threads that are due. Returns the nanoseconds until the next ones are.
 */
uint64_t values_act(struct session *session);

/* Handles a thread that was stopped by an interrupt. */
void values_see_interrupt(struct session *session, struct thread *thread);

#endif
