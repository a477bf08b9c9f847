/*
 * The tables of switches that are far behind the lea of their table, as where that stands
 * in front of a loop: the address that reaches the switch on all ways through the
 * function.
 */
#ifndef TRAMMEL_CODE_RELOCATE_SWITCH_REACH_H
#define TRAMMEL_CODE_RELOCATE_SWITCH_REACH_H

#include "code/relocate/cfg.h"

/* Sets the targets of switches whose tables are not known, where only one reaches them.
 * The graph has edges to the targets of all tables meanwhile. True: some were found. */
bool switch_reach_find(struct cfg *cfg);

#endif
