/*
 * Plans of modules whose trampolines find none of the usual places free: made for one
 * place, and never kept. Processes that forked from each other find the same places
 * taken, and have such a plan together.
 */
#ifndef TRAMMEL_SESSION_MODULES_ANEW_H
#define TRAMMEL_SESSION_MODULES_ANEW_H

#include "session/state/session.h"

/* Gives the module of a stopped thread's process a plan, all of it, for trampolines at
 * `place`: one that was made before, or a new one. */
struct trm_error *anew_plan(struct session *session, struct thread *thread,
			    struct module *module, uint64_t place);

#endif
