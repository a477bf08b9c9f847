/*
 * Detection of code that sets the GS base or selector, by which counters are addressed:
 * by an instruction (gs.c) or by a system call (gs_calls.c). Equal numbers occur
 * elsewhere, and data between code looks alike, so the code is followed.
 */
#ifndef TRAMMEL_CODE_SCAN_GS_H
#define TRAMMEL_CODE_SCAN_GS_H

#include "code/plan/plan.h"
#include "code/plan/request.h"
#include "code/scan/walk.h"

/* The worst effect of a range of code. */
enum gs_verdict {
	GS_NEVER,
	GS_BY_ARGUMENTS, /* if its arguments are SYS_arch_prctl and ARCH_SET_GS */
	GS_BY_CODE,      /* if one of its arguments is ARCH_SET_GS */
	GS_UNKNOWN, /* by a system call of whose number and argument nothing is known */
	GS_PERHAPS,
	GS_SET,
};

/* Judges walk->suspects: fills in scan.uses_gs and scan.doubts. False: a scan with
 * map.exposed may be more certain; `exposed` says that this is such a scan. */
bool gs_judge(const struct walk *walk, bool exposed);

/* The hook, of those of the request, for a function that is in scan.doubts; 0: none. */
uint8_t gs_hook(const struct scan *scan, const struct plan_request *request,
		const struct image_function *function);

#endif
