/* Code of actions. Only for emit.c. */
#ifndef TRAMMEL_PROBE_EMIT_ACTION_H
#define TRAMMEL_PROBE_EMIT_ACTION_H

#include "probe/emit_node.h"

/* Writes the code of an action and its condition. */
void probe_emit_action(struct probe_emit *emit, const struct probe_action *action);

/* Writes code that adds 1 to a word of an action. */
void probe_emit_count(struct probe_emit *emit, const struct probe_action *action,
		      unsigned cell);

#endif
