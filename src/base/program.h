/* Finding programs as execvp does. */
#ifndef TRAMMEL_BASE_PROGRAM_H
#define TRAMMEL_BASE_PROGRAM_H

/* Returns the file that execvp would take for a name: free() it. NULL with errno set if
 * it would find none. */
char *program_find(const char *name);

#endif
