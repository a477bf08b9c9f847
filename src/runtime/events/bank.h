/*
 * The memory in which whoever measures the program counts for this thread
 * (wire/layout.h).
 */
#ifndef TRAMMEL_RUNTIME_EVENTS_BANK_H
#define TRAMMEL_RUNTIME_EVENTS_BANK_H

#include "wire/context.h"
#include "wire/layout.h"

/* Finds the bank of this thread, by a system call; NULL: nobody counts. */
struct wire_bank *bank_find(void);

/* Tells whoever holds this thread now and then where the thread's record is: what that
 * takes is to be no time of the program's. */
void bank_tell(const struct context_thread *thread);

/* The record goes away. */
void bank_forget(const struct context_thread *thread);

#endif
