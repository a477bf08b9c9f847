/* Calls of the program that install a filter of system calls. */
#ifndef TRAMMEL_RUNTIME_EVENTS_SECCOMP_GUARD_H
#define TRAMMEL_RUNTIME_EVENTS_SECCOMP_GUARD_H

/* Finds the functions to which the program's calls are passed on. */
void seccomp_guard_init(void);

#endif
