/*
 * Texts that change as a whole. The patched text is made in a mapping of the same part of
 * the same file, elsewhere: mremap(2) moves the original one there and leaves it in
 * place, too (MREMAP_DONTUNMAP), and the pages that differ are written to. Another
 * mremap(2) puts it in place of the original. A mapping keeps its file and its offset
 * there when it is moved, so /proc/PID/maps says what it said; and at no instant is a
 * text half patched, whoever dies.
 *
 * In a process that is attached to the original text is kept in the same way, and put
 * back by one more call: afterwards the mappings are what they were.
 */
#ifndef TRAMMEL_SESSION_MODULES_SWAP_H
#define TRAMMEL_SESSION_MODULES_SWAP_H

#include "session/modules/trampolines.h"
#include "session/state/session.h"

/* Adds calls that put the patched text of a module, which is in the cache file that the
 * call `opened` opens, in place, if what it leads to is mapped (`anchor`; NULL: it is).
 * Returns the index of the last one; -1: it cannot be done. */
int swap_add_text(const struct session *session, const struct space *space,
		  const struct module *module, unsigned int opened,
		  const struct trampolines_anchor *anchor, struct wire_batch *batch);

/* Whether they did, of which `moved` was the last; else nothing of theirs is left. */
bool swap_text_done(struct session *session, struct thread *thread,
		    const struct module *module, const struct wire_batch *batch,
		    int moved);

/* Maps the patched text of a module, ready to be put in place. */
struct trm_error *swap_prepare(struct session *session, struct thread *thread,
			       struct module *module);

/* Puts all texts that are ready in place; where that fails the original one stays. */
struct trm_error *swap_in(struct session *session, struct thread *thread,
			  struct space *space);

/* Puts the original ones back. */
struct trm_error *swap_out(struct session *session, struct thread *thread,
			   struct space *space);

/* Unmaps what a module that is gone had ready or put by. */
void swap_forget(struct session *session, struct thread *thread,
		 const struct module *module);

#endif
