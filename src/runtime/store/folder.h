/* A folder for spools where the user named none. */
#ifndef TRAMMEL_RUNTIME_STORE_FOLDER_H
#define TRAMMEL_RUNTIME_STORE_FOLDER_H

#include <stdbool.h>

/* Makes the folder, which is this process's, and returns its path; NULL if it cannot be
 * made. */
const char *folder_make(void);

/* Returns its path. */
const char *folder_path(void);

/* Tells whether this process made it. */
bool folder_is_own(void);

/* Removes the folder and its files. */
void folder_remove(void);

/* Removes the folder at the end of the process that made it; at the end of another
 * process only that one's own spool in it, if `kept`. */
void folder_leave(bool kept);

#endif
