/* The extra output of `trammel run -m pbo`: files for compilers. */
#ifndef TRAMMEL_CLI_PBO_H
#define TRAMMEL_CLI_PBO_H

#include <stdbool.h>

/* Writes the files that compilers read for the program of a profile: x.fdata and
 * x.afdo beside x.trm. Reports each written file on standard error unless `quiet`; a
 * file that could not be written is always reported, but is not a failure. */
void pbo_write_beside(const char *profile_path, bool quiet);

#endif
