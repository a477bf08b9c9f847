/* Asking the tracer: requests in a thread's bank, and waiting for replies. */
#ifndef TRAMMEL_RESIDENT_ASK_H
#define TRAMMEL_RESIDENT_ASK_H

#include "wire/bank.h"
#include "wire/control.h"
#include "wire/mailbox.h"
#include "wire/registers.h"

#include <stdint.h>

/* Posts the request in the bank and waits; runs the batches that the tracer sends.
 * Returns the last reply; WIRE_ALONE if there was none since the tracer is dead. */
enum wire_reply ask_tracer(struct wire_bank *bank);

/* Makes the request WIRE_HOOK_LAZY for a thread that may make no system call: the tracer
 * polls for it. */
void ask_quietly(struct wire_bank *bank, const struct wire_registers *frame);

/* Makes the system calls of a batch. */
void resident_run(struct wire_batch *batch, const struct wire_control *control);

/* Enters the latch anew: its function is planned by now. */
static inline void ask_go_again(const struct wire_registers *frame)
{
	*(uint64_t *)(uintptr_t)(frame + 1) += WIRE_AGAIN_BYTES;
}

#endif
