/* Programs that change the rights of a process that executes them: set-uid, set-gid, with
 * capabilities. The kernel gives a traced process no new ones. */
#ifndef TRAMMEL_SESSION_FOLLOW_RIGHTS_H
#define TRAMMEL_SESSION_FOLLOW_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

/* Returns whether executing a file would change the rights of a process. `path`: as its
 * thread `tid` says. */
bool rights_change_by(pid_t pid, pid_t tid, const char *path);

/* The same for an open file. */
bool rights_change_of(pid_t pid, int fd);

#endif
