/*
 * Making the plan of a module.
 */
#ifndef TRAMMEL_CODE_PLANNER_PLAN_CREATE_H
#define TRAMMEL_CODE_PLANNER_PLAN_CREATE_H

#include "code/plan/request.h"

struct making;

/*
 * Makes the plan of a module. The image must outlive the call, not the plan. The only
 * errors are those of the request; whatever is odd about a function becomes its reason.
 */
struct trm_error *plan_create(const struct plan_request *request, struct plan **ret_plan);

/* Looks at the image, and decides what is to be done with each function. All of `making`
 * is 0 at first; the request must outlive it. */
struct trm_error *making_begin(struct making *making, const struct plan_request *request);

/* What is the same in all plans that are written. */
void making_finish(struct making *making);

/* Frees all but the plan. */
void making_end(struct making *making);

/* Forgets what was written. */
void making_restart(struct making *making);

/* Sorts patches in among others that are sorted; none are left. */
void making_merge_patches(struct plan_patches *all, struct plan_patches *others);

#endif
