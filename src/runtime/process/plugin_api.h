/*
 * Functions of libtrammel.so for libraries beside it, if it is loaded: for
 * libtrammel-mpi.so. The functions for the other direction are in ranks_api.h.
 */
#ifndef TRAMMEL_RUNTIME_PROCESS_PLUGIN_API_H
#define TRAMMEL_RUNTIME_PROCESS_PLUGIN_API_H

#include "publish/publish.h"
#include "wire/context.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { RUNTIME_OUTSIDE_ABI = 3 };

/* The functions; later versions add some at the end only. */
struct runtime_outside {
	uint32_t abi;
	/* Returns the path of the process's spool; NULL if it records nothing. */
	const char *(*spool)(void);
	/* Finds an object of libtrammel-report.so; NULL if that cannot be loaded. */
	void *(*publisher)(const char *name);
	/* Keeps a process that no other process measures from writing a profile at its
	 * end: its records are in another one's. */
	void (*disown)(void);
	/* Puts this number into the name of the profile, since many processes run the
	 * same program. */
	void (*rank)(uint32_t rank);
	/* Writes the command line, as a shell would need it, to `text`, of `size` bytes.
	 * */
	void (*command)(char *text, size_t size);
	/* Writes the joint output of the ranks, which are about to part. */
	void (*parting)(void);
	/* Notes that a receive that was begun `*ns` ago is waited for; NULL: nothing
	 * happened. Returns whether a channel wants to know. */
	bool (*waits)(const uint64_t *ns);
};

/* Returns the functions. */
const struct runtime_outside *trm_runtime_outside(void);

/* Finds these functions; NULL if the library is not loaded, or is of another version. */
#define outside_find()                                                                   \
	({                                                                               \
		const struct runtime_outside *(*found_)(void);                           \
		__asm__(".weak trm_runtime_outside\n\t"                                  \
			"movq trm_runtime_outside@GOTPCREL(%%rip), %0"                   \
			: "=r"(found_));                                                 \
		const struct runtime_outside *outside_ = found_ ? found_() : NULL;       \
		outside_ && outside_->abi == RUNTIME_OUTSIDE_ABI ? outside_ : NULL;      \
	})

#endif
