/*
 * Trees to look at: the numbers of a profile by call path, by phase of the program, by
 * place in the source, or by module. A node's total holds those of the nodes in it.
 */
#ifndef TRAMMEL_REPORT_FLAME_TREE_H
#define TRAMMEL_REPORT_FLAME_TREE_H

#include "base/error.h"
#include "base/table.h"
#include "base/vector.h"
#include "report/profile.h"

#include <stdint.h>

enum flame_by { FLAME_BY_CALLS, FLAME_BY_PHASE, FLAME_BY_SOURCE, FLAME_BY_MODULE };

/* Their names, as options have them; NULL at the end. */
extern const char *const flame_by_names[];

struct flame_node {
	const char *name;     /* of a function, region, folder, file or module */
	uint32_t module;      /* in profile.modules; REPORT_NONE: of none */
	uint32_t function;    /* in profile.functions; REPORT_NONE: it is none */
	uint32_t parent;      /* REPORT_NONE: the root; else smaller than its own */
	uint32_t first, next; /* of the nodes in it, of those beside it; REPORT_NONE */
	uint32_t depth;       /* 0: the root */
	uint64_t self, total;
	uint64_t before; /* total in another profile: see flame_tree_compare */
};

/* What is in one module itself. */
struct flame_part {
	uint32_t module; /* REPORT_NONE: of none */
	uint64_t self;
};

struct flame_tree {
	struct VECTOR(struct flame_node) nodes; /* the root first; siblings by total */
	const char *value;                      /* what the numbers are: "time" */
	const char *unit;                       /* "ns", "B" or "" */
	struct VECTOR(struct flame_part) parts; /* of all modules, the largest first */
	uint32_t *ranks;                        /* of each module, its place in `parts` */
	struct string_table names;              /* those that the profile does not have */
	bool compared;                          /* with another profile's */
};

/*
 * Makes the tree of the selection of a profile, which must outlive it.
 *
 * value: what is added up, "time" or another name; NULL: the most telling one there is.
 * files: paths of the source files of the profile's functions, NULL where it is not
 * known; only for FLAME_BY_SOURCE.
 *
 * Errors (TRM_ERROR_USAGE): the profile has nothing of that kind; the message says how to
 * measure it. On success the caller deinits the tree.
 */
struct trm_error *flame_tree_init(struct flame_tree *tree,
				  const struct report_profile *profile, enum flame_by by,
				  const char *value, const char *const *files);
void flame_tree_deinit(struct flame_tree *tree);

/* Returns the name of the module that a node is of, to be shown beside its own; NULL: it
 * is of none, or is the module. */
const char *flame_module_name(const struct report_profile *profile,
			      const struct flame_node *node);

/* Returns what a profile is best looked at by: by call path where it has some, else by
 * phase or by module. */
enum flame_by flame_tree_usual(const struct report_profile *profile);

#endif
