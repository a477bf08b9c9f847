/* The regions in which the program says that it is, numbered for tools. */
#ifndef TRAMMEL_TOOLHOST_REGIONS_H
#define TRAMMEL_TOOLHOST_REGIONS_H

#include <stdint.h>

/* Returns the number of the path of regions in which the calling thread of the program
 * is: the same one for the same path, in all threads; 0: it is in none. `forked`: not 0
 * if the process is a child that has not asked yet; becomes 0. */
uint64_t regions_current(uint64_t *forked);

/* Returns a path by its number, as wire/probes.h encodes it: "" for 0, and for what is
 * no number. It stays. */
const char *regions_path(uint64_t number);

#endif
