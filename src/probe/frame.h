/* Which probes need what was kept at a function's entry. */
#ifndef TRAMMEL_PROBE_FRAME_H
#define TRAMMEL_PROBE_FRAME_H

#include "probe/module.h"

/* Returns whether a value at a function's return needs what was kept at its entry. */
bool probe_term_needs_frame(const struct probe_module *module, uint64_t function,
			    uint32_t term);

/* Returns whether an action does, its condition and keys included. */
bool probe_action_needs_frame(const struct probe_module *module, uint64_t function,
			      const struct probe_action *action);

/* Returns whether anything is kept at the entry of a function. */
bool probe_keeps_frame(const struct probe_module *module, uint64_t function);

#endif
