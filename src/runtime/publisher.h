/* The library that writes profiles: it is loaded when there is one to write. */
#ifndef TRAMMEL_RUNTIME_PUBLISHER_H
#define TRAMMEL_RUNTIME_PUBLISHER_H

/* A function of it, by name. NULL: there is none, which is said on standard error. */
void (*publisher_find(const char *function))(void);

#endif
