/*
 * Unpatched functions in processes: see code/unpatch/unpatch.h. Their texts are written
 * to when all threads stand.
 */
#ifndef TRAMMEL_SESSION_MODULES_UNPATCHED_H
#define TRAMMEL_SESSION_MODULES_UNPATCHED_H

#include "code/unpatch/unpatch.h"
#include "session/state/session.h"

/* Texts to write, one behind the other in `bytes`. */
struct unpatched_text {
	uint64_t code_address; /* of the module */
	uint32_t function;     /* index in its plan */
	uint32_t size;
	uint64_t address; /* in the program */
	/* Where its relocated code lies in the program. */
	uint64_t code, code_end;
	uint32_t return_jump_count; /* of the next ones of `ways` */
	uint64_t *open; /* see struct space_unpatched; unpatched_enter takes it */
	uint64_t early; /* see there */
};
struct unpatched_texts {
	struct VECTOR(struct unpatched_text) items;
	struct VECTOR(uint8_t) bytes;
	struct return_jumps return_jumps;
};
void unpatched_texts_deinit(struct unpatched_texts *texts);

/* Adds the text of a function, if it can be unpatched. Of the request, what depends on
 * the module is filled in. */
void unpatched_find(const struct space *space, struct module *module,
		    struct unpatch_request *request, struct unpatched_texts *texts);

/* All threads of the space stand: writes the texts. */
void unpatched_enter(struct space *space, struct unpatched_texts *texts);

/*
 * Nothing of the space runs unpatched any more where `memory_fd` writes: that is another
 * process, which has a copy of its memory and has not run yet, or the space's own. Then
 * threads stand, and are led to relocated code by reentry_lead_in. What is added to
 * `closed` is still to be listed there: its text is not that of the plan, see
 * unpatch_close.
 */
void unpatched_leave(const struct space *space, int memory_fd,
		     struct space_unpatched_list *closed);

/* A module's text becomes the original one: nothing of the plan's is to stay. In `back`
 * it is that already. */
void unpatched_restore(const struct space *space, const struct module *module,
		       struct image_range back);

/* A module is unmapped. */
void unpatched_forget(struct space *space, const struct module *module);

#endif
