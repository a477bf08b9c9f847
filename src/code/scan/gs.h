/*
 * Whether code sets the GS base or selector, which counters are reached through: by an
 * instruction (gs.c) or by a system call (gs_calls.c). Numbers that lie anywhere, and
 * data between code, look the same, so the code is followed.
 */
#ifndef TRAMMEL_CODE_SCAN_GS_H
#define TRAMMEL_CODE_SCAN_GS_H

#include "code/plan/plan.h"
#include "code/plan/request.h"
#include "code/scan/walk.h"

/* What a range of code does, the worst of it. */
enum gs_verdict {
	GS_NEVER,
	GS_BY_ARGUMENTS, /* if its arguments are SYS_arch_prctl and ARCH_SET_GS */
	GS_BY_CODE,      /* if one of its arguments is ARCH_SET_GS */
	GS_UNKNOWN, /* by a system call of whose number and argument nothing is known */
	GS_PERHAPS,
	GS_SET,
};

/* Judges walk->suspects: the result is scan.uses_gs and scan.doubts. False: a scan with
 * map.exposed may be surer; `exposed` says that this is one. */
bool gs_judge(const struct walk *walk, bool exposed);

/* The hook of a function that scan.doubts has, of those of the request; 0: none. */
uint8_t gs_hook(const struct scan *scan, const struct plan_request *request,
		const struct image_function *function);

#endif
