/* Names of files in which %name% stands for a value. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_FILENAME_H
#define TRAMMEL_RUNTIME_CHANNEL_FILENAME_H

/* Expands `pattern` with values of the program, and %pid%, %program% and %host%; puts
 * `folder` in front if it is not NULL. In a child of fork the process id is inserted.
 * The text stays valid. Returns NULL if nothing is to be written ("none"), or there is
 * no memory. */
const char *filename_expand(const char *pattern, const char *folder);

#endif
