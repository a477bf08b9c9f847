/*
 * Scope guards: `scoped_fd int fd = open(...)` closes, `scoped_free char *p` frees, when
 * the name goes out of scope. Ownership is given away with `take_fd` and `take_pointer`.
 */
#ifndef TRAMMEL_BASE_CLEANUP_H
#define TRAMMEL_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free_(void *pointer)
{
	free(*(void **)pointer);
}

static inline void cleanup_fd_(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_file_(FILE **file)
{
	if (*file)
		fclose(*file);
}

#define scoped_free      __attribute__((cleanup(cleanup_free_)))
#define scoped_fd        __attribute__((cleanup(cleanup_fd_)))
#define scoped_file      __attribute__((cleanup(cleanup_file_)))
#define scoped(function) __attribute__((cleanup(function)))

/* The value of a scoped pointer, which no longer owns it. */
#define take_pointer(pointer)                                                            \
	({                                                                               \
		__typeof__(pointer) taken_ = (pointer);                                  \
		(pointer) = NULL;                                                        \
		taken_;                                                                  \
	})

/* The value of a scoped descriptor, which no longer owns it. */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#endif
