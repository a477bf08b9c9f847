/*
 * Choosing how each entry reaches its trampoline, and what becomes of branches back to
 * it.
 */
#ifndef TRAMMEL_CODE_ENTRY_ENTRY_PATCH_H
#define TRAMMEL_CODE_ENTRY_ENTRY_PATCH_H

#include "code/plan/plan.h"
#include "code/plan/request.h"
#include "code/scan/padding.h"
#include "code/scan/scan.h"

/* How many functions ahead the code is fetched that is looked at: each begins somewhere
 * else. */
enum { ENTRY_PATCH_AHEAD = 8 };

/* Bytes that rsp may be lower at a call among the first instructions: code/calls/gates.c
 * has one byte for them and the return address. */
enum { ENTRY_PATCH_DEPTH_MAX = 112 };

struct entry_patch {
	/* What the caller sets. */
	bool wanted;  /* is to have a probe */
	uint8_t hook; /* is to have this hook; 0: none */
	/* Gates tell of its calls (code/calls/spans.h); its returns are to be seen only
	 * since others end by a jump to it; and not all of them can be seen. */
	bool span, passed_on, unseen;
	/* What comes out: */
	uint8_t reason; /* enum plan_reason; the rest counts only if PLAN_INSTRUMENTED */
	uint8_t size; /* of the patch at the entry: 5 a jump, 2 a short jump to `island`,
			 10 two jumps, the second to the displaced instructions */
	uint8_t displaced;  /* as plan_function.displaced */
	uint8_t call_end;   /* as plan_function.call_end; the patch is the displacement */
	uint8_t call_depth; /* with call_end, where calls are counted by their sites:
			       bytes that rsp is lower at the call than at the entry */
	bool keep_flags;    /* flags may be alive at the entry */
	uint64_t island;    /* a jump to the trampoline lies here; 0: none */
	uint64_t loop; /* where rel8 branches back to the entry are to lead: a jump to the
			  displaced instructions; 0: none is needed */
	bool loop_island; /* that jump lies in padding, not behind the entry's */
};

/*
 * Fills in the choice for each function that is wanted or hooked. `padding` (initialised
 * by the caller) says afterwards what padding is in use and what must lead over it.
 */
void entry_patches_choose(const struct scan *scan, const struct image *image,
			  const struct plan_request *request, struct padding *padding,
			  struct entry_patch *choices);

/* Bytes of the displacement of a call, which ends it. */
enum { ENTRY_PATCH_DISPLACEMENT = 4 };

/* Whether a branch of scan.inner is left behind at its place, and so must be rewritten.
 */
static inline bool entry_patch_rewrites(const struct scan_branch *branch,
					uint64_t address,
					const struct entry_patch *choice)
{
	return branch->address - address >= choice->displaced;
}

#endif
