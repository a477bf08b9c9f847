/*
 * Paths through functions, as profiles have them: see docs/profile.md.
 */
#ifndef TRAMMEL_REPORT_REPORT_PATH_H
#define TRAMMEL_REPORT_REPORT_PATH_H

#include <stdint.h>

/* A path in one image; its texts belong to the profile. */
struct report_path {
	uint32_t function, image;
	uint64_t part; /* address of the code that it leads through: the function's, or a
			  cold part's */
	uint64_t number, of; /* its number, of how many paths; of the beginning of a path,
				that of the first one that begins so */
	const char *blocks;  /* distances of its blocks from `part`, in hexadecimal, with
				blanks  between them */
	const char *end;     /* "leave", "back", "split", "call" or "stop" */
	uint64_t instructions; /* on it */
	uint64_t count;
};

/* All paths of a function, or of a cold part of one. */
struct report_path_graph {
	uint32_t function;
	uint64_t part, of;
	const char *steps; /* see path.steps in docs/profile.md */
};

/* Why the paths of a function, or of a cold part of one, were not counted. */
struct report_path_bar {
	uint32_t function;
	uint64_t part;
	const char *reason;
};

#endif
