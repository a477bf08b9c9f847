/*
 * The folder of a session's profiles: of those that the client has not said where they
 * go, and of those of now. An agent whose client is gone leaves them there, for whoever
 * looks for them; a later agent removes what nobody uses and nobody changed for
 * FOLDER_DAYS days.
 */
#ifndef TRAMMEL_AGENT_FOLDER_H
#define TRAMMEL_AGENT_FOLDER_H

#include "base/error.h"

enum { FOLDER_DAYS = 7 };

/* Makes the folder of a session, and removes old ones. `ret_path` is the caller's.
 * `ret_fd`: a descriptor that says that the folder is in use, for as long as some process
 * has it open. */
struct trm_error *folder_make(const char *session, char **ret_path, int *ret_fd);

#endif
