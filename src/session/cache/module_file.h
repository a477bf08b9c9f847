/*
 * Files as modules of programs: their plans, made once a file and kept in a cache folder
 * together with the patched text, whose pages are written over the program's own.
 */
#ifndef TRAMMEL_SESSION_CACHE_MODULE_FILE_H
#define TRAMMEL_SESSION_CACHE_MODULE_FILE_H
#include "base/vector.h"
#include "code/plan/plan.h"
#include "image/headers.h"
#include "image/image.h"
#include "session/options/options.h"
#include "wire/layout.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Identity of a file: while none of these change, its contents have not changed. */
struct file_identity {
	uint64_t device, inode, size;
	int64_t modified_ns, changed_ns; /* since 1970 */
};

/* Run of pages of a text's part that are written in one go; the offset counts from the
 * part's start. */
#define MODULE_RUNS 4
struct module_run {
	uint64_t offset, size; /* bytes */
};

/* One executable segment of a file. */
struct module_text {
	uint64_t address;     /* link-time, rounded down to a page */
	uint64_t file_offset; /* rounded down to a page */
	uint64_t size;        /* bytes of the mapping, whole pages */
	/* The part that patches change; all fields about patched bytes are about it
	 * alone. Much else can lie in one segment with code: constants, call-frame
	 * information. */
	uint64_t part_offset; /* from `address` on, whole pages */
	uint64_t part_size;   /* bytes, whole pages */
	/* Runs that cover all pages of the part that differ from the original ones,
	 * and perhaps some that do not. */
	struct module_run runs[MODULE_RUNS];
	uint32_t run_count;
};

#define MODULE_TEXTS 4

/* Size in bytes below which a text is written to in place, not patched in a copy
 * first: that is cheaper than the system calls. */
#define MODULE_COPIED_MIN (96u << 10)

/* 64-bit words in trampolines that depend on the load address of the module, by their
 * offsets, and the numbers of the pages that contain them; consecutive pages form a
 * run. Empty for a module at a fixed address. `many` is set if there are more of any
 * kind than fit. */
#define MODULE_OWN_WORDS 512
#define MODULE_OWN_PAGES 16
#define MODULE_OWN_RUNS  6
struct module_own_words {
	uint32_t count, page_count, run_count, many;
	uint32_t offsets[MODULE_OWN_WORDS];
	uint32_t pages[MODULE_OWN_PAGES];
};

struct module_file {
	uint32_t index; /* in session.files */
	struct file_identity identity;
	char *path;           /* as the program has it */
	char *name;           /* its last part */
	char build_id[65];    /* hex; "" if it has none */
	bool has_interpreter; /* a program that ld.so starts */
	bool dynamic;         /* position-independent: may be loaded at any address */
	bool audited;         /* see struct image */
	bool tells_loaded;    /* a loader that has a WIRE_HOOK_LOADED */
	uint32_t text_count;
	struct module_text texts[MODULE_TEXTS];
	struct plan *plan; /* NULL: not instrumented, see `trouble` */
	struct VECTOR(struct wire_way)
		address_maps;  /* rows of the plan's address maps; see
				  session/cache/address_maps.h */
	uint32_t instrumented; /* functions of the plan that are counted */
	const struct feedback
		*feedback; /* frequencies used while a plan is made; NULL: not known */
	bool leak_checked; /* has LeakSanitizer: see WIRE_HOOK_EXIT */
	struct module_own_words own_words;
	char *trouble;     /* reason why there is no plan, or it cannot be used; NULL:
			      the plan can be used */
	bool left_out;     /* excluded by the user's options */
	bool bare;         /* belongs to programs that are not measured */
	bool mandatory;    /* only its hooks are patched: it is bare, or left out */
	bool walks_stacks; /* see image_walks_stacks; known only with copies_calls */
	bool looked_for_go, is_go; /* written in Go; looked for where it matters */
	bool copies_calls;    /* relocated code makes calls; this takes another plan of
				 the same file */
	unsigned int variant; /* number of the distance to the trampolines; each takes
				 another plan of the same file */
	bool used;            /* mapped by a measured program */

	struct lazy_file *lazy;         /* set if its functions are planned when they are
					   called; NULL: they are all planned */
	uint64_t code_room, steps_room; /* with `lazy`: bytes reserved for code and
					   steps */

	/* File from which trampolines can be mapped; cached_path NULL: no such file. */
	char *cached_path;
	uint64_t cached_offset[MODULE_TEXTS]; /* of each text's part in that file */
	uint64_t code_offset; /* of trampolines, and the ways behind them, in that file */

	const uint8_t *bytes;           /* the file itself, mapped */
	struct image_unwind unwind;     /* call-frame information in `bytes`; header 0:
					   the file has none */
	uint8_t *patched[MODULE_TEXTS]; /* the texts' parts with all patches applied; they
					   lie in the cache file if there is one, else in
					   memory */
	void *cached_bytes; /* the cache file, mapped; the plan's arrays lie in it */
	size_t cached_size;
};

#endif
