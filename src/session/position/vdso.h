/*
 * The kernel's code in each process (vdso(7)), which no file has.
 */
#ifndef TRAMMEL_SESSION_POSITION_VDSO_H
#define TRAMMEL_SESSION_POSITION_VDSO_H

#include "wire/unwind.h"

#include <sys/types.h>

/* Finds the vDSO's call-frame information, as this process has it: it is the same
 * everywhere. Returns false if `pc` is not in the vDSO of process `pid`. */
bool vdso_find_tables(pid_t pid, uint64_t pc, struct unwind_tables *ret_tables);

#endif
