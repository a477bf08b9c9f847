/*
 * Changing probes in relocated code of a process, many at once.
 */
#ifndef TRAMMEL_SESSION_MODULES_PROBES_H
#define TRAMMEL_SESSION_MODULES_PROBES_H

#include "code/emit/probe.h"

/* Items that begin with the address of a probe, sorted by it. */
struct probes {
	void *items;
	size_t count, size; /* items, and bytes of each */
};

/* Changes the PROBE_FLAG_SIZE bytes of a probe. Returns false if they need no change. */
typedef bool probes_changer(void *item, const void *context, uint8_t *bytes);

/* Changes the probes through `memory_fd`, reading and writing one page and the
 * beginning of the next at a time. Pages that cannot be read are left alone. */
void probes_change(int memory_fd, struct probes probes, probes_changer *change,
		   const void *context);

#endif
