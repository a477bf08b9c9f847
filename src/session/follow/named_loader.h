/*
 * Programs that are run by naming the loader: /lib64/ld-linux-x86-64.so.2 ./program.
 */
#ifndef TRAMMEL_SESSION_FOLLOW_NAMED_LOADER_H
#define TRAMMEL_SESSION_FOLLOW_NAMED_LOADER_H

#include <sys/types.h>

/*
 * Returns the path of the program that a process was told to load, if it executes the
 * loader at path `program`; NULL: it executes something else, or the loader got no
 * program. free() it.
 */
char *named_loader_program(pid_t pid, const char *program);

#endif
