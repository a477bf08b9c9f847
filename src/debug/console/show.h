/* What a prompt shows of a stopped thread. */
#ifndef TRAMMEL_DEBUG_CONSOLE_SHOW_H
#define TRAMMEL_DEBUG_CONSOLE_SHOW_H

#include "debug/console/console.h"

/* Shows the place of the current thread: a line, and the next instruction. */
void show_place(struct console *console);

struct trm_error *show_registers(struct console *console, const char *text);
struct trm_error *show_stack(struct console *console, const char *text);
struct trm_error *show_threads(struct console *console, const char *text);
struct trm_error *show_modules(struct console *console, const char *text);

/* "[/COUNT[FORMAT[SIZE]]] ADDRESS", as gdb's x: formats x d u c s i, sizes b h w g. */
struct trm_error *show_memory(struct console *console, const char *text);

/* Disassembles a function, or `COUNT` instructions from a place: the original, and beside
 * each instruction where it runs, with the code that runs there; probes are marked. */
struct trm_error *show_code(struct console *console, const char *text);

#endif
