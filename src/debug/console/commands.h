/* The commands of the prompt. */
#ifndef TRAMMEL_DEBUG_CONSOLE_COMMANDS_H
#define TRAMMEL_DEBUG_CONSOLE_COMMANDS_H

#include "debug/console/console.h"

/* Does what a line says; its answer goes to console->output. */
void commands_do(struct console *console, const char *line);

/* Adds the words that may stand at the end of a line, a line each. */
void commands_complete(struct console *console, const char *line, struct text *text);

#endif
