/*
 * The recording of this process: where to, and for which watchers. It begins once, and
 * anew in a child of fork.
 */
#ifndef TRAMMEL_RUNTIME_EVENTS_RECORDING_H
#define TRAMMEL_RUNTIME_EVENTS_RECORDING_H

#include "runtime/store/state.h"

#include <stdbool.h>
#include <stdint.h>

/* Has regions told to a tracer (events/told.h) from recording_begin on. */
void recording_tell(void);

/* Begins to record to a spool in `folder`, which other processes read; `traces`: with
 * each event. Returns false if it cannot. */
bool recording_begin(const char *folder, bool traces);

/* Makes sure that the state of the program can be asked for, though nothing may measure:
 * without a spool for other processes it is in memory. Called after the start. Returns
 * false if it cannot be made. */
bool recording_ensure(void);

/* Tells whether other processes read what is recorded. */
bool recording_has_spool(void);

/* Tells whether each event is traced in the spool. */
bool recording_traces(void);

/* Tells whether the spool is a file in a folder that was not asked for. */
bool recording_is_kept(void);

/* Tells whether something measures, that is, whether links of annotated modules are
 * active. */
bool recording_measures(void);

/* Sets the watchers that see events from now on (enum runtime_watchers), and whether
 * they want times. */
void recording_watch(uint32_t watchers, bool timed);

/* Add and remove an annotated module. */
void recording_link(struct trm_link *link, const struct trm_api *api);
void recording_unlink(struct trm_link *link);

/* Ends the recording: other processes may read the spool. */
void recording_end(void);

/* Begins a spool of its own in a child of fork, whose state was found empty, with what
 * is open in this thread. Returns false if nothing is recorded. */
bool recording_begin_child(void);

#endif
