/*
 * What libraries beside libtrammel.so ask of it, where it is loaded, and what it asks of
 * them: libtrammel-mpi.so.
 */
#ifndef TRAMMEL_RUNTIME_OUTSIDE_H
#define TRAMMEL_RUNTIME_OUTSIDE_H

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

/* Properties of attributes that are of calls of MPI: channels see them if they ask for
 * that; and of those that say more of such a call, and are no regions in channels. */
enum {
	RUNTIME_OF_MPI = CONTEXT_OF_MPI,
	RUNTIME_DETAIL = CONTEXT_DETAIL,
};

/* Of mpi.rank and mpi.size, which all records of a process have. */
#define RUNTIME_RANK_PROPERTIES                                                          \
	(TRM_AS_VALUE | TRM_AGGREGATABLE | TRM_GLOBAL | TRM_SKIP_EVENTS)

/* What libtrammel-mpi.so has: an object of this name. */
#define RUNTIME_RANKS         "trammel_ranks"
#define RUNTIME_RANKS_LIBRARY "libtrammel-mpi.so.0"
enum { RUNTIME_RANKS_ABI = 2 };

/* A function that begins and ends the region of another one, which it calls. */
struct runtime_wrapper {
	const char *name; /* of that */
	void *wrapper;
};

struct runtime_ranks {
	uint32_t abi;
	/* Whether all ranks can do something together: not before MPI is initialised, nor
	 * when it was finalised. A child of fork has what the MPI library had in memory,
	 * and must not use it. `usual`: the process that is no child, unless another one
	 * was seen to initialise MPI. */
	bool (*are_together)(pid_t usual);
	/* This one, when they are together, and how many there are. */
	int (*rank)(int *ret_ranks);
	/* `processes`: a communicator; NULL: all ranks. */
	publish_reduce *reduce;
	publish_spread *spread;
	/* For programs that the library is not in from the beginning. */
	const struct runtime_wrapper *wrappers;
	const size_t *wrapper_count;
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
