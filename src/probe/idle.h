/*
 * Points that can never be hit: probes at returns of functions that have none, at calls
 * that nobody makes, at addresses of functions that were not called.
 */
#ifndef TRAMMEL_PROBE_IDLE_H
#define TRAMMEL_PROBE_IDLE_H

#include "probe/module.h"

/* Keeps the name of a match's function, while the image is open. */
void probe_idle_name(const struct probe_module *module, struct probe_match *match);

/* Notes that a function was looked at for a match, by its number, and whether it has a
 * point for it. */
void probe_idle_note(struct probe_module *module, size_t number, bool found);

/* Adds a line for each point of a module's functions that no probe can hit. */
void probe_idle_describe(const struct probe_module *module, struct text *text);

#endif
