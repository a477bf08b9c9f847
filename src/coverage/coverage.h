/* The executed part of a program, with the places in its source: the functions of a
 * profile, joined with the files of its modules and their debug information. */
#ifndef TRAMMEL_COVERAGE_COVERAGE_H
#define TRAMMEL_COVERAGE_COVERAGE_H

#include "base/error.h"
#include "base/table.h"
#include "base/text.h"
#include "base/vector.h"
#include "report/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct coverage_function {
	uint32_t module; /* index in coverage.modules */
	uint32_t file;   /* index in coverage.files; of no use without a line */
	uint32_t line;   /* 0: not known */
	uint32_t linked; /* number in coverage.names: the linked (mangled) name */
	uint32_t name;   /* number in coverage.names: the name that reports show */
	uint64_t offset; /* link-time address */
	uint64_t calls;  /* 0: not executed. 1 in coverage profiles */
};

/* A line of the source that has code. */
struct coverage_line {
	uint32_t file; /* index in coverage.files */
	uint32_t line;
	uint64_t count; /* 0: not executed */
};

/* A way that a branch of a line may go. Branches that were never executed are not known.
 */
struct coverage_branch {
	uint32_t file; /* index in coverage.files */
	uint32_t line;
	uint32_t module;  /* index in coverage.modules */
	uint64_t address; /* of the branch */
	uint32_t way;     /* 0, 1, ... of this branch */
	uint64_t count;
};

struct coverage_module {
	const struct report_module *module;
	/* All measured functions are listed, not only the executed ones. */
	bool complete;
	/* The reason why only executed functions are listed, or why places in the
	 * source are missing or incomplete; NULL: nothing is missing. */
	char *trouble;
	bool has_lines;
};

/* A source file. */
struct coverage_file {
	const char *path;
	uint32_t functions,
		executed; /* each counted once, in however many modules it is */
	bool complete;    /* all modules that have functions of it are */
	uint32_t lines, executed_lines;    /* of coverage.lines */
	uint32_t branches, taken_branches; /* of coverage.branches */
};

struct coverage {
	const struct report_profile *profile;
	struct VECTOR(struct coverage_module) modules; /* the selected ones, by name */
	struct VECTOR(struct coverage_file) files;     /* sorted by path */
	/* Sorted by file, line, linked name, module; functions without a place come
	 * last. */
	struct VECTOR(struct coverage_function) functions;
	/* For profiles of blocks; sorted by file and line. A line's count is the
	 * highest count of the blocks with code of it, summed over the functions that
	 * have the line (templates, inline functions). */
	struct VECTOR(struct coverage_line) lines;
	/* For profiles of edges; sorted by all fields but the count. */
	struct VECTOR(struct coverage_branch) branches;
	struct string_table names, paths;
};

struct image;

/* The code that a run was asked to measure; without a wish, everything. */
struct coverage_wish {
	void *context;
	bool (*wanted)(void *context, const char *module_path, const struct image *image,
		       const char *function, uint64_t address);
};

/* Makes the coverage of the selection of a profile, which must outlive the result.
 * `source`: a glob for paths of source files; other files are left out (NULL: all
 * files, and functions without a place). The caller deinits it. */
void coverage_init(struct coverage *coverage, const struct report_profile *profile,
		   const struct coverage_wish *wish, const char *source);
void coverage_deinit(struct coverage *coverage);

/* Functions that are the same piece of source: at one line, of one name. They are next to
 * each other. `first` is the index of the first one; the index behind the last one, and
 * the sum of their calls. In a coverage profile the sum is 1 or 0. */
size_t coverage_same(const struct coverage *coverage, size_t first, uint64_t *ret_calls);

/* The items that a tracefile leaves out. */
struct coverage_left_out {
	size_t missing;      /* source files that do not exist here */
	const char *example; /* the first of them, of the coverage */
	size_t generated;    /* names of code without a file, as "<built-in>" */
	size_t lines;        /* lines behind the end of source files that exist */
};

struct coverage_options {
	bool functions; /* a row for each function, not for each source file */
	bool missed;    /* show only code that was not executed */
	size_t limit;   /* rows of each table; SIZE_MAX: all */
	bool colour;
	size_t width; /* columns at which lines are cut; 0: nowhere */
};

#endif
