/*
 * Code that follows the path of a thread through a function. Each function has two words
 * in the bank of each thread, and counters by path behind them:
 *
 *     word      bits 0 to 31: the running sum (flow/paths.h); 32 to 63: while the thread
 *               is away in a call, where: PATH_SITE
 *     away      0: the thread runs the function's own code, or has left it; else the
 * stack pointer behind the call in which it is
 *
 * A function that is entered while it is away (recursion, a handler, another stack) first
 * has the resident put these two words by, in a table by stack pointer; a call that comes
 * back to a function which is not away there has the resident find them. So frames may
 * end in any order, or never. The code is written in the forms that
 * session/position/path_steps.c can carry out for a stopped thread.
 */
#ifndef TRAMMEL_CODE_EMIT_PATH_PROBE_H
#define TRAMMEL_CODE_EMIT_PATH_PROBE_H

#include "code/emit/emit.h"
#include "code/plan/request.h"

enum {
	PATH_WORD = 0, /* bytes from a function's first counter */
	PATH_SITE = 4,
	PATH_AWAY = 8,
	PATH_COUNTERS = 16,
	PATH_SLOTS = 2,         /* in front of the counters */
	PATH_LOST = 0x40000000, /* a sum that is not known; increments keep it above all
				   paths */
	PATH_PROBE_MAX = 160,   /* bytes of one of these, at most */
	PATH_NO_SCRATCH = 16,
};

/* A function's words, and the bank's. */
struct path_words {
	uint32_t first; /* displacement of its word in the bank, without the module's */
	const struct plan_path_layout *bank;
};

/* The end of a path. */
struct path_end {
	int64_t increment;
	uint64_t count; /* of paths */
	bool goes_on;   /* another one begins at once, */
	int64_t then;   /* with this sum */
	int64_t only; /* number of the only path that ends there; -1: there are several */
	bool returns; /* a return instruction follows */
};

/* All write a probe; `keep`: flags are alive there. `scratch`: a register whose value
 * nobody needs there, not rsp; PATH_NO_SCRATCH: none is known. */
void path_probe_add(struct emitter *emitter, const struct path_words *words,
		    int64_t increment, bool keep, uint8_t scratch);
void path_probe_end(struct emitter *emitter, const struct path_words *words,
		    const struct path_end *end, bool keep, uint8_t scratch);

/* Writes the beginning of a path where the function is entered; `calls`: the function may
 * be away. Returns the offset of a displacement of 4 bytes to be filled in with the
 * probe's tail; 0: it needs none. */
uint32_t path_probe_begin(struct emitter *emitter, const struct path_words *words,
			  int64_t sum, bool calls, bool keep);

/* Writes what comes in front of calls: `site` is a number below PATH_COUNTERS + 8 * the
 * number of counters; rsp will be `up` bytes higher behind them. */
void path_probe_go(struct emitter *emitter, const struct path_words *words, uint32_t site,
		   int32_t up);

/* Writes what comes behind calls, where flags must be dead. Returns as path_probe_begin.
 */
uint32_t path_probe_back(struct emitter *emitter, const struct path_words *words);

/* Writes a tail: it asks the resident and goes back to the probe, at offset `start`.
 * `site`: of path_probe_back, the number that path_probe_go wrote; 0: of
 * path_probe_begin, and only there flags can be kept. */
void path_probe_tail(struct emitter *emitter, const struct path_words *words,
		     uint32_t start, uint32_t site, bool keep);

#endif
