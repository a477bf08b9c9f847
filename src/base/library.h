/* Libraries of trammel's own, which other programs load, or this one when it needs them.
 */
#ifndef TRAMMEL_BASE_LIBRARY_H
#define TRAMMEL_BASE_LIBRARY_H

/* What programs load that record their own context; of the folder "runtime". */
#define LIBRARY_RUNTIME "libtrammel.so.0"

/* The path of a library (its file name): as it was built, in this folder of src/ beside
 * that of the program that runs; as it was installed, from where the program is; or as it
 * was to be installed. To be freed; NULL: it is in none of these. */
char *library_find(const char *folder, const char *name);

#endif
