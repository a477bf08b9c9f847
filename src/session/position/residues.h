/*
 * Residues: threads that left a function relocated as a whole in the middle of a block,
 * or entered it there other than by a call; they make up the difference in the balance
 * of a block's counts (code/count/edges.h).
 */
#ifndef TRAMMEL_SESSION_POSITION_RESIDUES_H
#define TRAMMEL_SESSION_POSITION_RESIDUES_H

#include "session/state/session.h"

/* Notes that a thread continued at a link-time address of a module, and that no count
 * says how it came there; `counts`: with the probes in front of it. */
void residues_came(struct thread *thread, const struct module *module, uint64_t address,
		   bool counts);

/* Notes that the thread did not return to the place where a signal found it. */
void residues_left(struct thread *thread, const struct signal_frame *shown);

/* Notes the end of a handler, after which the thread continues at the run-time address
 * `went`, and counts `phase` (enum arena_phase) there; 0: the handler was left by a jump.
 * Returns whether that is the place where the thread was. */
bool residues_over(struct thread *thread, const struct signal_frame *shown, uint64_t went,
		   uint32_t phase);

/* Notes, as residues_add, that the thread was to return to where a signal found it. */
void residues_stand(struct thread *thread, const struct signal_frame *shown, int by);

/*
 * Handles a handler's return to a context with this rsp and rip. Returns whether it is
 * the context of a signal that found the thread in a relocated function, and returns to
 * that place, which has been counted. All such signals that came later are done.
 */
bool residues_return(struct thread *thread, uint64_t rsp, uint64_t rip);

/* Notes that the thread or its image ends: it returns to no place. */
void residues_end(struct thread *thread);

/* Notes that counting began (`by` -1) or ended (1) while the thread stood in front of
 * the instruction at a link-time address of the module file with this index, or was to
 * return to it. */
void residues_add(struct thread *thread, uint32_t file, uint64_t address, int by);

/* Notes that a path of a function of a module file, of which one is at the block at a
 * link-time address with this running sum, is counted `by` times as far as that. */
void residues_add_path(struct thread *thread, uint32_t file, uint64_t address,
		       uint32_t sum, int64_t by);

/* Sorts the residues of an image by intervals, threads (0 if these are not told apart)
 * and module files. `add_up`: residues of one place become their sum, and vanish if it
 * is 0. */
void residues_sort(struct image_run *image, bool threads, bool add_up);

#endif
