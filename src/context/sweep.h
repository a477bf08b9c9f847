/*
 * Folders of spools that hold nothing: of programs that were killed, or ended by _exit,
 * before they said anything.
 */
#ifndef TRAMMEL_CONTEXT_SWEEP_H
#define TRAMMEL_CONTEXT_SWEEP_H

#include "context/reader.h"

/* Whether a process recorded anything: of regions, or in a channel. */
bool context_has_any(const struct context_process *process);

/* Removes a folder trammel-XXXXXX if it holds nothing for anyone: spools only, of
 * processes that do not run and recorded nothing, or none. Whoever may need it later
 * holds a lock on it (flock(2)): `trammel run`; a program that records itself cannot, so
 * that only what is an hour old goes. Spools that cannot be read (of another version)
 * stay. */
bool context_sweep_folder(const char *path);

#endif
