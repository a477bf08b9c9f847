/* Tiny functions to be interrupted, and a timer that interrupts them. */
#ifndef CHAIN_H
#define CHAIN_H

#include "test.h"

#include <signal.h>
#include <sys/time.h>

extern volatile sig_atomic_t chain_signals; /* how often the timer has struck */
extern volatile sig_atomic_t chain_working; /* not 0: in chain_work */

/* Sets the handler, on an alternate stack of its own, and a timer at 1 kHz. */
void chain_start(void (*handler)(int));
void chain_stop(void);

/* Calls a tree of tiny functions until the timer has struck `count` times. */
void chain_work(int count);

#endif
