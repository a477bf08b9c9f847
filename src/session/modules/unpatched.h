/*
 * Unpatched functions in processes: see code/unpatch/unpatch.h. Their texts are written
 * while all threads are stopped.
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
	/* Address range of its relocated code in the program. */
	uint64_t code, code_end;
	uint32_t return_jump_count; /* number of its items of `return_jumps` */
	uint64_t *open;             /* blocks that run there: see struct space_unpatched;
				       unpatched_enter takes ownership */
	uint64_t early;             /* see struct space_unpatched */
};
struct unpatched_texts {
	struct VECTOR(struct unpatched_text) items;
	struct VECTOR(uint8_t) bytes;
	struct return_jumps return_jumps;
};
void unpatched_texts_deinit(struct unpatched_texts *texts);

/* Adds the text of a function to `texts`, if it can be unpatched. Fills in the fields
 * of `request` that depend on the module. */
void unpatched_find(const struct space *space, struct module *module,
		    struct unpatch_request *request, struct unpatched_texts *texts);

/* Writes the texts, while all threads of the space are stopped. */
void unpatched_enter(struct space *space, struct unpatched_texts *texts);

/*
 * Makes all functions of the space run patched again in the memory that `memory_fd`
 * writes: another process's, which has a copy of its memory and has not run yet, or the
 * space's own. In the second case its threads are stopped, and are moved to relocated
 * code by reentry_lead_in. Functions added to `closed` are still to be listed there:
 * their text differs from the plan's, see unpatch_close.
 */
void unpatched_leave(const struct space *space, int memory_fd,
		     struct space_unpatched_list *closed);

/* Restores the original text of a module: no change by the plan is to stay. The range
 * `back` is original already. */
void unpatched_restore(const struct space *space, const struct module *module,
		       struct image_range back);

/* Forgets the unpatched functions of a module that is unmapped. */
void unpatched_forget(struct space *space, const struct module *module);

#endif
