/* Paths of functions: where threads are on them. */
#ifndef TRAMMEL_WIRE_PATHS_H
#define TRAMMEL_WIRE_PATHS_H

/*
 * Where paths are counted, struct wire_paths lies in each bank behind struct wire_spans,
 * which is a hole if nothing needs it: addresses for probes (code/emit/path_probe.h),
 * frames whose functions were entered anew, by stack pointer, and counts of paths that
 * had no end. A function is named by the displacement of its first word, a place in it by
 * that and the place's number.
 */
#define WIRE_PATHS_PUT_BY    0x45000 /* addresses of the resident's routines: paths.S */
#define WIRE_PATHS_FIND      0x45008
#define WIRE_PATHS_LOST      0x45010
#define WIRE_PATHS_ENDED     0x45018
#define WIRE_PATHS_USED      0x45400
#define WIRE_PATHS_FRAMES    0x46000
#define WIRE_PATHS_SETS      0x10000 /* of frames: by bits 4 to 19 of the stack pointer */
#define WIRE_PATHS_WAYS      4       /* frames in a set */
#define WIRE_PATHS_ENDS      0x446000
#define WIRE_PATHS_ENDS_BITS 16 /* of their number */
#define WIRE_PATHS_STEPS     512
#define WIRE_PATHS_UNKNOWN   0x40000000 /* PATH_LOST of code/emit/path_probe.h */

#ifndef __ASSEMBLER__

#include <stdint.h>

/* Words of a function that is away, while it is entered anew. */
struct wire_paths_frame {
	uint64_t rsp; /* behind the call in which it is; 0: free */
	uint32_t sum, place;
};
/* A path that was left at a place. */
struct wire_paths_end {
	uint32_t sum, place; /* place 0: free */
	uint64_t count;
	uint64_t seen; /* the tracer's: of which it has taken */
	uint64_t pad_;
};
struct wire_paths {
	uint64_t put_by, find;
	uint64_t lost;  /* frames that were not found, and ends without room */
	uint64_t ended; /* paths that were left: all of `ends` */
	uint8_t pad_[0x3e0];
	uint8_t used[1024]; /* by page of frames: some was written there */
	uint8_t pad2_[0x800];
	struct wire_paths_frame frames[WIRE_PATHS_SETS][WIRE_PATHS_WAYS];
	struct wire_paths_end ends[1 << WIRE_PATHS_ENDS_BITS];
};

#endif

#endif
