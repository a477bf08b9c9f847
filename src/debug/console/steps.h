/* How the program goes on from a prompt: steps by instruction and line, and until. */
#ifndef TRAMMEL_DEBUG_CONSOLE_STEPS_H
#define TRAMMEL_DEBUG_CONSOLE_STEPS_H

#include "debug/console/console.h"

/* Begins `count` steps of instructions or lines. */
struct trm_error *steps_begin(struct console *console, enum console_going going,
			      bool lines, uint64_t count);

/* Lets the program run on to an address in the current thread, at a stack of at least
 * `rsp` bytes. */
struct trm_error *steps_run_to(struct console *console, uint64_t address, uint64_t rsp);

/* A stop has come. Returns whether it was a part of a step that goes on. */
bool steps_go_on(struct console *console, const struct debug_event *stop);

/* Gives up what is being done. */
void steps_end(struct console *console);

#endif
