/*
 * Choosing how each entry leads to its trampoline, and how branches back to it are
 * handled.
 */
#ifndef TRAMMEL_CODE_ENTRY_ENTRY_PATCH_H
#define TRAMMEL_CODE_ENTRY_ENTRY_PATCH_H

#include "code/plan/plan.h"
#include "code/plan/request.h"
#include "code/scan/padding.h"
#include "code/scan/scan.h"

/* How many functions ahead code is prefetched: each begins on another cache line. */
enum { ENTRY_PATCH_AHEAD = 8 };

/* The most bytes by which rsp may be lower at a call among the first instructions:
 * code/calls/gates.c has one byte for them and the return address. */
enum { ENTRY_PATCH_DEPTH_MAX = 112 };

struct entry_patch {
	/* Set by the caller: */
	bool wanted;  /* gets a probe */
	uint8_t hook; /* hook number; 0: none */
	/* span: gates report its calls (code/calls/spans.h). passed_on: its returns must
	 * be seen only because others end by a jump to it. unseen: not all of its returns
	 * can be seen. */
	bool span, passed_on, unseen;
	/* Results: */
	uint8_t reason; /* enum plan_reason; the rest is valid only with PLAN_INSTRUMENTED
			 */
	uint8_t size; /* of the patch at the entry: 5 a jump, 2 a short jump to `island`,
			 10 two jumps, the second to the displaced instructions */
	uint8_t displaced;  /* as plan_function.displaced */
	uint8_t call_end;   /* as plan_function.call_end; the patch is the displacement */
	uint8_t call_depth; /* with call_end, if calls are counted by call site:
			       bytes by which rsp is lower at the call than at the entry
			     */
	bool keep_flags;    /* flags may be alive at the entry */
	uint64_t island;    /* address of a jump to the trampoline; 0: none */
	uint64_t loop; /* address of a jump to the displaced instructions, the new target
			  of rel8 branches back to the entry; 0: not needed */
	bool loop_island; /* that jump lies in padding, not behind the entry's jump */
};

/*
 * Fills in the choice for each function that is wanted or hooked. `padding` (initialised
 * by the caller) then says which padding is in use and where a jump over it is needed.
 */
void entry_patches_choose(const struct scan *scan, const struct image *image,
			  const struct plan_request *request, struct padding *padding,
			  struct entry_patch *choices);

/* Bytes of a call's displacement, at its end. */
enum { ENTRY_PATCH_DISPLACEMENT = 4 };

/* Whether a branch of scan.inner stays at its address, not displaced, and so must be
 * rewritten. */
static inline bool entry_patch_rewrites(const struct scan_branch *branch,
					uint64_t address,
					const struct entry_patch *choice)
{
	return branch->address - address >= choice->displaced;
}

#endif
