/*
 * The doorbell: a thread that waits for the futexes of all arenas and wakes the tracer
 * with SIGUSR1. futex_waitv(2) (Linux 5.16) takes 128 futexes; each 127 arenas have a
 * thread, whose last futex is its own, for changes of its list. Where the call is
 * missing or forbidden the thread polls the words instead, less often the longer
 * nothing rings.
 */
#ifndef TRAMMEL_SESSION_STATE_DOORBELL_H
#define TRAMMEL_SESSION_STATE_DOORBELL_H

#include "session/state/session.h"

/* Starts a thread that waits for doorbells and wakes the tracer with SIGUSR1. */
struct trm_error *doorbell_create(struct doorbell **ret_doorbell);

void doorbell_add(struct doorbell *doorbell, uint32_t *word);

void doorbell_remove(struct doorbell *doorbell, const uint32_t *word);

void doorbell_destroy(struct doorbell *doorbell);

#endif
