/* Breakpoints as they are given at a prompt. */
#ifndef TRAMMEL_DEBUG_CONSOLE_BREAKS_H
#define TRAMMEL_DEBUG_CONSOLE_BREAKS_H

#include "debug/console/console.h"

/* Sets a breakpoint: "PLACE [if CONDITION]". A place that is not there yet is looked for
 * whenever modules are loaded. */
struct trm_error *breaks_set(struct console *console, const char *text, bool once,
			     uint64_t ignore);

/* Sets a watchpoint: "*ADDRESS [BYTES]". `reads`: it stops at reads, too, and not only
 * where the value changes. */
struct trm_error *breaks_watch(struct console *console, const char *text, bool reads);

/* Returns the one with a number; NULL: there is none. */
struct console_breakpoint *breaks_find(const struct console *console, uint32_t number);

/* Takes one away. */
void breaks_delete(struct console *console, struct console_breakpoint *breakpoint);
void breaks_delete_all(struct console *console);

/* Looks for the places of those that have none, or anew for all (`again`: an image
 * began). */
void breaks_resolve(struct console *console, bool again);

/* A process has what its parent had; or has ended. */
void breaks_fork(struct console *console, pid_t parent, pid_t child);
void breaks_end(struct console *console, pid_t pid);

/* Switches one on or off, or has it not stop so many times, in all processes. */
void breaks_switch(struct console *console, struct console_breakpoint *breakpoint,
		   bool off);
void breaks_ignore(struct console *console, struct console_breakpoint *breakpoint,
		   uint64_t times);

/* Returns the one that a stop was for, and takes it away if it is to be met once; NULL:
 * it was for none. Writes its number to `ret_number`. */
bool breaks_met(struct console *console, uint32_t own, uint32_t *ret_number);

/* Shows all. */
void breaks_show(struct console *console);

/* Sets a breakpoint of the prompt's own at an address, for one thread with a stack
 * pointer of at least `rsp`. */
uint32_t breaks_set_own(struct console *console, uint64_t address, pid_t tid,
			uint64_t rsp);

#endif
