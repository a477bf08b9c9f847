/* The body of hooks. Called by resident.S alone. */
#ifndef TRAMMEL_RESIDENT_SERVE_H
#define TRAMMEL_RESIDENT_SERVE_H

#include "wire/bank.h"
#include "wire/control.h"
#include "wire/registers.h"

/* Serves a hook, on the stack in the bank, with signals blocked. From the moment that the
 * program installs a system call filter, it makes no system calls. `frame`: the registers
 * of the program at the hook; the hook's return address and number follow in memory. */
void resident_serve(struct wire_bank *bank, const struct wire_registers *frame);

/*
 * Handles a hook without a tracer. The program may be about to write to its code, and
 * must find it as in its files: otherwise changes to a patched entry would have no
 * effect. If the tracer died while the program was loaded, libraries loaded later have no
 * hooks: so the loader's hook is the last chance.
 */
void resident_alone(struct wire_control *control, const struct wire_registers *frame);

#endif
