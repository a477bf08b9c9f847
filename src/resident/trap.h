/*
 * SIGTRAP of a debugger's break instructions and steps in a program whose tracer is dead:
 * the thread goes on as if there had been none.
 */
#ifndef TRAMMEL_RESIDENT_TRAP_H
#define TRAMMEL_RESIDENT_TRAP_H

#include "wire/control.h"

#include <stdint.h>

/* The handler; called from resident.S. `info`: the kernel's siginfo_t; `context`: its
 * ucontext_t, as words. */
void resident_trap(const int32_t *info, uint64_t *context, struct wire_control *control);

/* Sets what the program does at SIGTRAP, instead of the resident's handler. */
void trap_give_back(struct wire_breaks *breaks);

#endif
