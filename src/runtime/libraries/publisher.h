/* Libraries that are loaded when they are needed: that which writes profiles, and others.
 */
#ifndef TRAMMEL_RUNTIME_LIBRARIES_PUBLISHER_H
#define TRAMMEL_RUNTIME_LIBRARIES_PUBLISHER_H

/* A function of it, by name. NULL: there is none, which is said on standard error. */
void (*publisher_find(const char *function))(void);

/* A library that lies beside this one, or in the folder `built` where that was built.
 * NULL: it is not there. */
void *publisher_load(const char *library, const char *built);

#endif
