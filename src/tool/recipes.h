/*
 * The functions by which tools write code of their own: see <trammel/tool_recipe.h>.
 */
#ifndef TRAMMEL_TOOL_RECIPES_H
#define TRAMMEL_TOOL_RECIPES_H

#include "tool/added_values.h"

/* Has the tool write the code of an ADDED_CODE item. */
void recipes_emit(const struct added_place *place, struct recipe *recipe);

#endif
