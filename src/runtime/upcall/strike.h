/* The signal's handler: from interrupts to upcalls. */
#ifndef TRAMMEL_RUNTIME_UPCALL_STRIKE_H
#define TRAMMEL_RUNTIME_UPCALL_STRIKE_H

#include "runtime/upcall/state.h"

/* The handler of the signal. */
void upcall_strike(int signal, siginfo_t *info, void *context);

/* Sees jumps out of handlers from now on. */
void upcall_strike_watch_jumps(void);

#endif
