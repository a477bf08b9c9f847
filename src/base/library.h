/* Libraries of trammel: programs load them, or trammel does when it needs them; and
 * programs that it needs. */
#ifndef TRAMMEL_BASE_LIBRARY_H
#define TRAMMEL_BASE_LIBRARY_H

/* The library for programs that record their own context; in the folder "runtime". */
#define LIBRARY_RUNTIME "libtrammel.so.0"

/* The program that loads tools into other programs; in the folder "toolhost". */
#define LIBRARY_TOOL_HOST "trammel-tool-host"

/* Finds a library, or a program of trammel's own use, by its file name `name`: in the
 * build folder, in `folder` of src/ beside the running program; where it is installed,
 * relative to the program; or where it was to be installed. Returns the path, which the
 * caller frees; NULL if it is in none of these. */
char *library_find(const char *folder, const char *name);

#endif
