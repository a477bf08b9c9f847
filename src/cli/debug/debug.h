/* What `trammel debug` does for other commands. */
#ifndef TRAMMEL_CLI_DEBUG_DEBUG_H
#define TRAMMEL_CLI_DEBUG_DEBUG_H

struct measuring;

/* Measures a program as running_measure() does; at a signal of a crash it stops, and the
 * terminal asks for commands. Without one, what is known of the crash is written to
 * standard error, and the program goes on. */
int prompt_at_crash(struct measuring *given, const char *database);

#endif
