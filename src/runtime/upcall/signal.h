/*
 * The signal of upcalls in a program that may use all signals: what the program does with
 * it through the C library is kept for it, so that neither the program nor the upcalls
 * lose it.
 */
#ifndef TRAMMEL_RUNTIME_UPCALL_SIGNAL_H
#define TRAMMEL_RUNTIME_UPCALL_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

/* Takes the signal, once; returns false if it cannot. */
bool upcall_signal_take(void (*handler)(int signal, siginfo_t *info, void *context));

/* Tells whether the signal's handler is still ours. */
bool upcall_signal_is_ours(void);

/* Does with a signal that is none of ours what the program wants of it; returns if the
 * program goes on. */
void upcall_signal_chain(int signal, siginfo_t *info, void *context);

#endif
