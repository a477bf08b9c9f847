/* Names of files in which %name% stands for a value. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_FILENAME_H
#define TRAMMEL_RUNTIME_CHANNEL_FILENAME_H

/* The name with the values that the program gave, and with %pid%, %program% and %host%;
 * `folder` in front, if there is one. In a child of fork the process id is put in. The
 * text stays; NULL: nothing is to be written ("none"), or there is no memory. */
const char *filename_expand(const char *pattern, const char *folder);

#endif
