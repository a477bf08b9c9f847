/*
 * Whether this process records, where to, and who watches: begun once, and anew in a
 * child of fork.
 */
#ifndef TRAMMEL_RUNTIME_EVENTS_RECORDING_H
#define TRAMMEL_RUNTIME_EVENTS_RECORDING_H

#include "runtime/store/state.h"

#include <stdbool.h>
#include <stdint.h>

/* Begins to record to a spool in `folder`, which others read; `traces`: with each event.
 * False: it cannot be had. */
bool recording_begin(const char *folder, bool traces);

/* The state of the program is to be there for whoever asks for it, though nothing may
 * measure: without a spool for others, it is in memory. After start(). False: it cannot
 * be had. */
bool recording_ensure(void);

/* Whether others read what is recorded. */
bool recording_has_spool(void);

/* Whether each event is traced in the spool. */
bool recording_traces(void);

/* Whether the spool is in a file of a folder that nobody asked for. */
bool recording_is_kept(void);

/* Whether something measures: links of annotated modules are active. */
bool recording_measures(void);

/* Who sees events from now on (enum runtime_watchers), and whether they want times. */
void recording_watch(uint32_t watchers, bool timed);

/* An annotated module comes and goes. */
void recording_link(struct trm_link *link, const struct trm_api *api);
void recording_unlink(struct trm_link *link);

/* Ends: others may read the spool. */
void recording_end(void);

/* In a child of fork, whose state was found empty: begins a spool of its own, with what
 * is open in this thread. False: nothing is recorded. */
bool recording_begin_child(void);

#endif
