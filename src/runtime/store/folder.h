/* A folder for spools that nobody has named. */
#ifndef TRAMMEL_RUNTIME_STORE_FOLDER_H
#define TRAMMEL_RUNTIME_STORE_FOLDER_H

#include <stdbool.h>

/* Makes the folder, which is this process's; NULL: it cannot be made. */
const char *folder_make(void);

/* Its path. */
const char *folder_path(void);

/* Whether this process made it. */
bool folder_is_own(void);

/* Removes it, and what is in it. */
void folder_remove(void);

/* The same at the end of the process that made it; at that of another one its own spool
 * in it (`kept`). */
void folder_leave(bool kept);

#endif
