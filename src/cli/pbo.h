/*
 * What `trammel run -m pbo` does beyond measuring.
 */
#ifndef TRAMMEL_CLI_PBO_H
#define TRAMMEL_CLI_PBO_H

#include <stdbool.h>

/*
 * Writes what compilers read of the program of a profile: beside x.trm the files x.fdata
 * and x.afdo. What was written is said on standard error, unless `quiet`; what could not
 * be is said in any case, and is no failure.
 */
void pbo_write_beside(const char *profile_path, bool quiet);

#endif
