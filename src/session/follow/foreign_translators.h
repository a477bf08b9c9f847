/*
 * Programs that run another program's code by translating it, and that keep account of
 * all mappings by themselves: they know nothing of what a tracer puts there, map over it,
 * and take text that leads to it for text that leads nowhere. They run unmeasured.
 */
#ifndef TRAMMEL_SESSION_FOLLOW_FOREIGN_TRANSLATORS_H
#define TRAMMEL_SESSION_FOLLOW_FOREIGN_TRANSLATORS_H

#include <stdbool.h>
#include <sys/types.h>

#define FOREIGN_TRANSLATOR_REASON "it runs another program by translating it (Valgrind)"

/* Whether a process is one, whose program is open as `exe`. */
bool foreign_translators_have(pid_t pid, int exe);

#endif
