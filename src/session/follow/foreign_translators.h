/*
 * Programs that run another program's code by translating it, and that keep account of
 * all mappings themselves: they do not know the tracer's mappings, map over them, and
 * treat text that jumps there as leading nowhere. They run unmeasured.
 */
#ifndef TRAMMEL_SESSION_FOLLOW_FOREIGN_TRANSLATORS_H
#define TRAMMEL_SESSION_FOLLOW_FOREIGN_TRANSLATORS_H

#include <stdbool.h>
#include <sys/types.h>

#define FOREIGN_TRANSLATOR_REASON "it runs another program by translating it (Valgrind)"

/* Returns whether the process, whose executable is open as `exe`, is such a program. */
bool foreign_translators_have(pid_t pid, int exe);

#endif
