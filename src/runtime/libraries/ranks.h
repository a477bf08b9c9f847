/*
 * Ranks of a parallel program, as channels see them, from libtrammel-mpi.so.
 */
#ifndef TRAMMEL_RUNTIME_LIBRARIES_RANKS_H
#define TRAMMEL_RUNTIME_LIBRARIES_RANKS_H

#include "publish/publish.h"

/* Tells whether calls of MPI can be seen, that is, whether libtrammel-mpi.so is in the
 * program. */
bool ranks_are_known(void);
/* Makes calls of all MPI functions visible. */
void ranks_watch_calls(void);
/* Tells whether MPI's library is loaded, too, so that the program may have ranks. */
bool ranks_may_be(void);
/* Sets mpi.rank of this process, if it is known by now. */
void ranks_say(void);
/* Chooses the ranks that write together for channels that this thread flushes from now
 * on. `communicator`: its address; NULL: all ranks. `alone`: each rank writes by itself.
 * */
void ranks_choose(const void *communicator, bool alone);
/* Returns the function that reduces over ranks at a flush (see publish.h); NULL if this
 * process is alone. */
publish_reduce *ranks_reduce(void **ret_processes);
/* Returns the function that spreads the result to the ranks; NULL if there is none. */
publish_spread *ranks_spread(void);

#endif
