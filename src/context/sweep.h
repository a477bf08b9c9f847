/*
 * Removes folders of spools without data: of programs that were killed, or ended by
 * _exit, before their first event.
 */
#ifndef TRAMMEL_CONTEXT_SWEEP_H
#define TRAMMEL_CONTEXT_SWEEP_H

#include "context/reader.h"

/* Tells whether a process recorded anything: regions, or data of a channel. */
bool context_has_any(const struct context_process *process);

/* Removes a folder trammel-XXXXXX if it is of no use: empty, or with only spools of
 * ended processes that recorded nothing. A program that may need the folder later
 * holds a lock on it (flock(2)), as `trammel run` does; a program that records itself
 * cannot, so only folders at least an hour old are removed. Unreadable spools (of
 * another version) stay. */
bool context_sweep_folder(const char *path);

#endif
