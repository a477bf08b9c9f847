/*
 * Signals that come while a thread is in a point, in recipes: see docs/design/points.md.
 */
#ifndef TRAMMEL_CODE_POINTS_RECIPE_SIGNALS_H
#define TRAMMEL_CODE_POINTS_RECIPE_SIGNALS_H

#include "code/points/recipe.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether what is in front of the call that comes next can be undone. */
bool recipe_can_unmake(struct recipe *recipe);

/* Has signals come that were put off while a routine ran, keeping registers that were not
 * `spoiled`. A thread in front of the comparison has nothing more to call. */
void recipe_deliver_signals(struct recipe *recipe, uint16_t spoiled);

#endif
