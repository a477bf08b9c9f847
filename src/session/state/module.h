/* Modules as address spaces have them mapped, and their families. */
#ifndef TRAMMEL_SESSION_STATE_MODULE_H
#define TRAMMEL_SESSION_STATE_MODULE_H

#include "base/vector.h"
#include "control/arena.h"
#include "session/cache/module_file.h"
#include "session/state/copies.h"

#include <stdbool.h>
#include <stdint.h>

/* Module of an arena and its counters: shared by all processes forked from one image. */
struct family_module {
	struct module_file *file;
	uint32_t first_slot;
};
struct family {
	struct arena *arena; /* its reference count is the family's */
	struct VECTOR(struct family_module) modules; /* sorted by first_slot */
	struct VECTOR(struct family_copy *) shared_code;
	uint32_t heard;     /* value of the doorbell at its last answer */
	struct bank *aside; /* see thread_set_aside; NULL: none yet */
	bool spreads;       /* counters lie where cache files have them, with gaps */
	uint64_t copies;    /* bytes of addresses given out for copies: see swap.c */
	uint64_t stretches; /* slots for copied instructions that are in use, a bit each
			     */
	uint64_t throws;    /* exception_rate_key, if the time taken by exceptions is
			       to be recorded; else 0 */
};

/* A module mapped in an address space, with its trampolines. */
struct module {
	struct module_file *file;
	uint64_t bias;                 /* run-time minus link-time addresses */
	uint64_t text_start, text_end; /* the executable mapping that is patched */
	uint64_t code_address;         /* of the trampolines; 0: none */
	uint64_t code_size;            /* bytes, whole pages */
	uint64_t address_maps_at, address_maps_size; /* see session/cache/address_maps.h;
							address and bytes */
	/* Part of the trampolines that lies in the arena: all, or their end if the
	 * rest is mapped from the cache file. */
	uint64_t shared_offset, shared_size;
	struct family_copy *copy; /* copy that this part is; NULL: no copy */
	uint32_t first_slot;
	bool readable;     /* the text is readable, as nearly all texts are */
	bool there;        /* while texts are restored: it is still mapped */
	bool restored;     /* the original text is restored for good */
	bool broken;       /* could not be instrumented: left alone */
	bool refused;      /* not instrumented only because memory was short: see
			      session/state/memory.h */
	bool caches_calls; /* some of its inline caches are filled */
	bool stays;        /* the program started with it: it is never unloaded */

	/* For processes that are attached to and left again: see swap.c. */
	uint64_t staged; /* address of the patched text, ready; 0: none */
	uint64_t kept;   /* address of the original text, to be put back; 0: none */
	bool swapped;    /* the patched text is in place */
	bool unfinished; /* work on it is to be continued */
};

/* A module that was unmapped. */
struct gone_module {
	const struct module_file *file;
	uint64_t bias, text_start, text_end;
	uint64_t code_address, code_size; /* of its trampolines */
};

static inline bool module_holds_text(const struct module *module, uint64_t address)
{
	return address >= module->text_start && address < module->text_end;
}

struct space;

/* Returns a module of the space that sets the GS base itself; NULL if no module does. */
const struct module *modules_using_gs(const struct space *space);

/* Returns the instrumented module whose text contains this address; NULL if none does. */
struct module *space_module_of_text(const struct space *space, uint64_t address);

/* Returns the module whose trampolines contain this address; NULL if none does. */
struct module *space_module_of_code(const struct space *space, uint64_t address);

/* Returns the address range in the program of the part of a module's text that patches
 * change. */
struct image_range module_part_of(const struct module *module);

/* Returns the text of a module that contains a run-time address. */
const struct module_text *module_text_of(const struct module *module);

/* Returns the meaning of an address in a module's trampolines. */
struct plan_position module_locate(const struct module *module, uint64_t address);

/* Writes the run-time target of the call at such a place (CALL_DONE) to `ret_address`.
 * Returns false if the word with the target cannot be read. */
bool module_callee(const struct space *space, const struct module *module,
		   const struct plan_position *place, unsigned long long *ret_address);

#endif
