/* The extra output of `trammel run -m pbo`: files for compilers. */
#ifndef TRAMMEL_CLI_PBO_H
#define TRAMMEL_CLI_PBO_H

#include "base/error.h"
#include "base/text.h"
#include "report/profile.h"

#include <stdbool.h>

/* Writes the files that compilers read for the program of a profile: x.fdata and
 * x.afdo beside x.trm. Reports each written file on standard error unless `quiet`; a
 * file that could not be written is always reported, but is not a failure. */
void pbo_write_beside(const char *profile_path, bool quiet);

/* Adds what compilers read of a profile with counts of blocks, in BOLT's or AutoFDO's
 * form, and says on standard error how many functions it has. `module_glob`: the name or
 * path of the one module that is meant; NULL: the program. Errors: there is none, or
 * several; those of pbo_fdata and pbo_autofdo. */
struct trm_error *pbo_make(const struct report_profile *profile, bool autofdo,
			   const char *module_glob, struct text *out);

#endif
