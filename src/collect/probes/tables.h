/*
 * What probes keep by keys, and single hits: tables that the resident (resident/probes.c)
 * fills in the banks of threads are added up for each image.
 */
#ifndef TRAMMEL_COLLECT_PROBES_TABLES_H
#define TRAMMEL_COLLECT_PROBES_TABLES_H

#include "session/state/session.h"

/* Makes the state of a thread's probes ready: its clock, and what it has from the bank
 * before, `old` (NULL: none). */
void probes_begin_bank(const struct session *session, const struct bank *old,
		       struct bank *bank, const struct thread_calls *calls);

/* Copies the tables of a process's banks. */
void probes_copy(const struct session *session, struct process *process);

/* Adds what is new in the copy to the image of the process, for an interval; with
 * `counts` false it is only noted as seen. */
void probes_take(const struct session *session, struct process *process, bool counts,
		 uint32_t interval);

/* Notes that the banks of thread `thread` are empty now; 0: the banks of all threads. */
void probes_forget(struct image_run *image, uint32_t thread);

#endif
