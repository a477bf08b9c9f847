/*
 * Plans of modules whose trampolines cannot lie at any of the usual addresses: made for
 * one address, and not kept in the cache. Processes of one family, where the same
 * addresses are taken, share such a plan.
 */
#ifndef TRAMMEL_SESSION_MODULES_ONE_PLACE_PLAN_H
#define TRAMMEL_SESSION_MODULES_ONE_PLACE_PLAN_H

#include "session/state/session.h"

/* Gives the module of a stopped thread's process a complete plan for trampolines at
 * address `place`: an existing one, or a new one. */
struct trm_error *one_place_plan_make(struct session *session, struct thread *thread,
				      struct module *module, uint64_t place);

#endif
