/*
 * Modules that look themselves up.
 */
#ifndef TRAMMEL_SESSION_ITSELF_H
#define TRAMMEL_SESSION_ITSELF_H

#include "image/image.h"

/* A module that looks itself up in /proc/self/maps must find its own file there, so its
 * text is written to instead of replaced by our file's. The C library looks for the stack
 * only. */
bool itself_looks_up(const char *name, const struct image *image);

#endif
