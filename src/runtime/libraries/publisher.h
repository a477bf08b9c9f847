/* Libraries that are loaded on demand: the one that writes profiles, and others. */
#ifndef TRAMMEL_RUNTIME_LIBRARIES_PUBLISHER_H
#define TRAMMEL_RUNTIME_LIBRARIES_PUBLISHER_H

/* Finds a function of the library that writes profiles, by name. Returns NULL if it
 * cannot, which is reported on standard error. */
void (*publisher_find(const char *function))(void);

/* Loads a library that lies beside this one, or in the folder `built` where it was
 * built. Returns NULL if it is not there. */
void *publisher_load(const char *library, const char *built);

#endif
