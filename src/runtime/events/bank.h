/*
 * The memory in which a measuring process counts for this thread (wire/layout.h).
 */
#ifndef TRAMMEL_RUNTIME_EVENTS_BANK_H
#define TRAMMEL_RUNTIME_EVENTS_BANK_H

#include "wire/context.h"
#include "wire/layout.h"

/* Finds the bank of this thread, by a system call; NULL if no process counts. */
struct wire_bank *bank_find(void);

/* Tells the process that stops this thread now and then where the thread's record is, so
 * that stops do not count as the program's time. `bank` NULL: nobody does. */
void bank_tell(const struct context_thread *thread, struct wire_bank *bank);

/* Withdraws the record, which is about to be freed. */
void bank_forget(const struct context_thread *thread);

#endif
