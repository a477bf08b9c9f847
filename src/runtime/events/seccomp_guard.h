/* seal.c. */
#ifndef TRAMMEL_RUNTIME_EVENTS_SECCOMP_GUARD_H
#define TRAMMEL_RUNTIME_EVENTS_SECCOMP_GUARD_H

/* Finds what the program's calls are passed on to. */
void seal_init(void);

#endif
