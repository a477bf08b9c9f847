/* Modules as address spaces have them mapped, and their families. */
#ifndef TRAMMEL_SESSION_STATE_MODULE_H
#define TRAMMEL_SESSION_STATE_MODULE_H

#include "base/vector.h"
#include "control/arena.h"
#include "session/cache/module_file.h"
#include "session/state/copies.h"

#include <stdbool.h>
#include <stdint.h>

/* The modules of an arena and their counters: shared by all that forked from one image.
 */
struct family_module {
	struct module_file *file;
	uint32_t first_slot;
};
struct family {
	struct arena *arena; /* its reference count is the family's */
	struct VECTOR(struct family_module) modules; /* sorted by first_slot */
	struct VECTOR(struct family_copy *) shared_code;
	uint32_t heard;     /* value of the doorbell that was answered */
	struct bank *aside; /* see thread_set_aside; NULL: none yet */
	bool spreads;       /* counters lie where cache files have them, with gaps */
	uint64_t copies;    /* bytes of addresses given out for copies: see swap.c */
	uint64_t throws;    /* exception_rate_key, where it is to be known how much they
			       throw; 0 */
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
	/* The part of the trampolines that lies in the arena: all, or their end, if the
	 * rest is mapped from the cache file. */
	uint64_t shared_offset, shared_size;
	struct family_copy *copy; /* that this is; NULL: there is none */
	uint32_t first_slot;
	bool readable;     /* the text may be read, as nearly all */
	bool there;        /* while texts are restored: it is mapped still */
	bool restored;     /* the original text is there again, for good */
	bool broken;       /* could not be instrumented: left alone */
	bool refused;      /* for want of memory alone: see session/state/memory.h */
	bool caches_calls; /* some of its inline caches are filled */
	bool stays;        /* the program started with it: it is never unloaded */

	/* Where processes are attached to and left again: see swap.c. */
	uint64_t staged; /* address of the patched text, ready; 0: none */
	uint64_t kept;   /* address of the original text, to be put back; 0: none */
	bool swapped;    /* the patched text is in place */
	bool unfinished; /* to be gone on with */
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

/* A module of the space that sets the GS base itself; NULL if there is none. */
const struct module *modules_using_gs(const struct space *space);

/* The instrumented module whose text holds this address; NULL if none. */
struct module *space_module_of_text(const struct space *space, uint64_t address);

/* The module whose trampolines hold this address; NULL if none. */
struct module *space_module_of_code(const struct space *space, uint64_t address);

/* Where the part of a module's text that patches change lies in the program. */
struct image_range module_part_of(const struct module *module);

/* The text of a module that an address of its space's lies in. */
const struct module_text *module_text_of(const struct module *module);

/* What an address in a module's trampolines is. */
struct plan_position module_locate(const struct module *module, uint64_t address);

/* Where a call leads that such a place is in (CALL_DONE), run-time. False: the word that
 * tells cannot be read. */
bool module_callee(const struct space *space, const struct module *module,
		   const struct plan_position *place, unsigned long long *ret_address);

#endif
