/*
 * Programs that are run by naming the loader: /lib64/ld-linux-x86-64.so.2 ./program.
 */
#ifndef TRAMMEL_SESSION_FOLLOW_LOADED_H
#define TRAMMEL_SESSION_FOLLOW_LOADED_H

#include <sys/types.h>

/*
 * The path of the program that a process was told to load, if what it executes at path
 * `program` is the loader; NULL: it is not, or it was told none. free() it.
 */
char *loaded_program(pid_t pid, const char *program);

#endif
