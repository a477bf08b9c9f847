/*
 * What libraries beside libtrammel.so ask of it, where it is loaded: libtrammel-mpi.so.
 * What it asks of that is in ranks_api.h.
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

/* Grows at its end only. */
struct runtime_outside {
	uint32_t abi;
	/* The path of the process's spool; NULL: it records nothing. */
	const char *(*spool)(void);
	/* An object of libtrammel-report.so; NULL: it cannot be loaded. */
	void *(*publisher)(const char *name);
	/* A process that nobody else measures writes no profile at its end: what it
	 * recorded is in another one. */
	void (*disown)(void);
	/* The name of that profile is to have this number in it, since many processes
	 * run the same program. */
	void (*rank)(uint32_t rank);
	/* The command line, as a shell would need it. */
	void (*command)(char *text, size_t size);
	/* The ranks are about to part: what they write together is written now. */
	void (*parting)(void);
	/* A receive that was begun so long ago is waited for; NULL: nothing happened.
	 * Returns whether anybody wants to know. */
	bool (*waits)(const uint64_t *ns);
};

const struct runtime_outside *trm_runtime_outside(void);

/* The same, found; NULL: no library is loaded, or it is another one. */
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
