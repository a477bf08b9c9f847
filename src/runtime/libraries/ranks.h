/*
 * Ranks of a parallel program, as channels see them: what libtrammel-mpi.so knows.
 */
#ifndef TRAMMEL_RUNTIME_LIBRARIES_RANKS_H
#define TRAMMEL_RUNTIME_LIBRARIES_RANKS_H

#include "publish/publish.h"

/* Whether calls of MPI can be seen: the library that does is in the program. */
bool ranks_are_known(void);
/* Calls of all functions are to be seen. */
void ranks_watch_calls(void);
/* Whether MPI's library is there, too, so that the program may have ranks. */
bool ranks_may_be(void);
/* Whether all can do something together now. */
bool ranks_are_together(void);
/* Says which rank this is, mpi.rank, as far as it is known by now. */
void ranks_say(void);
/* Of channels that this thread flushes from now on; NULL: all ranks write together.
 * `communicator`: the address of one, with which they do; `alone`: none do. */
void ranks_choose(const void *communicator, bool alone);
/* For a flush: see publish.h. NULL: this process is alone. */
publish_reduce *ranks_reduce(void **ret_processes);
/* Its counterpart, where there is one. */
publish_spread *ranks_spread(void);

#endif
