/* Of the copy of the tracer that outlives it: see session/run/guardian.h. */
#ifndef TRAMMEL_SESSION_STATE_GUARDIAN_STATE_H
#define TRAMMEL_SESSION_STATE_GUARDIAN_STATE_H

#include <stdint.h>
#include <sys/types.h>

struct guardian_shared {
	uint32_t version; /* the tracer's: goes up with what guardians should know */
	uint32_t done;    /* the tracer's: not 0: the profile is there */
	uint32_t claimed; /* not 0: a guardian writes it */
};

struct guardian {
	struct guardian_shared *shared; /* NULL: there are to be no guardians */
	int alive[2];                   /* a pipe: only the tracer can write to it */
	int status_fd;             /* to the front; -1: it is not, or no more, there */
	pid_t pid;                 /* 0: there is none */
	uint32_t version;          /* that the last one has */
	uint64_t began_ns;         /* clock_now_ns(): since when there may be some */
	uint64_t made_ns, next_ns; /* likewise: when it was made; of the next */
};

#endif
