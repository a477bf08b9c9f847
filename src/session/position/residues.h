/*
 * Threads that left a function relocated whole in the middle of a block, or came into it
 * there, not by a call: what the balance of a block's counts lacks (code/count/edges.h).
 */
#ifndef TRAMMEL_SESSION_POSITION_RESIDUES_H
#define TRAMMEL_SESSION_POSITION_RESIDUES_H

#include "session/state/session.h"

/* A thread went on at a link-time address of a module, where nothing says that it came
 * from; `counts`: with the probes in front of it. */
void residues_came(struct thread *thread, const struct module *module, uint64_t address,
		   bool counts);

/* The thread did not come back to where a signal found it. */
void residues_left(struct thread *thread, const struct signal_frame *shown);

/* A handler is over: it goes on at this run-time address; 0: it was left. Whether that is
 * where the thread was. */
bool residues_over(struct thread *thread, const struct signal_frame *shown,
		   uint64_t went);

/*
 * A handler returns to a context with this rsp and rip. Whether it is that of a signal
 * that found the thread in a relocated function, and goes back to where it was: it has
 * counted then. All such signals that came later are done.
 */
bool residues_return(struct thread *thread, uint64_t rsp, uint64_t rip);

/* The thread ends, or its image does: it comes back nowhere. */
void residues_end(struct thread *thread);

/* Counting began (`by` -1) or ended (1) while the thread stood, or was to come back, in
 * front of the instruction at a link-time address of the module file with this index. */
void residues_add(struct thread *thread, uint32_t file, uint64_t address, int by);

/* Sorts those of an image by intervals, threads (0 if these are not told apart) and
 * module files. `add_up`: those of one place become their sum, or nothing. */
void residues_sort(struct image_run *image, bool threads, bool add_up);

#endif
