/*
 * Texts that are swapped as a whole. The patched text is made in a mapping of the same
 * part of the same file, elsewhere: mremap(2) moves the original one there and also
 * leaves it in place (MREMAP_DONTUNMAP), and the pages that differ are written. Another
 * mremap(2) puts it in place of the original. A moved mapping keeps its file and its
 * offset, so /proc/PID/maps reads as before; and at no instant is a text half patched,
 * whichever process dies.
 *
 * When trammel attaches to a process, the original text is kept in the same way, and
 * put back by one more call: afterwards the mappings are as before.
 */
#ifndef TRAMMEL_SESSION_MODULES_SWAP_H
#define TRAMMEL_SESSION_MODULES_SWAP_H

#include "session/modules/trampolines.h"
#include "session/state/session.h"

/* Adds to `batch` calls that put the patched text of a module in place, read from the
 * cache file that the call `opened` opens, provided that the mapping it jumps to
 * succeeded (`anchor`; NULL: it exists). Returns the index of the last call; -1: it
 * cannot be done. */
int swap_add_text(const struct session *session, const struct space *space,
		  const struct module *module, unsigned int opened,
		  const struct trampolines_anchor *anchor, struct wire_batch *batch);

/* Returns whether these calls, of which `moved` was the last, put the text in place;
 * if not, nothing of them is left. */
bool swap_text_done(struct session *session, struct thread *thread,
		    const struct module *module, const struct wire_batch *batch,
		    int moved);

/* Maps the patched text of a module, ready to be swapped in. */
struct trm_error *swap_prepare(struct session *session, struct thread *thread,
			       struct module *module);

/* Puts all mapped patched texts in place; where that fails the original text stays. */
struct trm_error *swap_in(struct session *session, struct thread *thread,
			  struct space *space);

/* Puts the original texts back. */
struct trm_error *swap_out(struct session *session, struct thread *thread,
			   struct space *space);

/* Unmaps the patched or original text that an unmapped module had stored elsewhere. */
void swap_forget(struct session *session, struct thread *thread,
		 const struct module *module);

#endif
