/*
 * Making the plan of a module.
 */
#ifndef TRAMMEL_CODE_PLANNER_PLAN_CREATE_H
#define TRAMMEL_CODE_PLANNER_PLAN_CREATE_H

#include "code/plan/request.h"

struct plan_builder;

/*
 * Makes the plan of a module. The image must outlive the call, not the plan. Errors are
 * those of the request only; problems with a function become its reason.
 */
struct trm_error *plan_create(const struct plan_request *request, struct plan **ret_plan);

/* Reads the image and decides how to instrument each function. All of `builder` is 0 at
 * first; the request must outlive it. */
struct trm_error *builder_begin(struct plan_builder *builder,
				const struct plan_request *request);

/* Finishes a plan: the steps common to all ways of writing it. */
void builder_finish(struct plan_builder *builder);

/* Frees all but the plan. */
void builder_end(struct plan_builder *builder);

/* Discards all that was written. */
void builder_restart(struct plan_builder *builder);

/* Takes the counters that points have of the whole module. */
void builder_reserve_points(struct plan_builder *builder);

/* Merges sorted patches into others that are sorted; `others` is empty then. */
void builder_merge_patches(struct plan_patches *all, struct plan_patches *others);

#endif
