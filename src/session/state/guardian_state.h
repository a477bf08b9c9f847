/* State of the copy of the tracer that outlives it: see session/run/guardian.h. */
#ifndef TRAMMEL_SESSION_STATE_GUARDIAN_STATE_H
#define TRAMMEL_SESSION_STATE_GUARDIAN_STATE_H

#include <stdint.h>
#include <sys/types.h>

struct guardian_shared {
	uint32_t version; /* written by the tracer: goes up with each change that
			     guardians should know */
	uint32_t done;    /* written by the tracer; not 0: the profile is written */
	uint32_t claimed; /* not 0: a guardian is writing the profile */
};

struct guardian {
	struct guardian_shared *shared; /* NULL: guardians are not used */
	int alive[2];                   /* a pipe: only the tracer can write to it */
	int status_fd;                  /* to the front; -1: the front is not used, or no
					   longer */
	pid_t pid;                      /* 0: no guardian exists */
	uint32_t version;               /* version of the last guardian */
	uint64_t began_ns;              /* clock_now_ns() from which on guardians may be
					   made */
	uint64_t made_ns, next_ns;      /* clock_now_ns() when the last was made; when the
					   next is due */
};

#endif
