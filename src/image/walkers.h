/* Whether the code of a file walks stacks. */
#ifndef TRAMMEL_IMAGE_WALKERS_H
#define TRAMMEL_IMAGE_WALKERS_H

#include <stdbool.h>
#include <stddef.h>

/* Tells whether the code of a file may walk stacks by its own methods, so that return
 * addresses must be the original ones at all times: a static program, a known run-time
 * system that does so, or a program with instrumentation in all functions (-pg and
 * similar). Reads headers and the dynamic string table only: cheap. `program`: the
 * file is executed, not loaded as a library. */
bool image_walks_stacks(const void *bytes, size_t size, bool program);

#endif
