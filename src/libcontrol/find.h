/* Finding the program `trammel` from the library. */
#ifndef TRAMMEL_LIBCONTROL_FIND_H
#define TRAMMEL_LIBCONTROL_FIND_H

#include "base/error.h"

/* Finds the program: the one that $TRAMMEL_PROGRAM names, the one that this process is,
 * the one that the library was built or installed with, or the first in PATH. The caller
 * frees it. */
struct trm_error *find_program(char **ret_program);

#endif
