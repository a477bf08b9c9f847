/* The executed instructions by kind, with the number of loads and stores: computed
 * from the counts of blocks and the code of the modules. */
#ifndef TRAMMEL_DERIVE_MIX_H
#define TRAMMEL_DERIVE_MIX_H

#include "annotate/memory.h"
#include "base/table.h"
#include "derive/walk.h"
#include "x86/insn_class.h"

enum mix_by {
	MIX_BY_CLASS,
	MIX_BY_MNEMONIC,
	MIX_BY_FUNCTION,
	MIX_BY_BLOCK,
	MIX_BY_MODULE,
	MIX_BY_PROGRAM
};

enum mix_sort { MIX_SORT_INSTRUCTIONS, MIX_SORT_LOADS, MIX_SORT_STORES, MIX_SORT_NAME };

/* Outcomes of the conditional branches. */
struct mix_branches {
	uint64_t executed, taken, passed; /* passed: not taken */
};

struct mix_row {
	uint64_t key; /* a class, a mnemonic, an index in the profile, or the address of a
			 program's path */
	struct memory_sums sums;
	uint64_t classes[INSN_CLASSES]; /* instructions */
};

struct mix {
	const struct report_profile *profile;
	enum mix_by by;
	struct VECTOR(struct mix_row) rows;
	struct mix_row total;
	struct mix_branches branches; /* known outcomes; others are unknown */
	uint64_t odd;                 /* blocks that are not in the module's file */
	size_t uncounted;             /* functions: see struct walk */
	struct walk_troubles troubles;
	struct table row_by_key; /* scratch */
};

/* Sums the selection of a profile, which must outlive the result. `functions`: glob
 * for names; NULL: all. The caller deinits it. */
void mix_init(struct mix *mix, const struct report_profile *profile,
	      const char *functions, enum mix_by by, enum mix_sort sort);
void mix_deinit(struct mix *mix);

/* Returns the name of a row; for a function or block, the function's name. */
const char *mix_row_name(const struct mix *mix, const struct mix_row *row);

#endif
