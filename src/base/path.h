/*
 * Parts of paths.
 */
#ifndef TRAMMEL_BASE_PATH_H
#define TRAMMEL_BASE_PATH_H

#include <string.h>

/* The last part of a path: everything behind its last slash, or all of it. */
static inline const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#endif
