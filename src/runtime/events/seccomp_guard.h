/* Calls of the program that install a filter of system calls. */
#ifndef TRAMMEL_RUNTIME_EVENTS_SECCOMP_GUARD_H
#define TRAMMEL_RUNTIME_EVENTS_SECCOMP_GUARD_H

/* Finds the functions to which the program's calls are passed on. */
void seccomp_guard_init(void);

/* Has `function` called before a filter is installed, while system calls can be made. */
void seccomp_guard_tell(void (*function)(void));

#endif
