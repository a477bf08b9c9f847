/*
 * Making the plan of a module.
 */
#ifndef TRAMMEL_CODE_PLANNER_PLAN_CREATE_H
#define TRAMMEL_CODE_PLANNER_PLAN_CREATE_H

#include "code/plan/request.h"

struct plan_builder;

/*
 * Makes the plan of a module. The image must outlive the call, not the plan. The only
 * errors are those of the request; whatever is odd about a function becomes its reason.
 */
struct trm_error *plan_create(const struct plan_request *request, struct plan **ret_plan);

/* Looks at the image, and decides what is to be done with each function. All of `builder`
 * is 0 at first; the request must outlive it. */
struct trm_error *builder_begin(struct plan_builder *builder,
				const struct plan_request *request);

/* What is the same in all plans that are written. */
void builder_finish(struct plan_builder *builder);

/* Frees all but the plan. */
void builder_end(struct plan_builder *builder);

/* Forgets what was written. */
void builder_restart(struct plan_builder *builder);

/* Sorts patches in among others that are sorted; none are left. */
void builder_merge_patches(struct plan_patches *all, struct plan_patches *others);

#endif
